import pytest

from ossia.conformance.stage import Part


@pytest.fixture
def play(stages):
    """Play an episode that a model leads; returns what it left behind, and the stage."""

    def play(model, variant="router", **options):
        part = Part("what alarms do i have tomorrow", model=model, **options)
        return stages.play(f"control:{variant}", lambda stage: part)

    return play
