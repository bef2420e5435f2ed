"""Scoring gold plans: both sides do the same work, and a difference breaks the line."""

import benchmarks.worfbench as measured
from benchmarks.worfbench import worfbench
from benchmarks.worfbench_published import PublishedWay
from ossia_evaluation.worfbench.measures.embedding import HashedWords
from ossia_evaluation.worfbench.measures.oracle import matrix_of
from ossia_evaluation.worfbench.plan import Plan
from tests.evaluation.worfbench.support import ORACLE, cases, needs_data, plan


def test_plans_at_random_are_scored_alike_and_not_called_published(monkeypatch):
    table = worfbench(quick=True)
    assert [row.broken for row in table.rows] == [None] * 4
    assert table.rows[0].goal is not None and "drawn at random" in table.notes[0]
    monkeypatch.setattr(measured, "_our_scores", lambda plans, alike: [(0.0, 0.0)] * len(plans))
    assert "scores differ" in worfbench(quick=True).rows[0].broken


class Recorded(PublishedWay):
    """The published way with the similarities of a recorded case."""

    def __init__(self, case):
        super().__init__(HashedWords())
        self._case = case

    def _embed(self, texts):
        self.calls += 1
        sides = self._case["pred"]["nodes"], self._case["gold"]["nodes"]
        return Side([sides[(self.calls + 1) % 2].index(text) for text in texts], self._case)


class Side:
    """Stands for vectors: the product of two sides is what was recorded."""

    def __init__(self, places, case):
        self.places, self._case = places, case

    def astype(self, kind):
        return self

    @property
    def T(self):
        return self

    def __matmul__(self, other):
        sides = self._case["pred"]["nodes"], self._case["gold"]["nodes"]
        whole = matrix_of(self._case["sim"], *map(len, sides))
        return whole[self.places][:, other.places]


@needs_data
def test_the_published_way_gives_what_was_recorded():
    compared = 0
    for case in cases(ORACLE):
        ours, gold = plan(case["pred"]), plan(case["gold"])
        if not _all_differ(ours) or not _all_differ(gold) or len(ours.tasks) == 0:
            continue
        compared += 1
        way = Recorded(case)
        assert way.chain(ours, gold) == case["ref"]["node"]["f1_score"]
        assert way.graph(ours, gold) == case["ref"]["graph"]["f1_score"]
    assert compared > 130


def _all_differ(one: Plan) -> bool:
    return len(set(one.nodes)) == len(one.nodes)
