"""What it costs to keep an episode, in files and in PostgreSQL, and to report very many.

The episodes of a run are put again and again, under other numbers of repeats, into new runs: one
commit each, to both stores in turns. Then each is read once as a report reads it.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import Final

from benchmarks.cluster import Side, empty_home
from benchmarks.postgres import postgres_server
from benchmarks.tables import Goal, Row, Table
from ossia.run_plan import tasks_of
from ossia.runner.catalog import Catalog, FolderCatalog, open_catalog
from ossia.runner.config import RunConfig
from ossia.runner.figures import Figures
from ossia.runner.plan import key_of
from ossia.runner.results import rows_of
from ossia.runner.store import RunStore
from ossia_dataset.tasks import Task
from ossia_evaluation.grade import Grade
from ossia_servers.trace import Trace

__all__ = ["stores"]

REPORT_S = 60.0
REPORT_MIB = 1024.0
PAGE_MB = 10.0

_IN_TURNS: Final = 100
"""So many episodes are put into one store before it is the other's turn."""

_NOTE = (
    "Episodes of 60 built-in tasks and the offline model, put again and again under other numbers"
    " of repeats: one commit each, in turns of 100. PostgreSQL is on this machine and its socket; a"
    " commit there is on the disk when it returns, one to a SQLite file survives a kill of the"
    " process. The bytes are files and log of SQLite, and tables with indexes of PostgreSQL."
)


def stores(names: Sequence[str], *, quick: bool) -> Table:
    """Measure both stores, and `ossia report` and `ossia resume` of a long run.

    Args:
        names: The adapters whose episodes are kept.
        quick: Few episodes, for a first look.

    Returns:
        The table.
    """
    few, many = (200, 2_000) if quick else (1_000, 100_000)
    with tempfile.TemporaryDirectory(prefix="ossia-bench-") as name, ExitStack() as stack:
        folder = Path(name)
        played = _played(folder, names)
        into: dict[str, Catalog] = {"SQLite": FolderCatalog(folder / "few")}
        rows: list[Row] = []
        try:
            server = stack.enter_context(postgres_server(durable=True))
        except ImportError as error:
            rows.append(Row(("PostgreSQL", "", "", "", ""), broken=str(error)))
        else:
            into["PostgreSQL"] = open_catalog(server(), folder / "few")
        rows = _kept_in_turns(played, into, few) + rows
        rows += _long_run(played, folder / "long", many)
    columns = ("what", "episodes", "a second", "CPU ms an episode", "bytes an episode")
    return Table("Storing and reporting episodes", columns, tuple(rows), (_NOTE,))


