"""FlowBench: what a session costs beside its framework, and what is made before any is played."""

from __future__ import annotations

import gc
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from benchmarks.measure import Spread, cpu_seconds
from benchmarks.tables import Goal, Row, Table
from ossia.adapters import AdapterInfo
from ossia.collector import collect_seldom
from ossia.loop import run_in_order
from ossia.run_plan import Wish, plan_run
from ossia.runner.catalog import FolderCatalog
from ossia.runner.finished import Finished
from ossia.runner.run import Session, run_missing
from ossia.session import Means, open_session, open_store
from ossia.suites import find_suite
from ossia.tasks import Choice
from ossia_servers.flowbench.generator import generate_sessions
from ossia_servers.gateway import Completion, Model, ModelCall
from ossia_servers.trace import Trace
from ossia_workflows.scenario import FORMS, load_scenario, shipped_scenarios

__all__ = ["flowbench"]

SESSION_MS = 30.0
READING_MS = 5.0
GENERATING_S = 60.0

_NOTE = (
    "A session is played as `ossia compare --suite flowbench --model gold` does, eight at once,"
    " in its kind of loop and with Python's collector set as there."
    " Ossia is the process of gateway, services, user, trace, score and store, without the player"
    " that stands in for a model; the worker holds the adapter and Ossia's SDK, and the control in"
    " it is no framework. Scoring is a part of the session's time. Of forms and scores the most is"
    " that of one scenario or session, each the best of three, with Python's collector on."
)


def flowbench(control: AdapterInfo, home: Path, *, quick: bool) -> Table:
    """Measure sessions of the gold player in an adapter, their scores, forms and making.

    Args:
        control: The adapter, which should do little itself.
        home: Where environments are.
        quick: Few sessions, for a first look.

    Returns:
        The table.
    """
    sessions, rounds = (24, 1) if quick else (120, 3)
    session = _session(control, home, sessions)
    played = [_played(session) for _ in range(rounds)]
    ours = Spread.of([each.ours_ms for each in played])
    rows = [
        Row(
            ("a session: Ossia", str(sessions), ours.text(1), ""),
            Goal(ours.median, SESSION_MS, "less", " ms", 0),
            next((each.wrong for each in played if each.wrong is not None), None),
        ),
        _means("a session: the player", [each.player_ms for each in played], sessions),
        _means("a session: worker with the control", [each.worker_ms for each in played], sessions),
        _scoring(session, played[-1].traces),
        *(_reading(form) for form in FORMS),
        _generating(),
    ]
    return Table(
        "FlowBench: CPU time of a session, and of what comes before",
        ("what", "how many", "CPU ms", "the most ms"),
        tuple(rows),
        (_NOTE,),
    )


def _session(control: AdapterInfo, home: Path, sessions: int) -> Session:
    """What a run of the gold player with so many sessions needs."""
    wish = Wish(
        frameworks=(control.name,),
        suite="flowbench",
        tasks="test",
        models=("gold",),
        repeats=1,
        budget=find_suite("flowbench").budget(),
        choice=Choice(limit=sessions),
    )
    return open_session(plan_run(wish, home), Means(jobs=8))


class _Timed:
    """A model with the CPU time that it takes; it has no pause in which anything else is done."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.name = model.name
        self.seconds = 0.0

    async def complete(self, call: ModelCall) -> Completion:
        before = time.thread_time()
        answer = await self._model.complete(call)
        self.seconds += time.thread_time() - before
        return answer


@dataclass(frozen=True)
class _Round:
    """Sessions that were played: mean CPU ms of one, all traces, and why they do not count."""

    ours_ms: float
    player_ms: float
    worker_ms: float
    traces: list[Trace]
    wrong: str | None


def _played(session: Session) -> _Round:
    (name,) = session.config.models
    player = _Timed(session.models[name])
    done: list[Finished] = []
    with (
        _collecting_as_the_command(),
        tempfile.TemporaryDirectory(prefix="ossia-bench-") as folder,
        open_store(session.config, FolderCatalog(Path(folder))) as store,
    ):
        before = cpu_seconds([os.getpid()])
        run_in_order(run_missing(replace(session, models={name: player}), store, done.append))
        taken = cpu_seconds([os.getpid()]) - before
    planned, traces = len(session.tasks), [each.trace for each in done]
    won = sum(each.score.verdict == "success" for each in done)
    return _Round(
        1000 * (taken - player.seconds) / planned,
        1000 * player.seconds / planned,
        1000 * sum(trace.timing.cpu_s or 0.0 for trace in traces) / planned,
        traces,
        None if won == planned else f"{won} of {planned} sessions succeeded",
    )


@contextmanager
def _collecting_as_the_command() -> Iterator[None]:
    before = gc.get_threshold()
    collect_seldom()
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _means(what: str, taken: list[float], sessions: int) -> Row:
    return Row((what, str(sessions), Spread.of(taken).text(1), ""))


def _scoring(session: Session, traces: list[Trace]) -> Row:
    taken = [
        _best_ms(partial(session.grader.score, session.tasks[trace.episode.task], trace))
        for trace in traces
    ]
    return Row(_cells("scoring a session", taken))


def _reading(form: str) -> Row:
    graphs = [load_scenario(name).graph for name in shipped_scenarios()]
    written = [FORMS[form].write(graph) for graph in graphs]
    same = [FORMS[form].read(text) for text in written] == graphs
    taken = [_best_ms(partial(FORMS[form].read, text)) for text in written]
    return Row(
        _cells(f"reading a scenario as {form}", taken),
        Goal(max(taken), READING_MS, "less", " ms", 0),
        None if same else "what is read is not what was written",
    )


def _generating() -> Row:
    before = cpu_seconds([os.getpid()])
    made = generate_sessions(1)
    seconds = cpu_seconds([os.getpid()]) - before
    return Row(
        ("generating all sessions", str(len(made)), f"{1000 * seconds:.0f}", ""),
        Goal(seconds, GENERATING_S, "less", " s", 0),
    )


def _best_ms(work: Callable[[], object]) -> float:
    taken = []
    for _ in range(3):
        before = cpu_seconds([os.getpid()])
        work()
        taken.append(1000 * (cpu_seconds([os.getpid()]) - before))
    return min(taken)


def _cells(what: str, taken: list[float]) -> tuple[str, ...]:
    return (what, str(len(taken)), f"{Spread.of(taken).median:.2f}", f"{max(taken):.2f}")
