"""Recorded cases with the published evaluator's scores: are ours equal?"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from ossia_evaluation.worfbench.measures.matching import THRESHOLD, Matrix
from ossia_evaluation.worfbench.measures.published import ZERO, Score, Unscored, chain, graph
from ossia_evaluation.worfbench.plan import Plan, PlanError, bytes_of, parse_published

__all__ = ["TOLERANCE", "CaseResult", "Outcome", "check_case", "check_oracle", "matrix_of"]

TOLERANCE: Final = 1e-9

_FIGURES: Final = (("precision", "precision"), ("recall", "recall"), ("f1_score", "f1"))

Outcome = Literal["equal", "different", "refused"]


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What became of one recorded case.

    Attributes:
        case: Its id, or its line.
        outcome: Whether it is equal; a case that cannot be read is refused.
        reason: What differs, or why it was refused.
        plan: The gold plan; None of a refused case.
    """

    case: str
    outcome: Outcome
    reason: str = ""
    plan: Plan | None = None


class _Given(BaseModel):
    """Of foreign files what is needed is read, and the rest passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class _Graph(_Given):
    nodes: list[str]
    edges: list[tuple[int, int]]


class _Detail(_Given):
    chain_unique: bool = True
    graph_unique: bool = True
    chain_f1_range: tuple[float, float] | None = None
    graph_f1_range: tuple[float, float] | None = None


class _Case(_Detail):
    id: str | int | None = None
    case: str | int | None = None
    threshold: float = THRESHOLD
    threshold_op: Literal[">"] = ">"
    gold: _Graph | None = None
    pred: _Graph | None = None
    gold_n: int | None = Field(default=None, ge=0)
    pred_n: int | None = Field(default=None, ge=0)
    gold_edges: list[tuple[int, int]] | None = None
    pred_edges: list[tuple[int, int]] | None = None
    text: str | None = None
    parsed: _Graph | list[JsonValue] | None = None
    pred_text: str | None = None
    pred_text_reparses: bool = False
    sim: list[list[float]] | None = None
    ref: dict[str, JsonValue]
    ref_detail: _Detail | None = None


def check_oracle(path: Path) -> Iterator[CaseResult]:
    """Yield what became of every case of a JSON Lines file.

    Raises:
        PlanError: the file cannot be read, or holds no case.
    """
    found = False
    for number, line in enumerate(bytes_of(path).split(b"\n"), 1):
        if line.strip():
            found = True
            yield check_case(line, f"line {number}")
    if not found:
        raise PlanError(f"{path}: contains no case")


def check_case(line: bytes, name: str) -> CaseResult:
    """Score a recorded case and compare.

    Args:
        line: The case as JSON.
        name: What to call it where it has no id.
    """
    try:
        case = _Case.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        return CaseResult(name, "refused", f"{place or 'the case'}: {first['msg']}")
    name = str(case.id if case.id is not None else case.case if case.case is not None else name)
    try:
        gold, predicted = _plans(case)
        if predicted is None:
            ours: tuple[Score | Unscored, Score | Unscored] = (ZERO, ZERO)
        else:
            sim = matrix_of(case.sim, len(predicted.nodes), len(gold.nodes))
            scored = (predicted, gold, sim, case.threshold)
            ours = chain(*scored), graph(*scored)
        differences = [*_parsing(case, predicted), *_differences(case, *ours)]
    except PlanError as error:
        return CaseResult(name, "refused", str(error))
    outcome: Outcome = "different" if differences else "equal"
    return CaseResult(name, outcome, "; ".join(differences), gold)


def matrix_of(rows: Sequence[Sequence[float]] | None, predicted: int, gold: int) -> Matrix:
    """Return recorded similarities as the published evaluator takes them: none is less than 0.

    Raises:
        PlanError: the matrix does not fit the plans, or has something else than numbers.
    """
    if rows is None:
        raise PlanError("there are no similarities (sim)")
    widths = {len(row) for row in rows}
    if len(rows) != predicted or (rows and widths != {gold}):
        shown = "ragged" if len(widths) > 1 else f"{len(rows)} x {next(iter(widths), 0)}"
        raise PlanError(
            f"the similarities are {shown}; {predicted} predicted and {gold} gold nodes need"
            f" {predicted} x {gold}"
        )
    try:
        made = np.asarray(rows, dtype=np.float64).reshape(predicted, gold)
    except OverflowError:
        raise PlanError("the similarities hold a value that is too large") from None
    if not np.isfinite(made).all():
        raise PlanError("the similarities hold a value that is not a finite number")
    return np.maximum(made, 0.0)


def _plans(case: _Case) -> tuple[Plan, Plan | None]:
    """The gold plan and the prediction, which is None where its text holds no plan."""
    gold = _plan("gold", case.gold, case.gold_n, case.gold_edges)
    if case.text is not None:
        predicted = parse_published(case.text)
        if predicted is not None:
            predicted.require_size()
        return gold, predicted
    return gold, _plan("pred", case.pred, case.pred_n, case.pred_edges)


def _plan(
    side: str,
    whole: _Graph | None,
    count: int | None,
    edges: Sequence[tuple[int, int]] | None,
) -> Plan:
    if whole is not None:
        made = Plan(tuple(whole.nodes), tuple(whole.edges))
    elif count is not None and edges is not None:
        # The count alone, before nodes are made of it.
        Plan(("",) * min(count, 10_000), ()).require_size()
        made = Plan.counted(count, edges)
    else:
        raise PlanError(f"neither {side} nor {side}_n with {side}_edges is given")
    made.require_size()
    if any(place < 0 for edge in made.edges for place in edge):
        raise PlanError(f"an edge of {side} has a negative position")
    return made


def _parsing(case: _Case, predicted: Plan | None) -> Iterator[str]:
    """Whether a text was read as recorded."""
    if case.text is not None and "parsed" in case.model_fields_set:
        theirs = case.parsed
        recorded = _as_plan(theirs) if isinstance(theirs, _Graph) else None
        if recorded != predicted:
            yield "the text is read as another plan"
    elif (
        case.pred_text is not None
        and case.pred_text_reparses
        and parse_published(case.pred_text) != predicted
    ):
        yield "the text is read as another plan"


def _as_plan(graph: _Graph) -> Plan:
    return Plan(tuple(graph.nodes), tuple(graph.edges))


def _differences(
    case: _Case, chained: Score | Unscored, graphed: Score | Unscored
) -> Iterator[str]:
    detail = case.ref_detail or case
    recorded_chain = case.ref.get("node", case.ref.get("chain"))
    recorded_graph = case.ref.get("graph")
    if recorded_chain is None and recorded_graph is None:
        raise PlanError("ref has neither node nor graph")
    if recorded_chain is not None:
        ends = None if detail.chain_unique else detail.chain_f1_range
        yield from _difference("chain", chained, recorded_chain, ends)
    if recorded_graph is not None:
        ends = None if detail.graph_unique else detail.graph_f1_range
        yield from _difference("graph", graphed, recorded_graph, ends)


def _difference(
    measure: str, ours: Score | Unscored, theirs: Any, ends: tuple[float, float] | None
) -> Iterator[str]:
    if isinstance(theirs, int | float):
        theirs = {"f1_score": theirs}
    if not isinstance(theirs, dict):
        raise PlanError(f"the recorded {measure} is not a score")
    if "crash" in theirs or isinstance(ours, Unscored):
        if "crash" not in theirs:
            yield f"{measure}: unscored ({getattr(ours, 'reason', '')}), recorded is a score"
        elif not isinstance(ours, Unscored):
            yield f"{measure}: {ours.f1:.12g}, recorded is a crash"
        return
    if ends is not None:
        if not ends[0] - TOLERANCE <= ours.f1 <= ends[1] + TOLERANCE:
            yield f"{measure} F1: {ours.f1:.12g}, recorded is {ends[0]:.12g} to {ends[1]:.12g}"
        return
    compared = [(key, name) for key, name in _FIGURES if key in theirs]
    if not compared:
        raise PlanError(f"the recorded {measure} has no figure")
    for key, name in compared:
        value, mine = theirs[key], getattr(ours, name)
        # Compared, as a whole number may be too large to be asked whether it is finite.
        if not isinstance(value, int | float) or not abs(value) <= sys.float_info.max:
            raise PlanError(f"the recorded {measure} {key} is not a number")
        if abs(value - mine) > TOLERANCE:
            yield f"{measure} {name}: {mine:.12g}, recorded is {value:.12g}"
