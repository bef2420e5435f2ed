"""Scoring workflow graphs, and what is shown of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import orjson
import typer
from rich.console import RenderableType
from rich.text import Text

from ossia.cli.told import make_console, say
from ossia.errors import UserError
from ossia_dataset.files import write_whole
from ossia_evaluation.csv_text import csv_text
from ossia_evaluation.report.word_table import WordTable, word_table
from ossia_evaluation.words import counted
from ossia_evaluation.worfbench.measures.embedding import (
    Embedder,
    EmbedderError,
    HashedWords,
    KeptVectors,
    SentenceModel,
    Similarities,
)
from ossia_evaluation.worfbench.measures.files import (
    Written,
    read_golds,
    read_plans,
    read_similarities,
)
from ossia_evaluation.worfbench.measures.oracle import check_oracle
from ossia_evaluation.worfbench.measures.quality import Defect, defects
from ossia_evaluation.worfbench.measures.scores import Floor, Means, floors, judge_variant, means
from ossia_evaluation.worfbench.measures.scoring import (
    CaseScore,
    Recorded,
    Result,
    Status,
    score_plans,
)
from ossia_evaluation.worfbench.measures.variants import VARIANTS
from ossia_evaluation.worfbench.plan import Plan, PlanError

_LISTED: Final = 20
"""Most plans that are told one by one."""

_SENTENCES: Final = "sentence-transformers"

_COLUMNS: Final = (
    ("chain", "chain"),
    ("graph", "graph"),
    ("nodes", "nodes"),
    ("true_chain", "chain"),
    ("precedence", "precedence"),
    ("true_graph", "graph"),
)
"""The measures, two published and four corrected, and their heads."""

_LEGEND: Final = Text(
    "The published measure compares edges by position and counts START and END; the corrected one"
    " compares what comes before what."
)


def alike(
    embedder: str, embeddings: Path | None, similarities: Path | None
) -> Similarities | Recorded:
    """Return what texts are compared by.

    Raises:
        UserError: there is no such embedder, or a file cannot be read.
    """
    try:
        if similarities is not None:
            return read_similarities(similarities)
        made = _embedder(embedder)
        return Similarities(made, None if embeddings is None else KeptVectors(embeddings, made))
    except (PlanError, EmbedderError) as error:
        raise UserError(str(error)) from None


def score(
    predictions: Path,
    gold: Path,
    compared: Similarities | Recorded,
    *,
    plans_csv: Path | None,
    as_json: bool,
) -> None:
    """Score predictions and show what they get.

    Raises:
        UserError: a file cannot be read, or nothing can be scored.
    """
    try:
        result = score_plans(read_golds(gold), read_plans(predictions), compared)
    except (PlanError, EmbedderError) as error:
        raise UserError(str(error)) from None
    if plans_csv is not None:
        write_whole(plans_csv, _csv(result.cases))
    if as_json:
        say(orjson.dumps(result, option=orjson.OPT_INDENT_2).decode())
    else:
        _show(result)


def check(oracle: Path, *, as_json: bool) -> None:
    """Check recorded cases; the exit code is 1 where one is not equal.

    Raises:
        UserError: the file cannot be read.
    """
    try:
        results = list(check_oracle(oracle))
    except PlanError as error:
        raise UserError(str(error)) from None
    equal = sum(result.outcome == "equal" for result in results)
    golds = [result.plan for result in results if result.plan is not None]
    beside = floors(golds) if golds else ()
    if as_json:
        told = {
            "cases": len(results),
            "equal": equal,
            "not_equal": [
                {"case": result.case, "outcome": result.outcome, "reason": result.reason}
                for result in results
                if result.outcome != "equal"
            ],
            "floors": beside,
        }
        say(orjson.dumps(told, option=orjson.OPT_INDENT_2).decode())
    else:
        _tell(
            f"{result.case}: {result.outcome}: {result.reason}"
            for result in results
            if result.outcome != "equal"
        )
        if beside:
            table = _table("plans without a model")
            for floor in beside:
                table.add_row(floor.name, *_cells(floor.means))
            _print([table, _LEGEND])
        say(f"{equal} of {len(results)} equal")
    if equal != len(results):
        raise typer.Exit(1)


def variants(gold: Path, *, as_json: bool) -> None:
    """Print what each measure says of changed gold plans.

    Raises:
        UserError: no gold plan can be read.
    """
    try:
        golds = read_golds(gold)
    except PlanError as error:
        raise UserError(str(error)) from None
    plans = [plan for written in golds if (plan := _sound(gold, written)) is not None]
    if not plans:
        raise UserError(f"{gold}: no gold plan can be read")
    found = []
    perfect = {}
    for name in VARIANTS:
        judged = [judge_variant(name, plan) for plan in plans]
        found.append(Floor(name, means(judged)))
        perfect[name] = sum(getattr(graph, "f1", 0.0) == 1.0 for _, graph, _ in judged)
    flawed = Counter(defect for written in golds for defect in defects(written))
    if as_json:
        made = [
            {"name": one.name, "perfect": perfect[one.name], **_row(one.means)} for one in found
        ]
        told = {"plans": len(plans), "defects": flawed, "variants": made}
        say(orjson.dumps(told, option=orjson.OPT_INDENT_2).decode())
        return
    table = _table("plan", "published graph at 100")
    for one in found:
        table.add_row(one.name, str(perfect[one.name]), *_cells(one.means))
    _print([Text(f"{len(plans)} gold plans, mean F1 in %"), table, _LEGEND])
    if flawed:
        counts = ", ".join(f"{defect} {flawed[defect]}" for defect in Defect if flawed[defect])
        say(f"defects of gold plans: {counts}")


def _sound(file: Path, gold: Written) -> Plan | None:
    plan = gold.published()
    try:
        if plan is not None:
            plan.require_size()
    except PlanError as error:
        raise UserError(f"{file}: {gold.id or 'a gold plan'} {error}") from None
    return plan


def _embedder(name: str) -> Embedder:
    kind, _, model = name.partition(":")
    if name == HashedWords.name:
        return HashedWords()
    if kind == _SENTENCES:
        return SentenceModel(model) if model else SentenceModel()
    raise UserError(
        f"there is no embedder {name}; there are {HashedWords.name} and {_SENTENCES}[:MODEL]"
    )


def _show(result: Result) -> None:
    table = _table("plans", "count")
    sources = [source for source in result.by_source if source]
    for source in sources if len(sources) > 1 else ():
        count = sum(case.counts and case.source == source for case in result.cases)
        table.add_row(Text(source), str(count), *_cells(result.by_source[source]))
    table.add_row("all", str(result.counted), *_cells(result.means))
    for floor in result.floors:
        table.add_row(floor.name, str(result.counted), *_cells(floor.means))
    head = f"mean F1 in %; texts compared by {result.similarities}"
    if not result.comparable:
        head += ", so not comparable with published figures"
    _print([Text(head), table, _LEGEND])
    _tell(
        f"{case.id}: {case.status}: {case.reason}"
        for case in result.cases
        if case.status is not Status.SCORED or case.reason
    )
    counts = {status: sum(case.status is status for case in result.cases) for status in Status}
    say(", ".join(f"{count} {status}" for status, count in counts.items() if count))
    say(f"{counted(result.embedded, 'text')} embedded")


def _tell(lines: Iterator[str]) -> None:
    told = list(lines)
    for line in told[:_LISTED]:
        say(" ".join(line.split()))
    if len(told) > _LISTED:
        say(f"... and {len(told) - _LISTED} more; --json lists all")


def _table(*lead: str) -> WordTable:
    heads = (
        f"{'published' if at < 2 else 'corrected'} {head}" for at, (_, head) in enumerate(_COLUMNS)
    )
    return word_table(*lead, *heads)


def _row(found: Means) -> dict[str, float]:
    return {name: getattr(found, name) for name, _ in _COLUMNS}


def _cells(found: Means) -> Iterator[str]:
    return (f"{100 * value:.1f}" for value in _row(found).values())


def _print(parts: Sequence[RenderableType]) -> None:
    out = make_console()
    for part in parts:
        out.print(part)


def _csv(cases: Sequence[CaseScore]) -> str:
    plain = ("id", "source", "status", "reason")
    return csv_text((*plain, *(name for name, _ in _COLUMNS)), map(_csv_cells, cases))


def _csv_cells(case: CaseScore) -> tuple[object, ...]:
    right = case.corrected
    return (
        case.id,
        case.source,
        case.status,
        case.reason,
        "" if case.chain is None else case.chain.f1,
        "" if case.graph is None else case.graph.f1,
        *(
            ("", "", "", "")
            if right is None
            else (right.nodes.f1, right.chain.f1, right.precedence.f1, right.graph)
        ),
    )
