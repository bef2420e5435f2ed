"""`ossia show`: one episode, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from json import dumps, loads
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from ossia.attribution.shown_episode import stored_lines
from ossia.called import as_called
from ossia.cli import options
from ossia.cli.told import make_console, say
from ossia.errors import UserError
from ossia.run_plan import tasks_of
from ossia.runner.results import metrics_of
from ossia.runner.store import RunStore
from ossia_dataset.tasks import Task
from ossia_evaluation.asked import asked_by
from ossia_evaluation.grade import Grade, Verdict
from ossia_evaluation.metrics import Metric
from ossia_evaluation.report.figures import UNKNOWN
from ossia_evaluation.rows import episode_row
from ossia_evaluation.steps import Step, read_steps
from ossia_servers.trace import Trace
from ossia_servers.worlds.records import ServerRequest

_TEXT_WIDTH = 400


def show_command(
    episode: Annotated[str, typer.Argument(help="An episode's id: framework.task.repeat.")],
    run: options.RunOption = None,
    full: Annotated[
        bool, typer.Option("--full", envvar="OSSIA_FULL", help="Do not shorten texts.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Print what is stored of an episode: its attribution, the trace step by step, its score.

    With --json the trace, and with it verdict, reason and metrics; the metrics are null where the
    task set has changed since.
    """
    folder = options.run_folder(run)
    with RunStore(folder) as store:
        trace, grade = store.trace(episode), store.score(episode)
        if json:
            say(_as_json(store, trace, grade))
            return
        config = store.config()
        task, metrics = tasks_of(config)[trace.episode.task], metrics_of(config.suite)
    stored = stored_lines(folder, task, trace, grade.faults)
    print_episode(make_console(), task, trace, grade, metrics, full=full, stored=stored)


def _as_json(store: RunStore, trace: Trace, grade: Grade) -> str:
    config = store.config()
    try:
        task = tasks_of(config)[trace.episode.task]
        metrics = episode_row(task, trace, grade, metrics_of(config.suite)).metrics
    except (UserError, ValueError):
        # What is stored is told all the same.
        metrics = None
    told = {"verdict": grade.verdict, "reason": grade.reason, "metrics": metrics}
    return dumps(loads(trace.model_dump_json()) | told, indent=2, ensure_ascii=False)


def print_episode(
    console: Console,
    task: Task,
    trace: Trace,
    grade: Grade,
    metrics: Sequence[Metric],
    *,
    full: bool = False,
    stored: Sequence[str] = (),
) -> None:
    """Print an episode: its attribution, its steps with the requests they made, and its score.

    Args:
        console: where to.
        task: its task.
        trace: what it did.
        grade: its verdict.
        metrics: what its suite tells beside the verdict.
        full: do not shorten texts.
        stored: what is stored of its attribution, as lines.
    """
    console.print(f"[bold]{escape(trace.episode.id)}[/bold]  {escape(repr(task.utterance))}")
    for line in stored:
        indent = line[: len(line) - len(line.lstrip())]
        _line(console, escape(indent + _shortened(as_called(line), full=full)))
    steps = read_steps(trace)
    asked = asked_by(steps, trace.requests)
    for step, requests in zip(steps, asked.by_step, strict=True):
        _step(console, step, full=full)
        _requests(console, requests, full=full)
    if asked.untold:
        console.print("requests that no step's call tells of:")
        _requests(console, asked.untold, full=full)
    for address in trace.refused_connections:
        _line(console, f"     [red]connection refused: {escape(address)}[/red]")
    _grade(console, trace, grade)
    _beside(console, task, trace, grade, metrics)


def _line(console: Console, markup: str) -> None:
    """Print a line whose continuation on a narrow terminal keeps its indent."""
    text = console.render_str(markup)
    indent = len(text.plain) - len(text.plain.lstrip())
    for part in text[indent:].wrap(console, max(1, console.width - indent)):
        part.rstrip()
        console.print(Text(" " * indent).append_text(part))


def _step(console: Console, step: Step, *, full: bool) -> None:
    said = "1 call" if len(step.exchanges) == 1 else f"{len(step.exchanges)} calls"
    tokens = sum(e.usage.total_tokens for e in step.exchanges if e.usage is not None)
    console.print(f"{step.index + 1:3}. [bold]{step.role}[/bold]  {said}, {tokens} tokens")
    for call in step.tool_calls:
        name, arguments = call.get("name", ""), call.get("arguments", "")
        _line(console, f"       tool {escape(str(name))}({escape(str(arguments))})")
    for exchange in step.exchanges:
        if exchange.error is not None:
            _line(console, f"       [red]{exchange.status}: {escape(exchange.error)}[/red]")
    if step.text:
        _line(console, f"       {escape(_shortened(step.text, full=full))}")


def _requests(console: Console, requests: Sequence[ServerRequest], *, full: bool) -> None:
    for request in requests:
        params = " ".join(f"{name}={value}" for name, value in request.params.items())
        _line(console, f"       {request.method} /{request.domain} {escape(params)}")
        said = _shortened(request.response, full=full)
        _line(console, f"         {request.status} {request.code}: {escape(said)}")


def _grade(console: Console, trace: Trace, grade: Grade) -> None:
    console.print(f"answer:  {escape(trace.answer) or UNKNOWN}")
    console.print(f"ending:  {trace.ending.kind} {escape(trace.ending.detail)}".rstrip())
    console.print(f"verdict: [bold]{grade.verdict}[/bold]: {escape(grade.reason)}")
    for line in grade.detail_lines(wanted=True):
        _line(console, f"  {escape(line)}")
    for fault in grade.faults:
        _line(
            console,
            f"  failed role, by the rules: [bold]{escape(fault.role)}[/bold]:"
            f" {escape(fault.reason)}",
        )


def _beside(
    console: Console, task: Task, trace: Trace, grade: Grade, metrics: Sequence[Metric]
) -> None:
    """Print what stands beside the verdict and never decides it."""
    valid = grade.verdict is not Verdict.INVALID
    for metric in metrics:
        said, *lines = metric.told(task, trace, grade) if valid else (UNKNOWN,)
        console.print(f"{escape(metric.title)}: {escape(said)}")
        for line in lines:
            console.print(f"  {escape(line)}")


def _shortened(text: str, *, full: bool) -> str:
    flat = " ".join(text.split())
    return flat if full or len(flat) <= _TEXT_WIDTH else flat[:_TEXT_WIDTH] + " ..."
