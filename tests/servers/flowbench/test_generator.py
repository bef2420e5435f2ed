"""The generated sessions: shares, coverage and limits, and that the stored ones are those."""

from collections import Counter

import pytest

from ossia_dataset.builtin import builtin_folder, load_set
from ossia_dataset.flowbench.sessions import SUITE, AsideKind, SessionTask
from ossia_servers.flowbench import generator
from ossia_servers.flowbench.drafting import ways_of
from ossia_servers.flowbench.generator import SHARES, generate_sessions
from ossia_servers.flowbench.script import gold_turns
from ossia_servers.flowbench.services import gold_service, scenarios
from ossia_servers.flowbench.walk import walk
from ossia_workflows.graph import END
from ossia_workflows.scenario.model import fits_value


@pytest.fixture(scope="module")
def sessions():
    """Those of seed 1, as `test_flowbench_sessions.py` shows of the command."""
    return load_set("test", builtin_folder(SUITE), SessionTask)


@pytest.fixture(scope="module")
def walks(sessions):
    return {each.id: walk(each, scenarios(), gold_service(each)) for each in sessions}


@pytest.mark.slow
def test_other_seeds_make_other_sessions(sessions, monkeypatch):
    field, share = next(iter(SHARES.items()))
    monkeypatch.setattr(generator, "SHARES", {field: share})
    made = generate_sessions(2)
    known = {each.id: each for each in sessions}
    assert {each.field for each in made} == {field}
    assert all(each != known[each.id] for each in made)


def test_shares_by_domain_are_the_published_ones(sessions):
    counts = Counter((each.field, each.is_cross) for each in sessions)
    assert counts == {
        (field, cross): share.cross if cross else share.single
        for field, share in SHARES.items()
        for cross in (False, True)
    }
    assert len(sessions) == 536


@pytest.mark.slow
def test_turns_are_many_and_none_has_too_many(sessions, walks):
    turns = [len(gold_turns(each, scenarios(), walks[each.id])) for each in sessions]
    assert sum(turns) >= 5000
    assert all(count <= each.most_turns for count, each in zip(turns, sessions, strict=True))


@pytest.mark.slow
def test_every_way_of_every_scenario_is_taken(sessions, walks):
    taken = set()
    for session in sessions:
        visits = walks[session.id]
        for one, other in zip(visits, [*visits[1:], None], strict=True):
            same = other is not None and other.wish == one.wish
            scenario = session.wishes[one.wish].scenario
            taken.add((scenario, one.step, other.step if same else END))
    known = {
        (name, step, target)
        for name, scenario in scenarios().items()
        for _, step, _, target in ways_of(name, scenario)
    }
    assert known - taken == set()


def test_all_values_are_of_their_types(sessions):
    for session in sessions:
        tools = {
            name: tool
            for each in scenarios().values()
            if each.role == session.role
            for name, tool in each.tools.items()
        }
        for answer in session.answers:
            kinds = tools[answer.tool].gives
            assert answer.result.keys() == kinds.keys()
            assert all(fits_value(answer.result[name], kind) for name, kind in kinds.items())
        for wish in session.wishes:
            slots = scenarios()[wish.scenario].slots
            for told in (wish.slots, *(move.slots for move in wish.moves)):
                assert all(fits_value(value, slots[name].type) for name, value in told.items())


def test_a_slot_that_the_opening_tells_is_not_asked_for(sessions, walks):
    telling = [each for each in sessions if each.wishes[0].told]
    assert len(telling) > 50
    for session in telling:
        (slot,) = session.wishes[0].told
        assert str(session.wishes[0].slots[slot]) in session.utterance
        assert all(slot not in visit.asks for visit in walks[session.id] if visit.wish == 0)


def test_who_refuses_has_been_asked_for_something(sessions, walks):
    kinds = Counter(aside.kind for each in sessions for aside in each.asides)
    assert kinds.keys() == set(AsideKind)
    for session in sessions:
        asides = {aside.turn for aside in session.asides}
        asked = {visit.turn for visit in walks[session.id] if visit.asks}
        for aside in session.asides:
            if aside.kind is AsideKind.REFUSES:
                then = next(turn for turn in range(aside.turn + 1, 30) if turn not in asides)
                assert then in asked


def test_seeds_and_worlds_take_the_ids(sessions):
    assert all(each.id == each.seed and len(each.id) <= 40 for each in sessions)
