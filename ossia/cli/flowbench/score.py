"""`ossia score flowbench`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Final

import orjson
import typer
from rich.text import Text

from ossia.cli import options
from ossia.cli.told import make_console, say
from ossia.errors import UserError
from ossia_evaluation.flowbench.measures.corrected import Tally
from ossia_evaluation.flowbench.measures.files import FlowBenchError, read_samples
from ossia_evaluation.flowbench.measures.oracle import CaseResult, check_oracle
from ossia_evaluation.flowbench.measures.published_turns import Turns
from ossia_evaluation.flowbench.measures.scoring import (
    CRASH,
    Beside,
    Scored,
    beside,
    percent,
    score_predictions,
)
from ossia_evaluation.report.word_table import word_table
from ossia_evaluation.words import counted

_COLUMNS: Final = {
    "calls": "published calls",
    "true_calls": "corrected calls",
    "in_order": "corrected in order",
    "parameters": "published parameters",
    "true_parameters": "corrected parameters",
    "success": "published success",
    "true_success": "corrected success",
}

_FIGURES: Final = ("precision", "recall", "F1")


def score_command(
    predictions: Annotated[
        Path | None,
        typer.Argument(
            help="Predictions of single turns as published: JSON Lines of id, messages, gt_thought"
            " and predict."
        ),
    ] = None,
    oracle: Annotated[
        Path | None,
        typer.Option(
            help="Recorded cases with what the published code made of them; a difference is an"
            " error."
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Score turns of FlowBench by two measures.

    The published one and the corrected one. With --oracle, check recorded cases instead, and show
    where the two differ.
    """
    if (predictions is None) == (oracle is None):
        raise UserError("give either predictions or a file with --oracle")
    try:
        if oracle is not None:
            _check(list(check_oracle(oracle)), as_json=json)
        elif predictions is not None:
            _score(score_predictions(read_samples(predictions)), as_json=json)
    except FlowBenchError as error:
        raise UserError(str(error)) from None


def _check(results: Sequence[CaseResult], *, as_json: bool) -> None:
    equal = [result for result in results if result.outcome == "equal"]
    others = [result for result in results if result.outcome != "equal"]
    parting = {
        result.name: found
        for result in equal
        if result.case is not None and (found := beside(result.case)) is not None and found.parts
    }
    if as_json:
        told = {
            "cases": len(results),
            "equal": len(equal),
            "not_equal": [
                {"case": result.name, "outcome": result.outcome, "reason": result.reason}
                for result in others
            ],
            "parting": parting,
        }
        say(orjson.dumps(told, option=orjson.OPT_INDENT_2).decode())
    else:
        for result in others:
            say(" ".join(f"{result.name}: {result.outcome}: {result.reason}".split()))
        if parting:
            _show_parting(parting)
        say(f"{len(equal)} of {len(results)} equal")
    if others:
        raise typer.Exit(1)


def _show_parting(parting: dict[str, Beside]) -> None:
    table = word_table("where the measures differ", *_COLUMNS.values())
    for name, found in parting.items():
        table.add_row(Text(name), *(getattr(found, column) for column in _COLUMNS))
    make_console().print(table)
    say("F1 in %; published as shipped; corrected with the recorded judge's clear words")


def _score(found: Scored, *, as_json: bool) -> None:
    if as_json:
        say(orjson.dumps(found, option=orjson.OPT_INDENT_2).decode())
        return
    heads = (f"{what} {figure}" for what in ("calls", "parameters") for figure in _FIGURES)
    table = word_table("measure", *heads)
    table.add_row("published, a judge that says no", *_published(found.strictest))
    table.add_row("published, a judge that says yes", *_published(found.mildest))
    both = (found.corrected.calls, found.corrected.parameters)
    table.add_row("corrected", *(cell for tally in both for cell in _cells(tally)))
    make_console().print(table)
    for crash in dict.fromkeys((found.strictest.crash, found.mildest.crash)):
        if crash is not None:
            say(f"the published code ends with an error: {crash}")
    for name in found.bad_gold:
        say(f"{name}: bad gold: parameters that are not a JSON object; not corrected")
    say(
        f"{counted(found.turns, 'turn')}, {found.failed} failed;"
        f" the judge is asked {counted(found.asked, 'time')}"
    )


def _published(found: Turns) -> Iterator[str]:
    figures = found.figures
    if figures is None:
        yield from [CRASH] * 6
        return
    yield from map(percent, (figures.call_pre, figures.call_rec, figures.call_f1))
    yield from map(percent, (figures.param_pre, figures.param_rec, figures.param_f1))


def _cells(found: Tally) -> Iterator[str]:
    return map(percent, (found.precision, found.recall, found.f1))
