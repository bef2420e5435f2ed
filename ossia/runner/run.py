"""A run: every missing episode, several at once, each durable before it is shown."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import orjson

from ossia.errors import UserError
from ossia.runner.activity import Activity
from ossia.runner.config import RunConfig
from ossia.runner.cpu import metered
from ossia.runner.engine import Engine, OpenEngine
from ossia.runner.figures import Figures
from ossia.runner.finished import Finished, Observer
from ossia.runner.isolation import note_isolation
from ossia.runner.local import Equipment, open_local
from ossia.runner.plan import missing, plan
from ossia.runner.results import SPENT, note_grader
from ossia.runner.services import MachineClock
from ossia.runner.stopping import Room, Stopping
from ossia.runner.store import RunStore
from ossia.runner.stress import Baselines
from ossia.worker import WorkerInfo, WorkerSpec
from ossia_dataset.tasks import Task
from ossia_evaluation.grader import Grader
from ossia_evaluation.service_faults import of_service
from ossia_servers.gateway import AnswerCache, Model, Paces, Purse
from ossia_servers.gateway.pace import Minute
from ossia_servers.trace import EpisodeKey, Trace
from ossia_servers.worlds.domain import Domain

CACHE = "answers.jsonl"
"""The answers of a run with `--cache` are kept under this name in its folder."""

CALLED = "called"
"""When a paced call of the run was let go last, in seconds since 1970, and the calls of the minute
before are stored under this name."""

PACED_CLIENT_SECONDS = 86_400.0
"""A framework's client waits so long where calls wait for their turn: nobody can say how long the
line is, and it is the gateway that ends every call."""


@dataclass(frozen=True)
class Session:
    """What one session of a run needs besides its stored configuration."""

    config: RunConfig
    tasks: Mapping[str, Task]
    domains: Sequence[Domain]
    models: Mapping[str, Model]
    """What answers, by the specifications of the configuration."""
    workers: Mapping[str, WorkerSpec]
    """How each framework's worker is started."""
    grader: Grader
    jobs: int
    """Episodes at once."""
    purse: Purse | None = None
    """What its upstream models may spend; None where nothing is counted."""
    paced: bool = False
    """Whether its calls may wait for their turn, or for an identical one."""
    cache: AnswerCache | None = None
    """Where the answers of its upstream models are kept; None where every request is sent."""
    paces: Paces | None = None
    """How many requests and tokens a minute go to each upstream model; None for no limit."""
    user_model: Model | None = None
    """What speaks for the simulated user; None for the user that the suite brings."""
    engine: OpenEngine | None = None
    """What plays the episodes; None for this machine."""

    def open_engine(self, activity: Activity) -> OpenEngine:
        """Return what opens the engine that plays the episodes.

        Args:
            activity: shows meanwhile what it is doing on this machine.
        """
        if self.engine is not None:
            return self.engine
        equipment = Equipment(
            self.played,
            self.tasks,
            self.domains,
            self.models,
            self.workers,
            self.jobs,
            self.user_model,
        )
        return partial(open_local, equipment, activity=activity)

    @property
    def played(self) -> RunConfig:
        """The configuration that its episodes are played by."""
        if not self.paced:
            return self.config
        patient = self.config.limits.model_copy(update={"call_seconds": PACED_CLIENT_SECONDS})
        return self.config.model_copy(update={"limits": patient})


async def run_missing(
    session: Session, store: RunStore, observe: Observer, activity: Activity | None = None
) -> int:
    """Run the episodes that the store lacks; returns how many ran.

    Args:
        session: what they need.
        store: where they are kept.
        observe: is told of each that is finished.
        activity: shows meanwhile what the session is doing.

    Raises:
        WorkerStartError: a framework's worker cannot be started; finished episodes are kept.
        RunStopped: the endpoint answers no more (key, quota, limit of cost), or too many episodes
            in a row were invalid; finished episodes are kept.
        AllInvalid: every request of the first episodes was refused.
        UserError: the file of its cache cannot be read or written.
        StoreError: its database is full or gone; finished episodes are kept.
        Exception: whatever `observe` raises; the episode that it was told of is kept.
    """
    planned = plan(session.config)
    todo = missing(planned, store.finished())
    if not todo:
        return 0
    counter = [len(planned) - len(todo)]
    if session.purse is not None:
        session.purse.continue_from(
            float(store.meta(SPENT) or 0.0), lambda usd: store.set_meta(SPENT, repr(usd))
        )
    if session.paces is not None:
        _continue_pace(session.paces, store, MachineClock())
    if session.cache is not None:
        _open_cache(session.cache, store.folder / CACHE)
    opened: list[Engine] = []
    with store.resumable(), metered(store, counter, lambda: sum(each.cpu_s for each in opened)):
        note_grader(store)
        shown = activity or Activity()
        await _run(session, store, todo, observe, counter, opened, shown)
    return len(todo)


