"""The attributor against a real team, real servers and faults put in at the gateway."""

import pytest

from benchmarks.attribution.injection import InjectedFault
from ossia.attribution.attributor import Attributor
from ossia_evaluation.assistant.attribution.oracles import Oracle
from ossia_evaluation.assistant.attribution.reading import read_recording
from ossia_evaluation.assistant.attribution.received import Heard
from ossia_evaluation.assistant.contracts import AssistantContracts
from ossia_evaluation.attribution import EVERYTHING, Status, Turns
from ossia_evaluation.grade import Verdict
from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.assistant.members import MEMBERS
from ossia_servers.assistant.offline.faults import FaultType as F
from tests.ossia.attribution.conftest import WAKE, WEATHER

SINGLE = [
    (WAKE, InjectedFault("intent", F.INTENT_WRONG_DOMAIN), "intent#1"),
    (WAKE, InjectedFault("intent", F.INTENT_DROPPED_SLOT), "intent#1"),
    (WAKE, InjectedFault("time", F.TIME_WRONG), "time#1"),
    (WAKE, InjectedFault("time", F.TIME_DROPPED), "time#1"),
    (WEATHER, InjectedFault("location", F.LOCATION_WRONG), "location#1"),
    (WAKE, InjectedFault("url", F.URL_WRONG_ENDPOINT), "url#1"),
    (WAKE, InjectedFault("url", F.URL_ALTERED_PARAM), "url#1"),
    (WAKE, InjectedFault("url", F.URL_MALFORMED), "url#1"),
    (WAKE, InjectedFault("request", F.REQUEST_NO_CALL), "request#1"),
    (WAKE, InjectedFault("request", F.REQUEST_DUPLICATE_CALL), "request#1"),
    (WAKE, InjectedFault("manager", F.MANAGER_PREMATURE_FINISH, at=2), "manager@intent>time"),
    (WAKE, InjectedFault("manager", F.MANAGER_SKIP, at=3), "manager@intent>time>url"),
]


@pytest.mark.parametrize(("task", "fault", "step"), SINGLE)
def test_a_single_fault_is_found(bench, task, fault, step):
    async def test(bench):
        case, found = await bench.attribute(task, fault)
        assert case.families == {frozenset({step})}
        assert found.families == ((step,),)
        (cause,) = found.causes
        assert (cause.role, cause.responsibility) == (fault.role, 1.0)
        # Where the manager left somebody out nothing is known of what would have followed.
        assert cause.conditional == (fault.type in (F.MANAGER_PREMATURE_FINISH, F.MANAGER_SKIP))
        assert cause.necessary == cause.sufficient == (not cause.conditional)
        assert bool(found.assumed) == cause.conditional
        assert found.replays == 3
        assert found.evidence.startswith(f"*{fault.role}* ")

    bench(test)


def test_of_a_loop_the_first_repetition_is_the_cause(bench):
    async def test(bench):
        _, found = await bench.attribute(WAKE, InjectedFault("manager", F.MANAGER_REPEAT, at=2))
        assert found.families == (("manager@intent>time",),)
        assert found.replays <= 4

    bench(test)


def test_two_faults_that_both_do_harm_are_one_family(bench):
    async def test(bench):
        faults = (InjectedFault("time", F.TIME_WRONG), InjectedFault("url", F.URL_WRONG_ENDPOINT))
        case, found = await bench.attribute(WAKE, *faults)
        assert {frozenset(family) for family in found.families} == case.families
        assert found.families == (("time#1", "url#1"),)
        assert [cause.responsibility for cause in found.causes] == [0.5, 0.5]
        assert not any(cause.necessary for cause in found.causes)
        assert found.decisive is None

    bench(test)


def test_a_wrong_choice_is_kept_where_a_repair_brings_in_a_role_before_it(bench):
    async def test(bench):
        # Without the intent's place no location role works, and the manager errs a moment earlier.
        faults = (
            InjectedFault("intent", F.INTENT_WRONG_DOMAIN),
            InjectedFault("manager", F.MANAGER_SKIP, at=3),
        )
        case, found = await bench.attribute(WEATHER, *faults)
        (family,) = case.families
        assert "intent#1" in family and len(family) == 2
        assert [set(told) for told in found.families] == [family]

    bench(test)


