"""The two sides of the harness benchmark: episodes through Ossia, and in a bare loop."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from benchmarks.answers import Answers
from benchmarks.measure import wall_seconds
from ossia.adapters import AdapterInfo
from ossia.runner.config import EpisodeLimits, FrameworkVersion, RunConfig
from ossia.runner.episode import EpisodeRunner
from ossia.runner.figures import Figures
from ossia.runner.local import workers_for
from ossia.runner.plan import key_of
from ossia.runner.pool import WorkerPool
from ossia.runner.services import open_services
from ossia.runner.store import RunStore
from ossia.runner.stress import Stress
from ossia.worker import WorkerStartError
from ossia.worker.environment import worker_environment
from ossia_dataset.tasks import dataset_hash
from ossia_dataset.world_tasks import WorldTask
from ossia_evaluation.assistant.scorer import AssistantScorer
from ossia_evaluation.worlds.score import Score
from ossia_servers.assistant.catalogue import catalogue_text, load_domains
from ossia_servers.gateway import Model
from ossia_servers.stress.plan import FaultPlan
from ossia_servers.trace import Trace
from ossia_workflows import load_team

__all__ = ["BareSide", "OssiaSide", "open_bare", "open_ossia"]

LIMITS = EpisodeLimits()
_WORKER = b"\0ossia_adapter.worker\0"
_MAX_LINE = 64 * 1024 * 1024
_ROOT = Path(__file__).resolve().parents[1]


@dataclass
class OssiaSide:
    """Episodes as `ossia run` plays them: gateway, servers, workers, trace, score and store.

    Attributes:
        began: When each episode of the last batch began, in its order, on the benchmarks' clock.
    """

    _framework: str
    _model: str
    _jobs: int
    _tasks: Mapping[str, WorldTask]
    _runner: EpisodeRunner
    _scorer: AssistantScorer
    _store: RunStore
    _figures: Figures
    _repeats: dict[str, int] = field(default_factory=dict)
    began: list[float] = field(default_factory=list)

    @property
    def pids(self) -> tuple[int, ...]:
        """The processes whose work counts: this one and the workers, once there are some."""
        return (os.getpid(), *_workers())

    async def play(self, tasks: Sequence[str]) -> list[tuple[Trace, Score]]:
        """Play a batch of episodes, `jobs` at once; the first batch starts the workers.

        Args:
            tasks: The episodes' tasks; one that occurs twice is played twice.

        Returns:
            Traces and scores in the order of the tasks.

        Raises:
            WorkerStartError: The adapter's worker cannot be started.
        """
        done: list[tuple[Trace, Score] | None] = [None] * len(tasks)
        failed: ExceptionGroup[WorkerStartError] | None = None
        self.began = [0.0] * len(tasks)
        queue = iter(enumerate(tasks))

        async def work() -> None:
            for place, task in queue:
                self.began[place] = wall_seconds()
                done[place] = await self._episode(task)

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self._jobs, len(tasks))):
                    group.create_task(work())
        except* WorkerStartError as failures:
            failed = failures
        if failed is not None:
            raise failed.exceptions[0]
        return [each for each in done if each is not None]

    async def _episode(self, task: str) -> tuple[Trace, Score]:
        repeat = self._repeats[task] = self._repeats.get(task, 0) + 1
        trace = await self._runner.run(key_of(task, self._framework, self._model, repeat))
        score = self._scorer.score(self._tasks[task], trace)
        self._store.put(trace, score, self._figures.record(self._tasks[task], trace, score))
        return trace, score


@asynccontextmanager
async def open_ossia(
    info: AdapterInfo,
    tasks: Mapping[str, WorldTask],
    model: Model,
    *,
    jobs: int,
    plan: FaultPlan | None = None,
) -> AsyncIterator[OssiaSide]:
    """Open everything that a run opens.

    Args:
        info: The adapter, installed.
        tasks: The tasks by id.
        model: What answers.
        jobs: Episodes at once.
        plan: Faults of the run; no episode that is played here meets one.

    Yields:
        The side; no worker is started yet.
    """
    domains = load_domains()
    config = RunConfig(
        suite="assistant",
        tasks="benchmark",
        dataset_hash=dataset_hash(tasks.values()),
        task_ids=tuple(tasks),
        frameworks=(FrameworkVersion(name=info.key, source=info.digest),),
        models=(model.name,),
        limits=LIMITS,
        stress=plan,
    )
    scorer = AssistantScorer(domains)
    for task in tasks.values():
        scorer.gold(task)
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ossia-bench-")))
        store = stack.enter_context(RunStore(folder / "run", write=True))
        services = await stack.enter_async_context(
            open_services(
                domains, model, worlds_path=folder / "worlds.sqlite", stressed=plan is not None
            )
        )
        pool = WorkerPool(
            info.worker, allow=services.addresses, concurrency=jobs, workers=workers_for(jobs)
        )
        stack.push_async_callback(pool.close)
        stress = None if plan is None else Stress(plan, ())
        runner = EpisodeRunner(services, {info.key: pool}, tasks, config, stress=stress)
        yield OssiaSide(
            _framework=info.key,
            _model=model.name,
            _jobs=jobs,
            _tasks=tasks,
            _runner=runner,
            _scorer=scorer,
            _store=store,
            _figures=Figures(config),
        )


def _workers() -> list[int]:
    """Return the worker processes among the children of this process."""
    children = [
        int(pid)
        for task in Path("/proc/self/task").iterdir()
        for pid in (task / "children").read_text("ascii").split()
    ]
    return [pid for pid in children if _WORKER in Path(f"/proc/{pid}/cmdline").read_bytes()]


@dataclass
class BareSide:
    """The same team in a plain script, against the stub.

    Attributes:
        pids: The processes whose work counts.
    """

    pids: tuple[int, ...]
    _url: str
    _script: asyncio.subprocess.Process
    _tasks: Mapping[str, WorldTask]
    _teams: Mapping[str, Mapping[str, Any]]
    _played: int = 0

    async def play(self, tasks: Sequence[str]) -> list[str]:
        """Play a batch of episodes.

        Args:
            tasks: The episodes' tasks; one that occurs twice is played twice.

        Returns:
            The answers for the user, or what the framework raised, in the order of the tasks.

        Raises:
            RuntimeError: The script ended.
        """
        assert self._script.stdin is not None
        episodes = [self._wire(self._tasks[task]) for task in tasks]
        self._script.stdin.write(orjson.dumps(episodes) + b"\n")
        await self._script.stdin.drain()
        answers: list[str] = orjson.loads(await _line(self._script))
        return answers

    def _wire(self, task: WorldTask) -> dict[str, Any]:
        self._played += 1
        return {
            "id": f"{task.id}~{self._played}",
            "utterance": task.utterance,
            "gateway_url": f"{self._url}/v1",
            "api_key": f"key-{self._played}",
            "servers_url": self._url,
            "world": f"{task.id}~{self._played}",
            "limits": LIMITS.model_dump(),
            "team": self._teams[task.home],
        }


@asynccontextmanager
async def open_bare(
    info: AdapterInfo, tasks: Mapping[str, WorldTask], answers: Answers, *, jobs: int
) -> AsyncIterator[BareSide]:
    """Start the stub, and the script with the framework imported.

    Args:
        info: The adapter, installed.
        tasks: The tasks by id.
        answers: What the stub answers.
        jobs: Episodes at once.

    Yields:
        The side, ready to play.

    Raises:
        RuntimeError: One of the two did not start.
    """
    text = catalogue_text(load_domains())
    teams = {
        home: load_team("assistant", {"catalogue": text, "home": home}).model_dump(mode="json")
        for home in {task.home for task in tasks.values()}
    }
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ossia-bench-")))
        answers.write(folder / "answers.json")
        stub = await stack.enter_async_context(
            _process(sys.executable, "-m", "benchmarks.stub", str(folder / "answers.json"))
        )
        url = await _line(stub)
        script = await stack.enter_async_context(
            _process(
                str(info.python),
                *("-P", str(_ROOT / "benchmarks" / "bare.py"), info.entry, str(jobs)),
                environ=worker_environment(folder, info.worker.switches),
                folder=folder,
            )
        )
        if await _line(script) != b"ready\n":
            raise RuntimeError("the bare loop did not start as expected")
        yield BareSide(
            pids=(script.pid, stub.pid),
            _url=url.decode().strip(),
            _script=script,
            _tasks=tasks,
            _teams=teams,
        )


@asynccontextmanager
async def _process(
    *command: str, environ: Mapping[str, str] | None = None, folder: Path = _ROOT
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Start a process that is told what to do on its standard input; kill it at the end."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        cwd=folder,
        env=environ,
        limit=_MAX_LINE,
    )
    try:
        yield process
    finally:
        process.kill()
        await process.wait()


async def _line(process: asyncio.subprocess.Process) -> bytes:
    assert process.stdout is not None
    line = await process.stdout.readline()
    if not line.endswith(b"\n"):
        raise RuntimeError("a process of the benchmark ended before its time")
    return line
