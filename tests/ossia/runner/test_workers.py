"""How many worker processes a framework gets."""

import pytest

from ossia.runner import local


@pytest.mark.parametrize(
    ("cores", "jobs", "workers"),
    [
        (2, 1, 1),
        (2, 8, 1),
        (2, 16, 1),
        (2, 17, 2),
        (2, 64, 4),
        (2, 1000, 4),
        (8, 64, 4),
        (1, 64, 2),
    ],
)
def test_workers_follow_the_episodes_at_once_up_to_two_a_core(monkeypatch, cores, jobs, workers):
    monkeypatch.setattr(local.os, "cpu_count", lambda: cores)
    assert local.workers_for(jobs) == workers
