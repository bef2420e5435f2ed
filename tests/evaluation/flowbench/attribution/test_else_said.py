"""Whether a user answered otherwise, or not at all."""

import pytest

from ossia_evaluation.flowbench.attribution.else_said import says_else


@pytest.mark.parametrize(
    ("words", "meant", "otherwise"),
    [
        ("qzx vlt 3", "Aalto", True),
        ("The kind of car: bus", "The kind of car: van", True),
        ("no", "yes", True),
        ("le lendemain", "2026-05-04", True),
        ("Hm, well.", "Aalto", False),
        ("", "Aalto", False),
        ("I don\u2019t know.", "Aalto", False),
        ("The kind of car:", "The kind of car: van", False),
        ("I am not sure which", "van", False),
    ],
)
def test_another_answer_is_told_from_none(words, meant, otherwise):
    assert says_else(words, meant) is otherwise
