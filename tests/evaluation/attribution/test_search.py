import asyncio

from hypothesis import given
from hypothesis import strategies as st

from ossia_evaluation.attribution import Rerun, Status, minimal, search

STEPS = tuple("abcdef")
FAMILIES = st.lists(
    st.frozensets(st.sampled_from(STEPS), min_size=1, max_size=3), min_size=1, max_size=3
)


class Simulated:
    """An episode in which a repair helps when it holds one of some sets."""

    def __init__(self, families, steps=STEPS, *, hidden=None, broke=False):
        self.families = families
        self.steps = steps
        self.hidden = hidden or {}
        self.broke = broke
        self.asked = []

    def rerun(self, repaired):
        seen = [s for s in self.steps if s not in self.hidden or self.hidden[s] in repaired]
        return Rerun(
            success=any(family <= repaired for family in self.families),
            deviations=tuple(s for s in seen if s not in repaired),
            broke=self.broke,
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


def test_one_deviation_that_is_the_cause_costs_two_replays():
    found = find(Simulated([frozenset("a")], steps=("a",)))
    assert found.replays == 2
    assert found.decisive == "a"


def test_steps_that_a_repair_brings_to_light_are_candidates():
    episode = Simulated([frozenset("ab")], steps=("a", "b"), hidden={"b": "a"})
    assert find(episode).families == (frozenset("ab"),)


def test_a_plain_replay_that_succeeds_is_flaky():
    assert find(Simulated([frozenset()])).status is Status.FLAKY


def test_a_failure_that_no_repair_mends_is_not_blamed_on_anybody():
    found = find(Simulated([]))
    assert (found.status, found.families) == (Status.SUSPECT, ())
    assert find(Simulated([], broke=True)).status is Status.FRAMEWORK


def test_more_faults_than_are_searched_stay_unrepaired():
    found = find(Simulated([frozenset("abcd")]), max_size=3)
    assert (found.status, found.families) == (Status.UNREPAIRED, ())


def test_a_search_that_is_cut_says_how_far_it_came():
    found = find(Simulated([frozenset("abcd")]), budget=9)
    assert (found.status, found.complete, found.spent) == (Status.UNREPAIRED, False, True)
    # One plain replay, the six single steps, one with everything repaired, and a pair.
    assert (found.replays, found.tried, found.all_helps) == (9, 7, True)
    early = find(Simulated([frozenset("abcd")]), budget=3)
    assert (early.tried, early.spent, early.all_helps) == (2, True, None)


def test_a_search_that_ran_to_its_end_is_not_spent():
    found = find(Simulated([frozenset("abcd")]))
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
