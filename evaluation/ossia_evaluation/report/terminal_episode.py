"""One episode step by step, for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.markup import escape

from ossia_dataset.tasks import Task
from ossia_evaluation.asked import asked_by
from ossia_evaluation.grade import Grade, Verdict
from ossia_evaluation.metrics import Metric
from ossia_evaluation.report.figures import UNKNOWN
from ossia_evaluation.steps import Step, read_steps
from ossia_evaluation.whole_words import Indented
from ossia_evaluation.words import counted, shortened
from ossia_servers.gateway import Exchange
from ossia_servers.stress.injected import Injected
from ossia_servers.trace import Trace
from ossia_servers.worlds.records import ServerRequest

_TEXT = 400


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
        _line(console, escape(indent + _shown(line, full=full)))
    for number, turn in enumerate(trace.turns, 1):
        _line(console, f"turn {number}: {escape(_shown(turn.user, full=full))}")
        _line(console, f"       answer: {escape(_shown(turn.answer, full=full)) or UNKNOWN}")
    if (user := trace.user_account) is not None:
        spent = f"{counted(user.calls, 'call')}, {user.total_tokens} tokens"
        console.print(f"the simulated user's model, apart from the team: {spent}")
        for exchange in user.exchanges:
            if exchange.error is not None:
                _line(console, f"       [red]{exchange.status}: {escape(exchange.error)}[/red]")
    for line in _served(trace):
        _line(console, escape(line))
    steps = read_steps(trace)
    asked = asked_by(steps, trace.requests)
    for step, requests in zip(steps, asked.by_step, strict=True):
        _step(console, step, trace.injected, full=full)
        _requests(console, requests, full=full)
    _struck_services(console, trace.injected, full=full)
    if asked.untold:
        console.print("requests that belong to no step's call:")
        _requests(console, asked.untold, full=full)
    for address in trace.refused_connections:
        _line(console, f"     [red]connection refused: {escape(address)}[/red]")
    _grade(console, trace, grade)
    _beside(console, task, trace, grade, metrics)


def _struck_services(console: Console, injected: Sequence[Injected], *, full: bool) -> None:
    """Print what was injected between servers and tools, which belongs to no step."""
    if struck := [one for one in injected if one.where == "service"]:
        console.print("between servers and tools:")
        for one in struck:
            _injected(console, one, full=full)


def _line(console: Console, markup: str) -> None:
    """Print a line whose continuation on a narrow terminal keeps its indent; no word is cut."""
    console.print(Indented(console.render_str(markup)))


def _served(trace: Trace) -> Iterator[str]:
    """Yield which models answered by their endpoints' own word, and which roles."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for exchange in trace.gateway.exchanges:
        served = exchange.served
        if served is not None and (served.model or served.system_fingerprint):
            key = (served.model or UNKNOWN, served.system_fingerprint or "")
            found.setdefault(key, {})[exchange.role] = None
    for (model, fingerprint), roles in found.items():
        whose = f" to {', '.join(roles)}" if len(found) > 1 else ""
        mark = f" (fingerprint {fingerprint})" if fingerprint else ""
        yield f"answered{whose} by {model}{mark}"


def _tokens(exchanges: Sequence[Exchange]) -> str:
    """The tokens of calls, with the parts that a provider prices by themselves."""
    usages = [each.usage for each in exchanges if each.usage is not None]
    parts = {
        "cached": sum(usage.cached_tokens for usage in usages),
        "written to the cache": sum(usage.cache_write_tokens for usage in usages),
        "reasoning": sum(usage.reasoning_tokens for usage in usages),
    }
    told = ", ".join(f"{count} {name}" for name, count in parts.items() if count)
    total = sum(usage.total_tokens for usage in usages)
    return f"{total} tokens" + (f" ({told})" if told else "")


def _step(console: Console, step: Step, injected: Sequence[Injected], *, full: bool) -> None:
    asked = f"{counted(len(step.exchanges), 'call')}, {_tokens(step.exchanges)}"
    console.print(f"{step.index + 1:3}. [bold]{step.role}[/bold]  {asked}")
    for call in step.tool_calls:
        name, arguments = call.get("name", ""), call.get("arguments", "")
        _line(console, f"       tool {escape(str(name))}({escape(str(arguments))})")
    for exchange in step.exchanges:
        if exchange.error is not None:
            _line(console, f"       [red]{exchange.status}: {escape(exchange.error)}[/red]")
        for one in injected:
            if one.where == "model" and one.seq == exchange.seq:
                _injected(console, one, full=full)
    if step.text:
        _line(console, f"       {escape(_shown(step.text, full=full))}")


def _injected(console: Console, injected: Injected, *, full: bool) -> None:
    """Print what a fault of the run's plan did."""
    at = f" at {injected.request}" if injected.request else ""
    _line(console, f"       [red]injected {escape(injected.fault)}{escape(at)}[/red]")
    _line(
        console,
        f"         without the fault: {escape(_shown(injected.would, full=full)) or UNKNOWN}",
    )
    _line(
        console, f"         with the fault: {escape(_shown(injected.came, full=full)) or UNKNOWN}"
    )


def _requests(console: Console, requests: Sequence[ServerRequest], *, full: bool) -> None:
    for request in requests:
        params = " ".join(f"{name}={value}" for name, value in request.params.items())
        _line(console, f"       {request.method} /{request.domain} {escape(params)}")
        said = _shown(request.response, full=full)
        _line(console, f"         {request.status} {request.code}: {escape(said)}")


def _grade(console: Console, trace: Trace, grade: Grade) -> None:
    console.print(f"answer:  {escape(trace.answer) or UNKNOWN}")
    console.print(f"ending:  {trace.ending.kind} {escape(trace.ending.detail)}".rstrip())
    console.print(f"verdict: [bold]{grade.verdict}[/bold]: {escape(grade.reason)}")
    for line in grade.detail_lines(wanted=True):
        # The reason is one of them, or says it without its kind.
        if grade.reason not in (line, line.partition(": ")[2]):
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


def _shown(text: str, *, full: bool) -> str:
    return " ".join(text.split()) if full else shortened(text, _TEXT)