def _continue_pace(paces: Paces, store: RunStore, clock: MachineClock) -> None:
    """Count an earlier session's calls of the last minute, and keep those of this one."""

    def note(minute: Minute) -> None:
        store.set_meta(CALLED, orjson.dumps([clock.now(), minute]).decode())

    at, minute = orjson.loads(store.meta(CALLED) or "[0.0, {}]")
    paces.continue_from(clock.now() - at, minute, note)


def _open_cache(cache: AnswerCache, path: Path) -> None:
    try:
        cache.open(path)
    except OSError as error:
        raise UserError(f"{path} cannot be read or written: {error.strerror}") from None


async def _run(
    session: Session,
    store: RunStore,
    todo: Sequence[EpisodeKey],
    observe: Observer,
    counter: list[int],
    opened: list[Engine],
    activity: Activity,
) -> None:
    total = counter[0] + len(todo)
    figures, jobs = Figures(session.config), min(session.jobs, len(todo))
    baselines = _baselines(session, store, todo)
    async with session.open_engine(activity)(store.folder) as engine:
        opened.append(engine)
        stopping = Stopping(session.config, engine, fresh=counter[0] == 0)

        async def finish(key: EpisodeKey) -> None:
            baseline = None if baselines is None else await baselines.of(key)
            trace = _played_beside(await engine.play(key, baseline), jobs)
            score = of_service(session.grader.score(session.tasks[key.task], trace), trace)
            store.put(trace, score, figures.record(session.tasks[key.task], trace, score))
            if baselines is not None:
                baselines.ended(key)
            _note_framework(store, engine.info(key.framework), key.framework)
            counter[0] += 1
            spent_usd = 0.0 if session.purse is None else session.purse.spent_usd
            done = Finished(trace, score, counter[0], total, spent_usd)
            observe(done)
            stopping.after(done)

        room = Room(session.purse, counter)
        await _all(stopping.begun(todo), finish, jobs, room)
        stopping.at_end()


def _played_beside(trace: Trace, jobs: int) -> Trace:
    """Note how many episodes were played at once: its seconds say nothing without that."""
    return trace.model_copy(update={"timing": trace.timing.model_copy(update={"jobs": jobs})})


def _baselines(session: Session, store: RunStore, todo: Sequence[EpisodeKey]) -> Baselines | None:
    plan = session.config.stress
    return None if plan is None else Baselines(plan, todo, store.readable_trace)


async def _all(
    queue: Iterator[EpisodeKey],
    finish: Callable[[EpisodeKey], Awaitable[None]],
    jobs: int,
    room: Room,
) -> None:
    """Run all episodes in order, `jobs` at once; the first error stops the rest."""
    failed: ExceptionGroup | None = None

    async def work() -> None:
        while True:
            async with room:
                key = next(queue, None)
                if key is None:
                    return
                await finish(key)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(jobs):
                group.create_task(work())
    except ExceptionGroup as failures:
        failed = failures
    # Outside of the clause: what comes out is the error alone, such as that of an observer.
    if failed is not None:
        raise failed.exceptions[0]


def _note_framework(store: RunStore, info: WorkerInfo | None, framework: str) -> None:
    """Store the exact versions of a framework's environment with the run, and its isolation."""
    if info is None:
        return
    key = f"framework.{framework}"
    if store.meta(key) is None:
        store.set_meta(key, orjson.dumps(info.model_dump()).decode())
    note_isolation(store, framework, info.enforced)
