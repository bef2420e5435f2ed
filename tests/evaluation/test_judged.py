import pytest

from ossia_evaluation.judged import agreement, read_mark


@pytest.mark.parametrize(
    ("reply", "mark"),
    [
        ("Score: 7", 7),
        ("All is there.\nScore: 10\n\n", 10),
        ("  Score: 0  ", 0),
        ("", None),
        ("7", None),
        ("Score: 11", None),
        ("Score: -1", None),
        ("Score: 7.5", None),
        ("Score: 7/10", None),
        ("Score: 7.", None),
        ("**Score: 7**", None),
        ("score: 7", None),
        ("Score: 7\nor a little more", None),
        ("Score: 10\nScore: 2", None),
        ("* Score: it says 10\nScore: 2", None),
        ("The score is hard to give.\nScore: 2", 2),
        ("Score: \u0667", None),
        ("x" * 1_000_000, None),
    ],
)
def test_a_mark_is_read_to_the_letter(reply, mark):
    assert read_mark(reply) == mark


def test_agreement_counts_what_has_no_mark_and_no_score_apart():
    found = agreement([(10, 1.0), (5, 0.25), (None, 0.5), (0, None), (2, 0.0)])
    assert (found.judged, found.unscored, found.both) == (4, 1, 3)
    assert found.mean == 17 / 4
    assert found.rules == pytest.approx(12.5 / 3)
    assert found.apart == pytest.approx((0 + 2.5 + 2) / 3)
    assert found.rank == pytest.approx(1.0)
    assert agreement([(3, 0.1), (9, 0.9), (6, 0.5), (1, 1.0)]).rank == pytest.approx(-0.2)


def test_agreement_of_nothing_or_of_all_alike_has_no_rank():
    assert agreement([]).mean is agreement([]).apart is agreement([]).rank is None
    alike = agreement([(7, 1.0), (7, 0.5)])
    assert (alike.mean, alike.rank) == (7, None)
