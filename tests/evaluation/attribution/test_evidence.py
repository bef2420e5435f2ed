"""The sentence of evidence claims no more than was tried."""

import pytest

from ossia_evaluation.attribution import Status
from ossia_evaluation.attribution.evidence import sentence
from ossia_evaluation.attribution.search import Found
from tests.evaluation.support import WAKE

from .support import cause


def unrepaired(**how):
    return sentence(WAKE, Found(Status.UNREPAIRED, complete=False, **how), ())


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (
            {"tried": 41, "all_helps": True},
            "No repair of recorded steps helps, though with every step right the task succeeds.",
        ),
        (
            {"tried": 41, "spent": True, "all_helps": True},
            "None of the 41 repairs that could be tried with the replays allowed helps,"
            " though repairing all steps does.",
        ),
        (
            {"tried": 41, "spent": True},
            "None of the 41 repairs that could be tried with the replays allowed helps.",
        ),
        (
            {"tried": 1, "spent": True},
            "The one repair that could be tried with the replays allowed does not help.",
        ),
        (
            {"tried": 1, "halved": True, "all_helps": True},
            "Repairing all steps that deviate does not help, though repairing every step does.",
        ),
    ],
)
def test_a_failure_without_a_repair(how, said):
    assert unrepaired(**how) == said


def test_alternatives_are_counted():
    found = Found(Status.ATTRIBUTED, (frozenset({"time#1"}), frozenset({"url#1"})))
    assert sentence(WAKE, found, [cause("time#1")]) == (
        "*time* turned 'half past seven' into 19:30; with 07:30 the alarm is set as asked."
        " 1 other repair would also help."
    )
