"""The sentence of evidence claims no more than was tried."""

from types import SimpleNamespace

import pytest

from ossia_dataset.tasks import Task
from ossia_evaluation.attribution import Status, unsupported
from ossia_evaluation.attribution.evidence import sentence
from ossia_evaluation.attribution.search import Found
from ossia_evaluation.grade import Grade, Verdict
from ossia_evaluation.worlds.success import success_clause
from ossia_servers.trace import EpisodeKey
from tests.evaluation.support import WAKE

from .support import cause


def unrepaired(**how):
    return sentence(success_clause(WAKE), Found(Status.UNREPAIRED, complete=False, **how), ())


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (
            {"tried": 41, "all_helps": True},
            "No repair of recorded steps is sufficient, though the task succeeds with every step"
            " right.",
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
    assert sentence(success_clause(WAKE), found, [cause("time#1")]) == (
        "*time* turned 'half past seven' into 19:30; with 07:30 the alarm is set as asked."
        " 1 other repair would also help."
    )


@pytest.mark.parametrize("groups", [{}, {"origin": "lumos"}, {"kind": "a", "size": "b"}])
def test_any_task_has_an_attribution_by_its_groups(groups):
    class Grouped(Task):
        @property
        def groups(self):
            return groups

    key = EpisodeKey(id="e", task="t", framework="f", model="m", repeat=1)
    trace = SimpleNamespace(episode=key)
    grade = Grade(verdict=Verdict.FAILURE, reason="no")
    found = unsupported(Grouped(id="t", suite="s", utterance="u"), trace, grade)
    assert (found.domain, found.intent) == (*groups.values(), "", "")[:2]