def test_a_value_under_another_name_is_kept_as_a_wrong_name(bench):
    async def test(bench):
        faults = (
            InjectedFault("time", F.TIME_MALFORMED),
            InjectedFault("url", F.URL_RENAMED_PARAM),
        )
        case, found = await bench.attribute(WAKE, *faults)
        assert {frozenset(family) for family in found.families} == case.families

    bench(test)


def test_a_harmless_fault_beside_is_not_blamed(bench):
    async def test(bench):
        # A question that is asked twice changes nothing.
        faults = (
            InjectedFault("location", F.LOCATION_WRONG),
            InjectedFault("request", F.REQUEST_DUPLICATE_CALL),
        )
        case, found = await bench.attribute(WEATHER, *faults)
        assert case.families == {frozenset({"location#1"})}
        assert found.families == (("location#1",),)
        harmless = [deviation for deviation in found.deviations if not deviation.cause]
        assert [deviation.role for deviation in harmless] == ["request"]

    bench(test)


def test_a_wrong_intent_that_was_passed_on_is_a_missed_recovery(bench):
    async def test(bench):
        _, found = await bench.attribute(WAKE, InjectedFault("intent", F.INTENT_SIBLING))
        assert found.status is Status.ATTRIBUTED
        assert found.roles == ("intent",)
        assert found.missed_recovery

    bench(test)


def test_calls_that_were_read_already_are_read_as_they_are_in_the_trace(bench):
    async def test(bench):
        clean = await bench.maker.clean(WAKE, "control")
        oracle = Oracle(WAKE, {domain.name: domain for domain in load_domains()})
        turns = Turns(MEMBERS)
        heard = [
            (each.request, Heard.of(each.role, each.request, turns))
            for each in clean.trace.gateway.exchanges
        ]
        alone = read_recording(clean.trace, oracle)
        names = [(step.situation, step.keys, step.messages) for step in alone.steps]
        for known in (heard, heard[:-1], heard[1:]):
            found = read_recording(clean.trace, oracle, heard=known)
            assert [(s.situation, s.keys, s.messages) for s in found.steps] == names
            assert found.findings == alone.findings == {}

    bench(test)


def test_nobody_is_cleared_before_every_step_was_answered_rightly(bench):
    async def test(bench):
        clean = await bench.maker.clean(WAKE, "control")
        trace, score = await bench.maker.again(clean)
        failing = _Failing(bench.maker._attributor._grader)
        attributor = Attributor(bench.maker._runner, failing, AssistantContracts(load_domains()))
        told = []
        found = await attributor.attribute(WAKE, trace, score, told.append)
        assert found.status is Status.SUSPECT
        # The second search also repairs what means the same in other words.
        assert found.replays == len(told) == 4
        assert told[-1].repair == EVERYTHING

    bench(test)


def test_a_model_that_fails_leaves_nothing_to_be_attributed(bench):
    async def test(bench):
        clean = await bench.maker.clean(WAKE, "control")
        _, score = await bench.maker.unanswered(clean, "url")
        assert score.verdict is Verdict.INVALID

    bench(test)


class _Failing:
    """Finds fault with every episode."""

    def __init__(self, scorer):
        self.scorer = scorer

    def score(self, task, trace):
        found = self.scorer.score(task, trace)
        return found.model_copy(update={"verdict": Verdict.FAILURE})


def test_evidence_says_what_was_said_and_what_would_have_helped(bench):
    async def test(bench):
        _, found = await bench.attribute(WAKE, InjectedFault("time", F.TIME_WRONG))
        (cause,) = found.causes
        assert cause.remedy.startswith("with ")
        assert found.evidence.endswith("the alarm is set as asked.")
        culprit = next(step for step in found.steps if step.culprit)
        assert culprit.situation == "time#1"
        assert "07:30" in culprit.counterfactual

    bench(test)
