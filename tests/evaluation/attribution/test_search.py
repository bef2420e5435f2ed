import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_evaluation.attribution import Rerun, Status, minimal, search

STEPS = tuple("abcdef")
FAMILIES = st.lists(
    st.frozensets(st.sampled_from(STEPS), min_size=1, max_size=3), min_size=1, max_size=3
)


class Simulated:
    """An episode in which a repair helps when it holds one of some sets."""

    def __init__(self, families, steps=STEPS, *, hidden=None, broke=False, unseen=(), imputed=()):
        self.families = families
        self.unseen = unseen
        self.imputed = imputed
        self.steps = steps
        self.hidden = hidden or {}
        self.broke = broke
        self.asked = []

    def rerun(self, repaired):
        seen = [s for s in self.steps if s not in self.hidden or self.hidden[s] in repaired]
        return Rerun(
            success=any(family <= repaired for family in self.families),
            deviations=tuple(s for s in seen if s not in repaired and s not in self.unseen),
            broke=self.broke,
            steps=tuple(s for s in self.steps if s not in self.hidden),
            imputed=tuple(self.imputed),
        )

    async def __call__(self, repair):
        self.asked.append(repair)
        every = frozenset(self.steps)
        chosen = repair.situations
        return self.rerun(every - chosen if repair.all_but else chosen)


def find(episode, **options):
    return asyncio.run(search(episode.rerun(frozenset()), episode, **options))


@given(FAMILIES)
def test_finds_every_minimal_family(families):
    found = find(Simulated(families))
    assert found.status is Status.ATTRIBUTED
    assert set(found.families) == set(minimal(families))
    assert found.complete


@given(FAMILIES)
def test_halving_finds_every_minimal_family_among_many_steps(families):
    episode = Simulated(families, steps=tuple("abcdefghijklmn"))
    found = find(episode)
    assert set(found.families) == set(minimal(families))
    assert found.complete


@given(FAMILIES)
def test_never_asks_the_same_twice_nor_beyond_its_budget(families):
    episode = Simulated(families)
    found = find(episode, budget=5)
    assert len(episode.asked) == len(set(episode.asked)) == found.replays <= 5
    assert all(family in minimal(families) for family in found.families)


@given(FAMILIES, st.frozensets(st.sampled_from(STEPS)))
def test_what_is_not_seen_to_deviate_is_found_all_the_same(families, unseen):
    found = find(Simulated(families, unseen=unseen))
    assert found.status is Status.ATTRIBUTED
    assert set(found.families) == set(minimal(families))
    assert found.complete


def test_nobody_is_cleared_without_a_replay_with_every_step_repaired():
    episode = Simulated([frozenset("e")], unseen=STEPS)
    assert find(episode).families == (frozenset("e"),)
    clean = Simulated([], unseen=STEPS)
    assert find(clean).status is Status.SUSPECT
    assert any(repair.all_but and not repair.situations for repair in clean.asked)


def test_one_deviation_that_is_the_cause_costs_three_replays():
    found = find(Simulated([frozenset("a")], steps=("a",)))
    # As recorded, with the step repaired, and with all but the step repaired.
    assert found.replays == 3
    assert found.decisive == "a"


def test_steps_that_a_repair_brings_to_light_are_candidates():
    episode = Simulated([frozenset("ab")], steps=("a", "b"), hidden={"b": "a"})
    assert find(episode).families == (frozenset("ab"),)


def test_recorded_answers_that_succeed_twice_are_flaky():
    found = find(Simulated([frozenset()]))
    assert (found.status, found.replays) == (Status.FLAKY, 2)


def test_recorded_answers_that_succeed_once_are_searched_like_any_other():
    episode, luck = Simulated([frozenset("a")]), [True]

    async def lucky(repair):
        run = await episode(repair)
        return Rerun(success=True) if luck and luck.pop() else run

    first = episode.rerun(frozenset())
    assert asyncio.run(search(first, lucky)).families == (frozenset("a"),)


def test_a_success_that_rests_on_unrecorded_answers_is_not_flaky():
    found = find(Simulated([frozenset()], imputed=["url#1"]))
    assert (found.status, found.astray) == (Status.UNREPAIRED, True)


@pytest.mark.parametrize("ended", [Status.LIMIT, Status.REFUSED])
def test_an_episode_that_was_ended_says_so_with_causes_and_without(ended):
    blamed = find(Simulated([frozenset("a")]), ended=ended)
    assert (blamed.status, blamed.families) == (ended, (frozenset("a"),))
    assert find(Simulated([frozenset()]), ended=ended).status is ended
    nobody = find(Simulated([]), ended=ended)
    assert (nobody.status, nobody.all_helps) == (ended, False)


def test_what_a_family_rests_on_is_told():
    found = find(Simulated([frozenset("a")], imputed=["url#1", "request#1"]))
    assert found.imputed == {frozenset("a"): ("url#1", "request#1")}


def test_a_failure_that_no_repair_mends_is_not_blamed_on_anybody():
    found = find(Simulated([]))
    assert (found.status, found.families) == (Status.SUSPECT, ())
    assert find(Simulated([], broke=True)).status is Status.FRAMEWORK


def test_more_faults_than_are_tried_in_sets_are_found_by_halving():
    found = find(Simulated([frozenset("abcd")]), max_size=3)
    assert (found.status, found.families) == (Status.ATTRIBUTED, (frozenset("abcd"),))


def test_a_search_that_is_cut_says_how_far_it_came():
    found = find(Simulated([frozenset("abcd")]), budget=9)
    assert (found.status, found.complete, found.spent) == (Status.UNREPAIRED, False, True)
    # One plain replay, the six single steps, one with all six repaired, and a pair.
    assert (found.replays, found.tried, found.all_helps) == (9, 8, None)
    early = find(Simulated([frozenset("abcd")]), budget=3)
    assert (early.tried, early.spent, early.all_helps) == (2, True, None)


def test_a_search_that_ran_to_its_end_is_not_spent():
    episode = Simulated([frozenset(("a", "b", "never recorded"))])
    episode.steps = STEPS

    async def replay(repair):
        run = await episode(repair)
        return Rerun(True, steps=run.steps) if repair.all_but and not repair.situations else run

    found = asyncio.run(search(episode.rerun(frozenset()), replay))
    assert (found.status, found.spent, found.halved, found.all_helps) == (
        *(Status.UNREPAIRED, False, False),
        True,
    )


def test_many_steps_that_all_repaired_do_not_help():
    steps = tuple("abcdefghijklmn")
    episode = Simulated([frozenset((*steps, "hidden"))], steps=(*steps, "hidden"))
    episode.hidden = {"hidden": "never"}
    found = find(episode)
    assert (found.status, found.halved, found.spent) == (Status.UNREPAIRED, True, False)
