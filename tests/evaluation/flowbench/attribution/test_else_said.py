"""Whether a user answered otherwise, or not at all."""

import pytest

from ossia_evaluation.flowbench.attribution.else_said import (
    part_about,
    says_else,
    tells,
    tells_other,
)


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


@pytest.mark.parametrize(
    ("words", "no", "other"),
    [
        ("no", True, False),
        ("No, they have gas.", True, False),
        ("Whether they have none: no", True, False),
        ("Yes!", False, True),
        ("keine Ahnung, leider", False, False),
        ("I do not know", False, False),
        ("No idea", False, False),
        ("I asked them yesterday", False, False),
        ("42", False, False),
    ],
)
def test_what_is_neither_yes_nor_no_tells_no_truth_value(words, no, other):
    assert tells(words, False) is no
    assert tells_other(words, False, "no") is other


def test_of_several_lines_the_one_of_a_slot_tells_it():
    words = "Of course:\nWhether it leaks: yes\nWhether it smells: no"
    assert tells(part_about(words, "whether it smells"), False)
    assert not tells(part_about(words, "whether it leaks"), False)
    assert part_about("no", "whether it leaks") == "no"
