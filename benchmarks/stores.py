"""What it costs to keep and to report an episode, in files and in PostgreSQL.

    ossia compare --tasks dev
    python -m benchmarks.stores RUN --store postgresql://USER@HOST/NAME --episodes 1000

The episodes of a stored run are put again and again, under other numbers of repeats, into new runs:
one commit each, to both stores in turns. Then each is read once as a report reads it. The runs are
deleted afterwards.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import Final

from benchmarks.record import place_options, told
from ossia.adapters import ossia_home
from ossia.errors import UserError
from ossia.run_plan import tasks_of
from ossia.runner.catalog import Catalog, open_catalog
from ossia.runner.config import RunConfig
from ossia.runner.figures import Figures
from ossia.runner.plan import key_of
from ossia.runner.results import rows_of
from ossia.runner.store import RunStore
from ossia_dataset.tasks import Task
from ossia_evaluation.grade import Grade
from ossia_servers.trace import Trace

__all__ = ["main"]

_IN_TURNS: Final = 100
"""So many episodes are put into one store before it is the other's turn."""

_HEAD: Final = ("store", "writes/s", "CPU ms a write", "bytes an episode", "CPU ms to read one")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure both stores and tell the figures as a Markdown table.

    Args:
        arguments: The command line without the program's name; the process's own by default.

    Returns:
        The exit code: 0, or 2 where the run or the database is not there.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stores")
    parser.add_argument("run", help="a stored run of the home")
    parser.add_argument("--store", required=True, help="postgresql://USER@HOST:5432/NAME")
    parser.add_argument("--episodes", type=int, default=1000, help="how many are put into each")
    place_options(parser)
    options = parser.parse_args(arguments)
    try:
        with (
            tempfile.TemporaryDirectory(prefix="ossia-bench-") as name,
            RunStore(open_catalog(None, ossia_home(os.environ)).find(options.run)) as source,
        ):
            into = {
                "SQLite": open_catalog(None, Path(name)),
                "PostgreSQL": open_catalog(options.store, Path(name)),
            }
            told(options, "stores", _table(source, into, options.episodes))
    except (UserError, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


@dataclass
class _Kept:
    """One store, and the seconds that it has taken."""

    store: RunStore
    catalog: Catalog
    tasks: Mapping[str, Task]
    figures: Figures
    put_s: float = 0.0
    put_cpu_s: float = 0.0

    def put(self, episodes: Sequence[tuple[Trace, Grade]]) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        for trace, grade in episodes:
            task = self.tasks[trace.episode.task]
            self.store.put(trace, grade, self.figures.record(task, trace, grade))
        self.put_s += time.perf_counter() - wall
        self.put_cpu_s += time.process_time() - cpu


def _table(source: RunStore, into: dict[str, Catalog], episodes: int) -> str:
    config = source.config()
    played = [pair for pair in source.readable_episodes() if not pair[0].episode.fault]
    if not played:
        raise UserError(f"{source.place.shown} has no episode")
    repeats = -(-episodes // len(played))
    new = config.model_copy(update={"repeats": repeats, "stress": None})
    kept: dict[str, _Kept] = {}
    try:
        for name, catalog in into.items():
            kept[name] = _begun(new, catalog)
        again = islice(_again(played), episodes)
        while part := list(islice(again, _IN_TURNS)):
            for each in kept.values():
                each.put(part)
        lines = [f"| {' | '.join(_HEAD)} |", "|---" * len(_HEAD) + "|"]
        lines += [_line(name, each, episodes) for name, each in kept.items()]
    finally:
        for each in kept.values():
            each.store.close()
            each.store.place.delete()
    return "\n".join([*lines, "", f"{episodes:,} episodes like those of {config.run_id}."])


def _begun(config: RunConfig, catalog: Catalog) -> _Kept:
    place = catalog.place(config.run_id)
    if place.exists():
        raise UserError(f"{catalog.shown} has a run {place.id}; delete it first")
    store = RunStore(place, write=True)
    store.set_meta("config", config.model_dump_json())
    return _Kept(store, catalog, tasks_of(config), Figures(config))


def _again(played: Sequence[tuple[Trace, Grade]]) -> Iterator[tuple[Trace, Grade]]:
    """Yield episodes without end, each under an id of its own."""
    for repeat in count(1):
        for trace, grade in played:
            was = trace.episode
            key = key_of(was.task, was.framework, was.model, repeat)
            gateway = trace.gateway.model_copy(update={"episode": key.id})
            yield trace.model_copy(update={"episode": key, "gateway": gateway}), grade


def _line(name: str, kept: _Kept, episodes: int) -> str:
    # Closed before it is measured: SQLite then takes its log in.
    kept.store.close()
    (size,) = (run.size for run in kept.catalog.list() if run.id == kept.store.place.id)
    with RunStore(kept.store.place) as store:
        cpu = time.process_time()
        rows_of(store, kept.tasks)
        read_s = time.process_time() - cpu
    cells = (
        name,
        f"{episodes / kept.put_s:,.0f}",
        f"{1000 * kept.put_cpu_s / episodes:.2f}",
        f"{size / episodes:,.0f}",
        f"{1000 * read_s / episodes:.2f}",
    )
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
