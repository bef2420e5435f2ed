"""An experiment divided by frameworks, each in a process of its own."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Thread
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

import benchmarks.attribution
import ossia_dataset
import ossia_evaluation
import ossia_servers
import ossia_workflows
from benchmarks.attribution.attempts import digest_of
from ossia import attribution, runner
from ossia.adapters import AdapterInfo, find_adapter
from ossia.attribution.replayer import refuse_lacking
from ossia.runner.config import FrameworkVersion, RunConfig
from ossia_dataset.randomness import seeded_random
from ossia_dataset.tasks import dataset_hash
from ossia_dataset.world_tasks import WorldTask
from ossia_evaluation.assistant.attribution.received import supported

FRAMEWORKS = ("agentlite", "autogen", "camel", "langgraph")
"""The frameworks of the protocol."""

_POLL_SECONDS = 2.0
_PROGRAM = (".py", ".json", ".bin", ".txt", ".toml", ".md")
"""Sources, what they read (names of places, teams and their prompts), and the trained model."""

S = TypeVar("S")
"""The size of a protocol, which says how many cases of each kind are wanted."""

_EVERY = 4
"""One clean episode in so many is of a task with both a time and a place, where it can be."""


@dataclass(frozen=True)
class Part(Generic[S]):
    """One framework's part of a protocol; goes to a process of its own.

    Attributes:
        framework: its name.
        home: the folder of Ossia's environments.
        tasks: tasks to choose from, in the order of choice.
        size: how many cases are wanted.
        seed: decides on places and faults.
        jobs: episodes at once.
        log: where its attempts are kept.
    """

    framework: str
    home: Path
    tasks: tuple[WorldTask, ...]
    size: S
    seed: int
    jobs: int
    log: Path


@dataclass(frozen=True)
class Parts(Generic[S]):
    """A protocol in its parts.

    Attributes:
        each: the parts, one for each framework.
        processes: how many run at once.
        folder: where attempts and result are kept, named by all that the attempts depend on.
        digest: a hash of that.
    """

    each: tuple[Part[S], ...]
    processes: int
    folder: Path
    digest: str

    def keep(self, result: BaseModel) -> None:
        """Write the result beside the attempts."""
        told = result.model_dump_json(indent=1) + "\n"
        (self.folder / "result.json").write_text(told, "utf-8")


def divide(
    home: Path,
    tasks: Sequence[WorldTask],
    *,
    name: str,
    size: S,
    frameworks: Sequence[str],
    seed: int,
    jobs: int,
) -> Parts[S]:
    """Divide a protocol by frameworks.

    Args:
        home: the folder of Ossia's environments.
        tasks: tasks to choose from; those with several requests are left out.
        name: what protocol and size are called.
        size: how many cases.
        frameworks: the frameworks, installed.
        seed: decides on tasks, places and faults.
        jobs: episodes at once in all frameworks together.

    Raises:
        UserError: a framework is not installed, or its environment is out of date.
    """
    infos = {framework: find_adapter(framework, home) for framework in frameworks}
    refuse_lacking(tuple(infos.values()))
    chosen = ordered([task for task in tasks if supported(task)], seed)
    digest = program_digest(size, seed, chosen, infos)
    folder = home / "validation" / f"{name}-{seed}-{digest}"
    processes = min(jobs, len(infos))
    each_jobs = max(1, jobs // processes)
    parts = tuple(
        Part(each, home, chosen, size, seed, each_jobs, folder / f"{each}.jsonl") for each in infos
    )
    return Parts(parts, processes, folder, digest)


async def in_processes(
    run: Callable[[Part[S]], tuple[str, str]],
    parts: Parts[S],
    watch: Callable[[Mapping[str, int]], None],
) -> dict[str, str]:
    """Run parts in processes of their own; returns each framework's version, in their order.

    Args:
        run: runs one part; returns the framework's name and version.
        parts: the parts.
        watch: callback every few seconds, with the number of attempts by framework.
    """
    running = asyncio.get_running_loop()
    context = get_context("spawn")
    with ProcessPoolExecutor(parts.processes, context, initializer=_end_with_the_parent) as pool:
        waiting = {running.run_in_executor(pool, run, part) for part in parts.each}
        every = tuple(waiting)
        for each in every:
            # Ctrl-C ends the parts too; asyncio would print the traceback of each.
            each.add_done_callback(lambda part: part.cancelled() or part.exception())
        while waiting:
            done, waiting = await asyncio.wait(waiting, timeout=_POLL_SECONDS)
            watch({part.framework: _lines(part.log) for part in parts.each})
            for each in done:
                each.result()
        versions = dict(each.result() for each in every)
    return {part.framework: versions[part.framework] for part in parts.each}


def _end_with_the_parent() -> None:
    """End this process when the one that started it has gone, however it ended."""
    parent = parent_process()
    if parent is not None:
        Thread(target=_end_after, args=(parent,), daemon=True).start()


def _end_after(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def config_of(tasks: Sequence[WorldTask], info: AdapterInfo) -> RunConfig:
    """Return the configuration of a protocol's episodes in one framework."""
    return RunConfig(
        suite="assistant",
        tasks="validate",
        dataset_hash=dataset_hash(tasks),
        task_ids=tuple(task.id for task in tasks),
        frameworks=(FrameworkVersion(name=info.key, source=info.digest),),
        models=("offline",),
    )


def within(config: RunConfig, part: str, most: float) -> RunConfig:
    """Return a run's configuration with one part of its budget lowered."""
    return config.model_copy(update={"budget": config.budget.model_copy(update={part: most})})


def ordered(tasks: Sequence[WorldTask], seed: int) -> tuple[WorldTask, ...]:
    """Shuffle tasks, those with both a time and a place spread evenly, since they are few."""
    shuffled = seeded_random("tasks", seed).sample(tasks, len(tasks))
    both = [task for task in shuffled if task.gold.time and task.gold.place]
    others = [task for task in shuffled if not (task.gold.time and task.gold.place)]
    found: list[WorldTask] = []
    while both or others:
        rare = both and (len(found) % _EVERY == 0 or not others)
        found.append((both if rare else others).pop(0))
    return tuple(found)


def program_digest(
    size: Any, seed: int, tasks: Sequence[WorldTask], infos: Mapping[str, AdapterInfo]
) -> str:
    """Return a hash of all that an attempt depends on: program, trained model, tasks, adapters.

    The program is all that injects, answers, normalises, runs, scores or attributes; how a task set
    was made, and what is shown of a result, is in these packages too, so that none is missed.
    """
    parts = [dataset_hash(tasks).encode()]
    parts += [f"{name} {info.digest}".encode() for name, info in sorted(infos.items())]
    ours = (ossia_dataset, ossia_evaluation, ossia_servers, ossia_workflows)
    for package in (benchmarks.attribution, attribution, runner, *ours):
        root = Path(str(package.__file__)).parent
        files = sorted(p for p in root.rglob("*") if p.suffix in _PROGRAM)
        parts += [path.read_bytes() for path in files]
    return digest_of(size, seed, parts)


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0
