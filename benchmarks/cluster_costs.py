"""What a Ray cluster costs an episode, and how much faster several nodes are.

Each side plays few tasks and many, and what the further ones took counts: not the start of nodes,
workers and models. CPU is that of all processes, those of Ray included.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from benchmarks.cluster import Side, empty_home, processes
from benchmarks.measure import Spread
from benchmarks.ray_nodes import ray_nodes
from benchmarks.tables import Goal, Row, Table
from ossia.adapters import ossia_home
from ossia.runner.cpu import cpu_of
from ossia.runner.store import RunStore

__all__ = ["cluster_costs"]

CONTROL_MS = 8.0
FRAMEWORK_PERCENT = 5.0
LINEAR = 0.9

_JOBS = 4
"""Episodes at once on each node."""
_SLOW_MODEL = "offline:delay=0.5"

_NOTE = (
    f"{_JOBS} episodes at once on each node; without a cluster, as many as on all nodes together."
    " All nodes are this machine. The two sides take turns. The CPU of an episode is that of all"
    " processes, without what starts once. A call of the slow model takes 0.5 s; the figure is"
    " episodes a second over those of one node times the number of nodes, measured once."
)


def cluster_costs(names: Sequence[str], *, quick: bool) -> Table:
    """Measure episodes on a Ray cluster of this machine beside the same ones without it.

    Args:
        names: The adapters that are installed. Of them `control` and `langgraph` are measured.
        quick: One small round, for a first look.

    Returns:
        The table.
    """
    rows: list[Row] = []
    if find_spec("ray") is None:
        rows.append(Row(("all", "", "", "", ""), broken="Ray is not installed"))
        names = ()
    with tempfile.TemporaryDirectory(prefix="ossia-bench-") as name:
        folder = Path(name)
        for framework, bound in (("control", _control), ("langgraph", _framework)):
            if framework in names:
                for nodes in (1,) if quick else (1, 3):
                    rows.append(_overhead(folder, framework, nodes, bound, quick=quick))
        if "control" in names:
            rows += _scaling(folder, (1, 2) if quick else (1, 2, 3), quick=quick)
    columns = ("what", "nodes", "without a cluster", "with it", "difference")
    return Table("A Ray cluster beside this machine alone", columns, tuple(rows), (_NOTE,))


@dataclass(frozen=True)
class _Spent:
    """What an episode took: CPU ms, and seconds of the clock."""

    cpu_ms: float
    seconds: float


def _control(alone: Spread, more: Spread) -> Goal:
    return Goal(more.median, CONTROL_MS, "less", " ms", 0)


def _framework(alone: Spread, more: Spread) -> Goal:
    return Goal(100 * more.median / alone.median, FRAMEWORK_PERCENT, "less", " %", 0)


def _overhead(
    folder: Path,
    framework: str,
    nodes: int,
    bound: Callable[[Spread, Spread], Goal],
    *,
    quick: bool,
) -> Row:
    """Play rounds without a cluster and with one, in turns."""
    run = ("-f", framework, "--model", "offline")
    few, many, rounds = (8, 24, 1) if quick else (24, 240, 5)
    jobs = nodes * _JOBS
    alone, beside = [], []
    for _ in range(rounds):
        alone.append(_further(folder, run, jobs, few, many))
        beside.append(_further(folder, run, jobs, few, many, nodes))
    without = Spread.of([each.cpu_ms for each in alone])
    within = Spread.of([each.cpu_ms for each in beside])
    pairs = zip(alone, beside, strict=True)
    more = Spread.of([other.cpu_ms - one.cpu_ms for one, other in pairs])
    cells = (f"CPU ms of an episode, {framework}", str(nodes), without.text(1), within.text(1))
    return Row((*cells, more.text(1)), bound(without, more))


def _scaling(folder: Path, counts: Sequence[int], *, quick: bool) -> list[Row]:
    """Play with a slow model on one node, and on more."""
    run = ("-f", "control", "--model", _SLOW_MODEL)
    few, many = (8, 16) if quick else (24, 96)
    rates = {
        count: 1 / _further(folder, run, count * _JOBS, few, many, count).seconds
        for count in counts
    }
    rows = [Row(("episodes a second, slow model", "1", "", f"{rates[1]:.2f}", ""))]
    for count in counts[1:]:
        share = rates[count] / rates[1] / count
        cells = ("episodes a second, slow model", str(count), "", f"{rates[count]:.2f}")
        rows.append(Row((*cells, f"{share:.2f} of linear"), Goal(share, LINEAR, "more")))
    return rows


def _further(
    folder: Path, run: Sequence[str], jobs: int, few: int, many: int, nodes: int = 0
) -> _Spent:
    """Return what each further episode takes, on so many nodes or without a cluster."""
    with ExitStack() as stack:
        cluster = None
        where: tuple[str, ...] = ()
        if nodes:
            home = str(ossia_home(os.environ))
            cluster = stack.enter_context(ray_nodes(nodes, OSSIA_HOME=home))
            where = ("--engine", "ray", "--address", cluster.address)
        spent = []
        # The first run on a cluster starts processes of Ray's that it keeps: thrown away.
        for limit in (few, few, many) if nodes else (few, many):
            home_of_run = empty_home(Path(tempfile.mkdtemp(dir=folder)) / "home")
            before = 0.0 if cluster is None else _ray_seconds(cluster.folder)
            begun = time.monotonic()
            command = ("compare", *run, "--json", "--limit", str(limit), "--jobs", str(jobs))
            side = Side(home_of_run, (*command, *where))
            side.end(side.begin())
            wall = time.monotonic() - begun
            beside = 0.0 if cluster is None else _ray_seconds(cluster.folder) - before
            spent.append((_run_seconds(home_of_run) + beside, wall))
    (few_cpu, few_wall), (many_cpu, many_wall) = spent[-2:]
    further = many - few
    return _Spent(1000 * (many_cpu - few_cpu) / further, (many_wall - few_wall) / further)


def _run_seconds(home: Path) -> float:
    """The CPU seconds of a run: command, nodes' parts, and their workers."""
    (folder,) = (home / "runs").iterdir()
    with RunStore(folder) as store:
        return cpu_of(store).seconds


def _ray_seconds(folder: str) -> float:
    """The CPU seconds of Ray's own processes so far."""
    ticks = 0
    for pid, line in processes():
        if folder in line:
            fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")
