"""What a Ray cluster costs an episode, beside this machine alone.

    python -m benchmarks.cluster_costs --framework control

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
from benchmarks.ray_nodes import ray_nodes
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
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--few", type=int, default=40)
    parser.add_argument("--many", type=int, default=300)
    options = parser.parse_args(arguments)
    run = ("compare", "-f", options.framework, "--model", options.model, "--json", "--jobs", "12")
    with tempfile.TemporaryDirectory(prefix="ossia-bench-") as name:
        folder = Path(name)
        with ray_nodes(options.nodes, OSSIA_HOME=str(ossia_home(os.environ))) as nodes:
            ray = ("--engine", "ray", "--address", nodes.address)
            for side, more in (("one machine", ()), (f"{options.nodes} nodes", ray)):
                spent = []
                for many in (options.few, options.many):
                    home = empty_home(folder / f"{side} {many}")
                    before, begun = _ray_seconds(nodes.folder), time.monotonic()
                    one = Side(home, (*run, "--limit", str(many), *more))
                    one.end(one.begin())
                    wall = time.monotonic() - begun
                    beside = _ray_seconds(nodes.folder) - before if more else 0.0
                    spent.append((_run_seconds(home) + beside, wall))
                (cpu, wall), further = _difference(spent), options.many - options.few
                print(f"{side}: {1000 * cpu / further:.1f} CPU ms, {further / wall:.1f} a second")
    return 0


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
