"""What a Ray cluster costs an episode, beside this machine alone.

    python -m benchmarks.cluster_costs --framework control
    python -m benchmarks.cluster_costs --model offline:delay=0.5 --nodes 1 2 3 --few 24 --many 72

Each side plays few tasks and many. What the further ones cost is told: without the start of nodes,
workers and models. CPU is that of all processes, those of Ray included.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.cluster import Side, empty_home, processes
from benchmarks.ray_nodes import Nodes, ray_nodes
from ossia.adapters import ossia_home
from ossia.runner.cpu import cpu_of
from ossia.runner.store import RunStore

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print the figures.

    Args:
        arguments: The command line without the program's name; the process's own by default.

    Returns:
        The exit code.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster_costs")
    parser.add_argument("--framework", default="control")
    parser.add_argument("--model", default="offline")
    parser.add_argument("--nodes", type=int, nargs="+", default=[3])
    parser.add_argument("--jobs", type=int, default=4, help="episodes at once on each node")
    parser.add_argument("--few", type=int, default=40)
    parser.add_argument("--many", type=int, default=300)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="ossia-bench-") as name:
        folder = Path(name)
        most = max(options.nodes) * options.jobs
        print(f"one machine, {_told(options, _further(folder, options, most))}")
        for count in options.nodes:
            with ray_nodes(count, OSSIA_HOME=str(ossia_home(os.environ))) as nodes:
                spent = _further(folder, options, count * options.jobs, nodes)
            print(f"{count} nodes, {_told(options, spent)}", flush=True)
    return 0


def _further(
    folder: Path, options: argparse.Namespace, jobs: int, nodes: Nodes | None = None
) -> tuple[int, float, float]:
    """Return the episodes at once, and the seconds of CPU and of the clock of the further ones."""
    run = ("compare", "-f", options.framework, "--model", options.model, "--json")
    where = () if nodes is None else ("--engine", "ray", "--address", nodes.address)
    spent = []
    for many in (options.few, options.many):
        home = empty_home(folder / f"{jobs} {many} {bool(nodes)}")
        before = 0.0 if nodes is None else _ray_seconds(nodes.folder)
        begun = time.monotonic()
        one = Side(home, (*run, "--limit", str(many), "--jobs", str(jobs), *where))
        one.end(one.begin())
        wall = time.monotonic() - begun
        beside = 0.0 if nodes is None else _ray_seconds(nodes.folder) - before
        spent.append((_run_seconds(home) + beside, wall))
    return jobs, *_difference(spent)


def _told(options: argparse.Namespace, spent: tuple[int, float, float]) -> str:
    jobs, cpu, wall = spent
    further = options.many - options.few
    told = f"{1000 * cpu / further:.1f} CPU ms, {further / wall:.2f} a second"
    return f"{jobs} episodes at once: {told}"


def _difference(spent: Sequence[tuple[float, float]]) -> tuple[float, float]:
    (few_cpu, few_wall), (many_cpu, many_wall) = spent
    return many_cpu - few_cpu, many_wall - few_wall


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


if __name__ == "__main__":
    sys.exit(main())
