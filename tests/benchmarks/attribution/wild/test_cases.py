"""Failures by changed bytes over a real team and real servers: who is known to have done it."""

import json

import pytest

from benchmarks.attribution.attempts import KEPT
from benchmarks.attribution.record_log import RecordLog
from benchmarks.attribution.wild import changes
from benchmarks.attribution.wild.cases import CRASHED, CleanEpisode, Dropped, Failed, WildMaker
from benchmarks.attribution.wild.changes import Change
from benchmarks.attribution.wild.experiment import WildExperiment
from benchmarks.attribution.wild.material import Material
from benchmarks.attribution.wild.records import (
    CLEAN,
    DOUBLE,
    SINGLE,
    Structure,
    WildAttempt,
    WildSize,
)
from ossia_evaluation.assistant.scorer import AssistantScorer
from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.assistant.offline import OfflineModel
from tests.ossia.attribution.conftest import POUND, WAKE, WEATHER

NOTHING = Material()


@pytest.fixture
def wild(bench):
    """Run a test with a maker over the real control."""

    def run(test):
        async def with_maker(bench):
            domains = load_domains()
            maker = WildMaker(
                bench.replayer, AssistantScorer(domains), domains, OfflineModel.load()
            )
            return await test(maker)

        return bench(with_maker)

    return run


@pytest.fixture
def saying(monkeypatch):
    """Make a kind of change that replaces a text within an answer."""

    def make(name, old, new):
        def way(message, material, draw):
            content = message["content"].replace(old, new)
            return {**message, "content": content}

        monkeypatch.setitem(changes.KINDS, f"test.{name}", way)
        return f"test.{name}"

    return make


async def changed(maker, task, *made):
    clean = await maker.clean(task, "control")
    assert isinstance(clean, CleanEpisode)
    return await maker.change(clean, made, dict.fromkeys(made, NOTHING))


def test_a_single_change_is_known_by_its_step(wild, saying):
    late = Change("time#1", 1, saying("late", "07:30", "19:30"), 0)

    async def test(maker):
        made = await changed(maker, WAKE, late)
        assert isinstance(made, Failed)
        assert made.families == {frozenset({"time#1"})}
        assert made.structure is None
        (only,) = made.changes
        assert (only.role, only.kind) == ("time", "test.late")
        assert "07:30" in only.before
        assert "19:30" in only.after
        clean = await maker.clean(WAKE, "control")
        case = await maker.attribute(clean, made)
        assert (case.known, case.told) == ((("time#1",),), (("time#1",),))
        assert case.replays > 0
        assert case.model_calls == 0

    wild(test)


def test_what_does_no_harm_or_finds_no_place_is_no_case(wild, saying):
    polite = saying("polite", "}", "} ")

    async def test(maker):
        harmless = await changed(maker, WAKE, Change("time#1", 1, polite, 0))
        assert isinstance(harmless, Dropped)
        assert harmless.reason == "harmless"
        for nowhere in (Change("url#7", 0, polite, 0), Change("response#1", 0, polite, 0)):
            assert (await changed(maker, WAKE, nowhere)) == Dropped("a change found no place")

    wild(test)


def test_of_two_changes_both_are_needed_where_each_does_harm(wild, saying):
    kinds = (saying("late", "07:30", "19:30"), saying("day", "2026-03-14", "2026-03-15"))
    time, url = Change("time#1", 1, kinds[0], 0), Change("url#1", 0, kinds[1], 0)

    async def test(maker):
        made = await changed(maker, WAKE, time, url)
        assert isinstance(made, Failed)
        assert made.families == {frozenset({"time#1", "url#1"})}
        assert made.structure is Structure.BOTH

    wild(test)


def test_of_two_changes_one_may_do_no_harm(wild, saying):
    late, polite = saying("late", "07:30", "19:30"), saying("polite", "}", "} ")
    both = Change("intent#1", 0, polite, 0), Change("time#1", 1, late, 0)

    async def test(maker):
        made = await changed(maker, WAKE, *both)
        assert isinstance(made, Failed)
        assert made.families == {frozenset({"time#1"})}
        assert made.structure is Structure.ONE

    wild(test)


def test_of_two_changes_either_may_be_enough(wild, saying):
    # Without a time in the intent the manager passes the time role by all the same.
    invented = saying("invented", '"slots": {', '"slots": {"date": "tomorrow", ')
    hasty = saying("hasty", "time", "url")
    both = Change("intent#1", 0, invented, 0), Change("manager@intent", 0, hasty, 0)

    async def test(maker):
        made = await changed(maker, POUND, *both)
        assert isinstance(made, Failed)
        assert made.families == {frozenset({"intent#1"}), frozenset({"manager@intent"})}
        assert made.structure is Structure.EITHER

    wild(test)


def test_a_change_that_depends_on_how_it_is_made_again_is_no_case(wild, saying):
    # With the time changed the address holds 19:30, and the change of the url finds 19 to replace;
    # without it the same change finds nothing, and the same words are wrong.
    late, hour = saying("late", "07:30", "19:30"), saying("hour", "19%3A30", "20%3A30")
    both = Change("time#1", 1, late, 0), Change("url#1", 0, hour, 0)

    async def test(maker):
        made = await changed(maker, WAKE, *both)
        assert isinstance(made, Dropped)
        assert made.reason == "depends on how a change is made again"

    wild(test)


def test_an_attributor_that_crashes_is_kept_as_a_miss(wild, saying, monkeypatch):
    async def crash(self, task, trace, score):
        raise RecursionError("too deep")

    monkeypatch.setattr("benchmarks.attribution.wild.cases.Attributor.attribute", crash)
    late = Change("time#1", 1, saying("late", "07:30", "19:30"), 0)

    async def test(maker):
        made = await changed(maker, WAKE, late)
        case = await maker.attribute(await maker.clean(WAKE, "control"), made)
        assert (case.status, case.told) == (CRASHED, ())
        assert case.reason == "RecursionError: too deep"

    wild(test)


SMALL = WildSize(tasks=3, per_kind=1, doubles=4, tries=2)


def test_cases_are_made_and_a_stopped_protocol_goes_on(wild, tmp_path, monkeypatch):
    # Every kind is made in `test_wild_quick.py`.
    some = {kind: changes.KINDS[kind] for kind in [*changes.KINDS][::3]}
    monkeypatch.setattr("benchmarks.attribution.wild.experiment.KINDS", some)
    tasks, path = (WAKE, WEATHER, POUND), tmp_path / "control.jsonl"

    async def run(maker):
        with RecordLog(path, WildAttempt) as log:
            await WildExperiment("control", maker, log, 0, 2).run(tasks, SMALL)
            return list(log)

    whole = wild(run)
    assert [each.outcome for each in whole if each.cell == CLEAN] == [KEPT] * 3
    for cell, changes_each in ((SINGLE, 1), (DOUBLE, 2)):
        found = [each for each in whole if each.cell == cell]
        kept = [each for each in found if each.outcome == KEPT]
        assert kept
        assert len(kept) < len(found)
        for each in kept:
            steps = {change.situation for change in each.changes}
            assert len(steps) == len(each.changes) == changes_each
            assert each.case.known
            assert {step for family in each.case.known for step in family} <= steps
            assert all(change.before != change.after for change in each.changes)
            assert each.case.model_calls == 0
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[: len(lines) // 2]) + lines[-1][:40], "utf-8")
    again = wild(run)
    assert [json.loads(each.model_dump_json()) for each in again] == [
        json.loads(each.model_dump_json()) for each in whole
    ]
