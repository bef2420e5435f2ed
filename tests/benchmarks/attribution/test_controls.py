"""Failures of which nobody in the team is to blame, over a real team and real servers."""

from benchmarks.attribution.attempts import GOLD, SINGLE, Attempt, AttemptLog, beside, is_decided
from benchmarks.attribution.cases import CaseMaker, Injected, Rejected, Structure
from benchmarks.attribution.controls import Controls, Makers
from benchmarks.attribution.fault_pairs import aimed, has_room
from benchmarks.attribution.fault_records import faults_text
from benchmarks.attribution.injection import InjectedFault
from benchmarks.attribution.server_failures import FailingServers, Harm
from benchmarks.attribution.wrong_gold import WrongGoldScorer
from ossia.attribution.attributor import Attributor
from ossia_dataset.randomness import seeded_random
from ossia_evaluation.assistant.contracts import AssistantContracts
from ossia_evaluation.assistant.scorer import AssistantScorer
from ossia_evaluation.attribution import Status
from ossia_evaluation.grade import Verdict
from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.assistant.offline import OfflineModel
from ossia_servers.assistant.offline.faults import FaultType as F
from tests.ossia.attribution.conftest import POUND, WAKE, WEATHER

UNRESOLVED = (InjectedFault("location", F.LOCATION_UNRESOLVED),)
"""The servers resolve the place by themselves, so this does no harm."""


def wrong_gold_maker(bench):
    """Return a maker whose scorer can be given wrong gold, and the scorer."""
    domains = load_domains()
    scorer = WrongGoldScorer(domains, bench.maker.fault_maker)
    attributor = Attributor(bench.replayer, scorer, AssistantContracts(domains))
    maker = CaseMaker(
        bench.replayer, scorer, attributor, bench.maker.fault_maker, OfflineModel.load()
    )
    return maker, scorer


def test_nobody_is_blamed_for_what_a_wrong_gold_asks(bench):
    async def test(bench):
        maker, scorer = wrong_gold_maker(bench)
        clean = await bench.maker.clean(WEATHER, "control")
        assert scorer.score(WEATHER, clean.trace).verdict is Verdict.SUCCESS
        assert scorer.alter_gold(WEATHER, clean.trace)
        assert scorer.score(WEATHER, clean.trace).verdict is Verdict.FAILURE
        assert (
            AssistantScorer(load_domains()).score(WEATHER, clean.trace).verdict is Verdict.SUCCESS
        )
        trace, score = await maker.deviating(clean, UNRESOLVED)
        found = await maker.attribute(WEATHER, trace, score)
        assert [each.situation for each in found.deviations] == ["location#1"]
        assert (found.families, found.status) == ((), Status.SUSPECT)

    bench(test)


def test_controls_are_made_of_deviations_that_are_known_to_be_harmless(bench, tmp_path):
    async def test(bench):
        wrong_gold, scorer = wrong_gold_maker(bench)
        usual = bench.maker
        cleans = [await usual.clean(task, "control") for task in (WAKE, WEATHER)]
        makers = Makers(usual, usual, usual, wrong_gold, scorer)
        with AttemptLog(tmp_path / "log.jsonl") as log:
            for clean, faults, outcome in (
                (cleans[0], (InjectedFault("time", F.TIME_WRONG),), "kept"),
                (cleans[1], UNRESOLVED, "harmless"),
            ):
                key = f"{SINGLE}|{clean.task.id}|{faults_text(faults)}"
                given = {"framework": "control", "task": clean.task.id, "cell": SINGLE}
                log.add(Attempt(key=key, outcome=outcome, **given))
            controls = Controls("control", makers, log, FailingServers(), seed=0)
            await controls.deviating(cleans, 1)
            made = {each.cell: each for each in log if each.cell != SINGLE}
            # The servers of this test work, so what they are to spoil succeeds and is no control.
            refused = made.pop(beside(f"control: servers, {Harm.REFUSES}"))
            assert (refused.outcome, is_decided(refused)) == ("succeeds", False)
            assert made[GOLD].task == "weather"
            assert is_decided(made[GOLD])
            assert made[GOLD].case.told == ()
            before = len(list(log))
            await controls.deviating(cleans, 1)
            assert len(list(log)) == before

    bench(test)


def test_an_invented_time_and_a_manager_that_passes_by_do_harm_together(bench):
    async def test(bench):
        maker = bench.maker
        pound = await maker.clean(POUND, "control")
        assert has_room(Structure.JOINT, pound, maker.fault_maker)
        for number in range(12):
            faults = aimed(Structure.JOINT, pound, maker.fault_maker, seeded_random("test", number))
            made = await maker.inject(pound, faults)
            if isinstance(made, Injected) and made.structure is Structure.JOINT:
                break
        else:
            raise AssertionError("never joint")
        assert made.families == {frozenset({"intent#1"}), frozenset({"manager@intent"})}
        found = await maker.attribute(POUND, made.trace, made.score)
        assert {frozenset(family) for family in found.families} == made.families

    bench(test)


def test_faults_are_aimed_only_where_they_have_a_place(bench):
    async def test(bench):
        maker = bench.maker
        wake = await maker.clean(WAKE, "control")
        assert not has_room(Structure.JOINT, wake, maker.fault_maker)
        assert has_room(Structure.MASKING, wake, maker.fault_maker)
        faults = aimed(Structure.MASKING, wake, maker.fault_maker, seeded_random("test"))
        assert len({fault.role for fault in faults}) == 2
        assert isinstance(await maker.inject(wake, faults), Injected | Rejected)

    bench(test)
