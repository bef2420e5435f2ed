"""WorFBench: both measures against the published way of scoring, on the gold plans."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random

import numpy as np

from benchmarks.measure import Spread, cpu_seconds, ratios
from benchmarks.tables import Goal, Row, Table
from benchmarks.worfbench_published import PublishedWay
from ossia_dataset.worfbench import read_worfbench
from ossia_evaluation.worfbench.measures.corrected import corrected, steps_of_plan
from ossia_evaluation.worfbench.measures.embedding import (
    Embedder,
    HashedWords,
    Similarities,
    Vectors,
)
from ossia_evaluation.worfbench.measures.published import Score, chain, graph
from ossia_evaluation.worfbench.plan import END, START, Plan, parse_published

__all__ = ["worfbench"]

GOAL = 10.0
TOLERANCE = 1e-9
GENERATED = 200

_PUBLISHED = "The published golds, each as its own prediction."
_STAND_IN = (
    "Plans drawn at random, each as its own prediction, since no published golds were named"
    " (`--worfbench-data`)."
)
_HOW = (
    "The published way is an equivalent of the published evaluator: it embeds both lists anew for"
    " each pairing, where ours embeds each text once. Both use the built-in embedder, which is far"
    " quicker than the published one, so that with that one the ratio is higher. Without"
    " embedding, vectors are looked up. CPU seconds of one process, in turns; all scores are"
    " compared."
)

_Scores = list[tuple[float, float]]


class _Kept:
    """Vectors that were made before: embedding as if it took nothing."""

    name = "kept"
    comparable = False

    def __init__(self, rows: Mapping[str, Vectors]) -> None:
        self._rows = rows

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self._rows[text] for text in texts])


def worfbench(*, quick: bool, data: Path | None = None) -> Table:
    """Measure scoring by both measures.

    Args:
        quick: One round, for a first look.
        data: The published golds; plans drawn at random stand in when left out.

    Returns:
        The table.

    Raises:
        WorFBenchError: The published golds cannot be read.
    """
    plans = _generated() if data is None else _published(data)
    texts = list(dict.fromkeys(text for plan in plans for text in plan.nodes))
    kept = _Kept(dict(zip(texts, HashedWords().embed(texts), strict=True)))
    rounds = 1 if quick else 3
    rows = [
        *_rows(plans, HashedWords(), rounds, "with embedding", goal=GOAL),
        *_rows(plans, kept, rounds, "without", goal=None),
    ]
    return Table(
        "WorFBench: scoring gold plans",
        (
            "measure",
            "plans",
            "texts embedded",
            "their embedding calls",
            "CPU s",
            "CPU s published way",
            "ratio",
        ),
        tuple(rows),
        (_STAND_IN if data is None else _PUBLISHED, _HOW),
    )


def _rows(
    plans: Sequence[Plan], embedder: Embedder, rounds: int, named: str, *, goal: float | None
) -> Iterator[Row]:
    """A line for each measure, ours and theirs in turns."""
    theirs, published, right = [], [], []
    wrong: str | None = None
    for _ in range(rounds):
        way = PublishedWay(embedder)
        seconds, expected = _timed(partial(_their_scores, plans, way))
        theirs.append(seconds)
        seconds, found = _timed(partial(_our_scores, plans, Similarities(embedder)))
        published.append(seconds)
        wrong = wrong or _differing(found, expected)
        right.append(_timed(partial(_right_scores, plans, Similarities(embedder)))[0])
    texts = len({text for plan in plans for text in plan.nodes})
    for measure, ours in (("published", published), ("corrected", right)):
        ratio = ratios(theirs, ours)
        cells = (
            f"{measure}, {named}",
            *(str(count) for count in (len(plans), texts, way.calls)),
            Spread.of(ours).text(2),
            Spread.of(theirs).text(2),
            ratio.text(1),
        )
        yield Row(cells, None if goal is None else Goal(ratio.median, goal, "more"), wrong)


def _timed(score: Callable[[], _Scores]) -> tuple[float, _Scores]:
    started = cpu_seconds([os.getpid()])
    found = score()
    return cpu_seconds([os.getpid()]) - started, found


def _their_scores(plans: Sequence[Plan], way: PublishedWay) -> _Scores:
    return [(way.chain(plan, plan), way.graph(plan, plan)) for plan in plans]


def _our_scores(plans: Sequence[Plan], alike: Similarities) -> _Scores:
    alike.learn([text for plan in plans for text in plan.nodes])
    scores = []
    for plan in plans:
        matrix = alike.matrix(plan.nodes, plan.nodes)
        both = chain(plan, plan, matrix), graph(plan, plan, matrix)
        scores.append(tuple(one.f1 if isinstance(one, Score) else -1.0 for one in both))
    return [(one, other) for one, other in scores]


def _right_scores(plans: Sequence[Plan], alike: Similarities) -> _Scores:
    alike.learn([text for plan in plans for text in plan.nodes])
    scores = []
    for plan in plans:
        steps = steps_of_plan(plan)
        found = corrected(steps, steps_of_plan(plan), alike.matrix(steps.texts, steps.texts))
        scores.append((found.chain.f1, found.graph))
    return scores


def _differing(ours: _Scores, theirs: _Scores) -> str | None:
    count = sum(
        abs(mine - other) > TOLERANCE
        for pair, expected in zip(ours, theirs, strict=True)
        for mine, other in zip(pair, expected, strict=True)
    )
    return f"{count} scores differ from the published way" if count else None


def _published(data: Path) -> list[Plan]:
    read = (parse_published(gold.workflow) for gold in read_worfbench(data))
    return [plan for plan in read if plan is not None]


def _generated() -> list[Plan]:
    """Plans of 1 to 8 steps, mostly chains, of words drawn at random."""
    random = Random(1)
    words = ["find", "take", "clean", "open", "the", "red", "pan", "book", "mail", "list", "note"]
    made = []
    for _ in range(GENERATED):
        count = random.randint(1, 8)
        steps = [" ".join(random.choices(words, k=6)) for _ in range(count)]
        edges = [(random.randint(max(0, at - 2), at - 1), at) for at in range(1, count + 1)]
        inner = {one for one, _ in edges}
        ends = [(at, count + 1) for at in range(1, count + 1) if at not in inner]
        made.append(Plan((START, *steps, END), (*edges, *ends)))
    return made
