"""Predictions against golds: what each gets, and what becomes of those that cannot be read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import networkx as nx
import numpy as np

from ossia_evaluation.worfbench.measures.corrected import (
    Corrected,
    corrected,
    steps_of,
    steps_of_plan,
)
from ossia_evaluation.worfbench.measures.embedding import Similarities
from ossia_evaluation.worfbench.measures.files import Written
from ossia_evaluation.worfbench.measures.oracle import matrix_of
from ossia_evaluation.worfbench.measures.published import Score, Unscored, chain, graph
from ossia_evaluation.worfbench.measures.scores import Floor, Means, floors, means
from ossia_evaluation.worfbench.plan import Plan, PlanError

__all__ = ["CaseScore", "Result", "Status", "score_plans"]


class Status(StrEnum):
    """What became of one prediction."""

    SCORED = "scored"
    UNPARSED = "unparsed"
    """The published parser finds no plan; it counts 0 there."""
    UNSCORED = "unscored"
    """The published evaluator ends with an error on it; it counts 0."""
    MISSING = "missing"
    """There is no prediction for a gold plan; it counts 0."""
    REFUSED = "refused"
    """It is malformed or too large; it counts 0."""
    BAD_GOLD = "bad gold"
    """The gold plan is at fault, so nothing is counted."""
    UNKNOWN = "unknown"
    """No gold plan has this id, so nothing is counted."""


@dataclass(frozen=True, slots=True)
class CaseScore:
    """What one prediction gets.

    Attributes:
        id: The task's id, or its place.
        source: What the task was taken from.
        status: What became of it.
        reason: Why it was not scored, or why the corrected measure gives it nothing.
        chain: The published measure of its chain; None where there is none.
        graph: The published measure of its graph; None where there is none.
        corrected: The corrected measure; None where there is none, which counts 0.
    """

    id: str
    source: str
    status: Status
    reason: str = ""
    chain: Score | None = None
    graph: Score | None = None
    corrected: Corrected | None = None

    @property
    def counts(self) -> bool:
        """Whether it is among those that the means are of."""
        return self.status not in (Status.BAD_GOLD, Status.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Result:
    """What all predictions get.

    Attributes:
        similarities: How texts were compared.
        comparable: Whether the figures may stand beside published ones.
        cases: Every prediction.
        means: Over all that count.
        by_source: Over those of one source.
        floors: What plans without a model get on the same golds.
        embedded: How many texts were embedded, each once.
    """

    similarities: str
    comparable: bool
    cases: tuple[CaseScore, ...]
    means: Means
    by_source: Mapping[str, Means]
    floors: tuple[Floor, ...]
    embedded: int

    @property
    def counted(self) -> int:
        """How many predictions the means are of."""
        return sum(case.counts for case in self.cases)


Recorded = Mapping[str, Sequence[Sequence[float]]]


def score_plans(
    golds: Sequence[Written], predictions: Sequence[Written], alike: Similarities | Recorded
) -> Result:
    """Score predictions.

    Args:
        golds: The gold plans.
        predictions: What was predicted, by the golds' ids; without ids, in the golds' order.
        alike: What makes similarities of texts, or recorded ones by id.

    Raises:
        PlanError: predictions without ids are not as many as golds, or nothing counts.
    """
    paired = list(_paired(golds, predictions))
    plans = [_published(gold) for _, gold, _ in paired]
    if isinstance(alike, Similarities):
        alike.learn([text for _, gold, ours in paired for text in _texts(gold, ours)])
    cases = tuple(
        _case(name, gold, plan, ours, alike)
        for (name, gold, ours), plan in zip(paired, plans, strict=True)
    )
    counted = [case for case in cases if case.counts]
    if not counted:
        raise PlanError(f"nothing can be scored; the first reason: {cases[0].reason}")
    sources = dict.fromkeys(case.source for case in counted)
    sound = [
        plan
        for case, plan in zip(cases, plans, strict=True)
        if case.counts and isinstance(plan, Plan)
    ]
    return Result(
        similarities=alike.embedder.name if isinstance(alike, Similarities) else "recorded",
        comparable=not isinstance(alike, Similarities) or alike.embedder.comparable,
        cases=cases,
        means=_means(counted),
        by_source={
            source: _means([case for case in counted if case.source == source])
            for source in sources
        },
        floors=floors(sound),
        embedded=alike.embedded if isinstance(alike, Similarities) else 0,
    )


def _paired(
    golds: Sequence[Written], predictions: Sequence[Written]
) -> Iterator[tuple[str, Written | None, Written | None]]:
    """Each gold plan with its prediction, and what has no gold plan."""
    if all(one.id is None for one in predictions) or all(one.id is None for one in golds):
        if len(golds) != len(predictions):
            raise PlanError(
                f"{len(predictions)} predictions without ids do not fit {len(golds)} gold plans"
            )
        for at, (gold, ours) in enumerate(zip(golds, predictions, strict=True), 1):
            yield gold.id or ours.id or f"plan {at}", gold, ours
        return
    by_id = {one.id: one for one in predictions if one.id is not None}
    known = {gold.id for gold in golds}
    for at, gold in enumerate(golds, 1):
        yield gold.id or f"gold {at}", gold, by_id.get(gold.id or "")
    for at, one in enumerate(predictions, 1):
        if one.id is None or one.id not in known:
            yield one.id or f"prediction {at}", None, one


def _published(gold: Written | None) -> Plan | str:
    """The gold plan, or why there is none."""
    if gold is None:
        return "no gold plan has this id"
    plan = gold.published()
    if plan is None:
        return f"the gold plan cannot be read: {gold.problem or 'no plan in the published form'}"
    try:
        plan.require_size()
    except PlanError as error:
        return f"the gold plan {error}"
    if not nx.is_directed_acyclic_graph(nx.DiGraph(plan.edges)):
        return "the gold plan has a cycle, so nothing is in its order"
    return plan


def _texts(*plans: Written | None) -> Iterator[str]:
    for plan in plans:
        if plan is not None and plan.is_there:
            read = plan.published()
            # What is too large is refused later; it shall not be embedded first.
            if read is not None and not _is_too_large(read):
                yield from read.nodes
            if plan.graph is not None:
                yield from (node.task for node in plan.graph.nodes)


def _is_too_large(plan: Plan) -> bool:
    try:
        plan.require_size()
    except PlanError:
        return True
    return False


def _case(
    name: str,
    gold: Written | None,
    plan: Plan | str,
    ours: Written | None,
    alike: Similarities | Recorded,
) -> CaseScore:
    source = (gold or ours or Written(None)).source
    if isinstance(plan, str) or gold is None:
        status = Status.UNKNOWN if gold is None else Status.BAD_GOLD
        return CaseScore(name, source, status, str(plan))
    if ours is None:
        return CaseScore(name, source, Status.MISSING, "there is no prediction")
    if not ours.is_there:
        return CaseScore(name, source, Status.REFUSED, ours.problem)
    predicted = ours.published()
    try:
        if predicted is not None:
            predicted.require_size()
            if not isinstance(alike, Similarities):
                return _by_record(name, source, predicted, plan, alike)
        elif not isinstance(alike, Similarities):
            return CaseScore(name, source, Status.UNPARSED, "the text holds no plan")
    except PlanError as error:
        return CaseScore(name, source, Status.REFUSED, str(error))
    right = _corrected(gold, plan, ours, alike)
    if predicted is None:
        reason = "the published parser finds no plan in the text"
        return CaseScore(name, source, Status.UNPARSED, reason, corrected=right)
    similar = alike.matrix(predicted.nodes, plan.nodes)
    scored = chain(predicted, plan, similar), graph(predicted, plan, similar)
    return _scored(name, source, *scored, right, ours.problem)


def _by_record(name: str, source: str, predicted: Plan, gold: Plan, alike: Recorded) -> CaseScore:
    """A plan by recorded similarities: of nodes as the published parser reads them."""
    similar = matrix_of(alike.get(name), len(predicted.nodes), len(gold.nodes))
    inner = similar[np.ix_(predicted.tasks, gold.tasks)]
    right = corrected(steps_of_plan(predicted), steps_of_plan(gold), inner)
    scored = chain(predicted, gold, similar), graph(predicted, gold, similar)
    return _scored(name, source, *scored, right, "")


def _corrected(gold: Written, plan: Plan, ours: Written, alike: Similarities) -> Corrected | None:
    if ours.graph is None:
        return None
    theirs = steps_of_plan(plan) if gold.graph is None else steps_of(gold.graph)
    steps = steps_of(ours.graph)
    return corrected(steps, theirs, alike.matrix(steps.texts, theirs.texts))


def _scored(
    name: str,
    source: str,
    chained: Score | Unscored,
    graphed: Score | Unscored,
    right: Corrected | None,
    problem: str,
) -> CaseScore:
    reasons = [one.reason for one in (chained, graphed) if isinstance(one, Unscored)]
    if problem and right is None:
        reasons.append(f"corrected measure: {problem}")
    unscored = isinstance(chained, Unscored) or isinstance(graphed, Unscored)
    return CaseScore(
        name,
        source,
        Status.UNSCORED if unscored else Status.SCORED,
        "; ".join(reasons),
        None if isinstance(chained, Unscored) else chained,
        None if isinstance(graphed, Unscored) else graphed,
        right,
    )


def _means(cases: Sequence[CaseScore]) -> Means:
    return means([(case.chain, case.graph, case.corrected) for case in cases])