@dataclass(frozen=True)
class _Played:
    """A run that was played, whose episodes are put again."""

    config: RunConfig
    episodes: Sequence[tuple[Trace, Grade]]

    def again(self, number: int) -> tuple[RunConfig, Iterator[tuple[Trace, Grade]]]:
        """Return a configuration and whole repeats of it, so many episodes or somewhat more."""
        repeats = -(-number // len(self.episodes))
        config = self.config.model_copy(update={"repeats": repeats})
        return config, islice(_renumbered(self.episodes), repeats * len(self.episodes))


def _played(folder: Path, names: Sequence[str]) -> _Played:
    """Play some tasks once."""
    run = ("compare", "-f", ",".join(names), "--limit", "60", "--json")
    side = Side(empty_home(folder / "played"), run)
    side.end(side.begin())
    (place,) = FolderCatalog(side.home).list()
    with RunStore(FolderCatalog(side.home).place(place.id)) as source:
        return _Played(source.config(), tuple(source.readable_episodes()))


def _renumbered(played: Sequence[tuple[Trace, Grade]]) -> Iterator[tuple[Trace, Grade]]:
    """Yield episodes without end, each under an id of its own."""
    for repeat in count(1):
        for trace, grade in played:
            was = trace.episode
            key = key_of(was.task, was.framework, was.model, repeat)
            gateway = trace.gateway.model_copy(update={"episode": key.id})
            yield trace.model_copy(update={"episode": key, "gateway": gateway}), grade


@dataclass
class _Kept:
    """One store, and the seconds that it has taken."""

    store: RunStore
    tasks: Mapping[str, Task]
    figures: Figures
    put_s: float = 0.0
    put_cpu_s: float = 0.0

    @classmethod
    def begin(cls, config: RunConfig, catalog: Catalog) -> _Kept:
        """Make a run without episodes."""
        store = RunStore(catalog.place(config.run_id), write=True)
        store.set_meta("config", config.model_dump_json())
        return cls(store, tasks_of(config), Figures(config))

    def put(self, episodes: Sequence[tuple[Trace, Grade]]) -> None:
        """Put episodes, one commit each."""
        wall, cpu = time.perf_counter(), time.process_time()
        for trace, grade in episodes:
            task = self.tasks[trace.episode.task]
            self.store.put(trace, grade, self.figures.record(task, trace, grade))
        self.put_s += time.perf_counter() - wall
        self.put_cpu_s += time.process_time() - cpu


def _kept_in_turns(played: _Played, into: Mapping[str, Catalog], number: int) -> list[Row]:
    """Put the same episodes into each store, and read them."""
    config, episodes = played.again(number)
    kept = {name: _Kept.begin(config, catalog) for name, catalog in into.items()}
    put = 0
    while part := list(islice(episodes, _IN_TURNS)):
        put += len(part)
        for each in kept.values():
            each.put(part)
    rows = []
    for name, each in kept.items():
        # Closed before it is measured: SQLite then takes its log in.
        each.store.close()
        (size,) = (run.size for run in into[name].list())
        cells = (f"{name}, written", f"{put:,}", f"{put / each.put_s:,.0f}")
        rows.append(Row((*cells, f"{1000 * each.put_cpu_s / put:.2f}", f"{size / put:,.0f}")))
    for name, each in kept.items():
        with RunStore(each.store.place) as store:
            cpu = time.process_time()
            rows_of(store, each.tasks)
            read_s = time.process_time() - cpu
        rows.append(Row((f"{name}, read", f"{put:,}", "", f"{1000 * read_s / put:.2f}", "")))
    return rows


def _long_run(played: _Played, folder: Path, number: int) -> list[Row]:
    """Report a run of very many episodes, and compare it again."""
    home = empty_home(folder)
    config, episodes = played.again(number)
    kept = _Kept.begin(config, FolderCatalog(home))
    put = 0
    while part := list(islice(episodes, 1_000)):
        kept.put(part)
        put += len(part)
    kept.store.close()
    rows = []
    for command in ("report", "resume"):
        cpu_s, mebibytes, code = _command(home, command, config.run_id)
        broken = None if code == 0 else f"exit code {code}"
        for what, goal in (
            (f"{cpu_s:.1f} s of CPU", Goal(cpu_s, REPORT_S, "less", " s", 0)),
            (f"{mebibytes:.0f} MiB", Goal(mebibytes, REPORT_MIB, "less", " MiB", 0)),
        ):
            cells = (f"`ossia {command}`: {what}", f"{put:,}", "", "", "")
            rows.append(Row(cells, goal, broken))
    for page in home.rglob("report.html"):
        size = page.stat().st_size / 1e6
        cells = (f"its page: {size:.1f} MB", f"{put:,}", "", "", "")
        rows.append(Row(cells, Goal(size, PAGE_MB, "less", " MB", 0)))
    return rows


def _command(home: Path, *arguments: str) -> tuple[float, float, int]:
    """Return CPU seconds, the most memory in MiB and the exit code of a command."""
    environ = {**os.environ, "OSSIA_HOME": str(home)}
    line = [sys.executable, "-m", "ossia", *arguments]
    with Path(os.devnull).open("w") as nowhere:
        actions = [(os.POSIX_SPAWN_DUP2, nowhere.fileno(), number) for number in (1, 2)]
        child = os.posix_spawn(sys.executable, line, environ, file_actions=actions)
        _, status, used = os.wait4(child, 0)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, os.waitstatus_to_exitcode(status)
