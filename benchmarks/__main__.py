"""The benchmarks' command line: `python -m benchmarks`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

from benchmarks.cluster_costs import cluster_costs
from benchmarks.concurrency import concurrency
from benchmarks.flowbench import flowbench
from benchmarks.harness import harness
from benchmarks.machine import machine
from benchmarks.record import write_figures
from benchmarks.recording import Recordings
from benchmarks.servers import servers
from benchmarks.stores import stores
from benchmarks.stress import stress
from benchmarks.tables import Table
from benchmarks.worfbench import worfbench
from benchmarks.workbench import workbench
from benchmarks.worlds import worlds
from ossia.adapters import AdapterInfo, find_adapter, find_adapters, ossia_home

__all__ = ["main"]

NAMES = (
    "harness",
    "stress",
    "servers",
    "concurrency",
    "worlds",
    "workbench",
    "worfbench",
    "flowbench",
    "stores",
    "cluster",
)
DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run benchmarks and print their tables.

    Args:
        arguments: The command line without the program's name; the process's own by default.

    Returns:
        The exit code: 0 when every figure could be measured, met goals or not, else 1.
    """
    options = _parser().parse_args(arguments)
    if options.record and (options.date is None or options.quick):
        _parser().error("--record needs --date, and figures of a --quick run are not recorded")
    home = ossia_home(os.environ)
    adapters = _adapters(options.adapter, home)
    names = tuple(each.name for each in adapters)
    recordings = Recordings(16 if options.quick else 32)
    runs: dict[str, Callable[[], Table]] = {
        "harness": lambda: harness(adapters, recordings, quick=options.quick),
        "stress": lambda: stress(find_adapter("control", home), recordings, quick=options.quick),
        "servers": lambda: servers(home, quick=options.quick),
        "concurrency": lambda: concurrency(adapters, recordings, quick=options.quick),
        "worlds": lambda: worlds(quick=options.quick),
        "workbench": lambda: workbench(quick=options.quick, data=options.workbench_data),
        "flowbench": lambda: flowbench(find_adapter("control", home), home, quick=options.quick),
        "worfbench": lambda: worfbench(quick=options.quick, data=options.worfbench_data),
        "stores": lambda: stores(names, quick=options.quick),
        "cluster": lambda: cluster_costs(names, quick=options.quick),
    }
    tables: dict[str, Table] = {}
    for name in options.only or NAMES:
        tables[name] = runs[name]()
        print(f"{tables[name].plain()}\n", flush=True)
    if options.record:
        shown = {name: table.markdown() for name, table in tables.items()}
        write_figures(DOCUMENT, shown, day=options.date, machine=machine())
    return int(any(row.broken for table in tables.values() for row in table.rows))


def _adapters(names: Sequence[str] | None, home: Path) -> tuple[AdapterInfo, ...]:
    if names:
        return tuple(find_adapter(name, home) for name in names)
    return find_adapters(home)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure what Ossia costs beside the plain thing, in turns in one run.",
    )
    parser.add_argument("--only", action="append", choices=NAMES, help="repeatable; default: all")
    parser.add_argument(
        "--adapter", action="append", help="repeatable; default: every adapter of Ossia's"
    )
    named = os.environ.get("OSSIA_WORKBENCH_DATA")
    parser.add_argument(
        "--workbench-data",
        type=Path,
        default=Path(named) if named else None,
        help="the published WorkBench data; its recorded runs are scored instead of gold runs of"
        " the generated office (OSSIA_WORKBENCH_DATA)",
    )
    golds = os.environ.get("OSSIA_WORFBENCH_DATA")
    parser.add_argument(
        "--worfbench-data",
        type=Path,
        default=Path(golds) if golds else None,
        help="the published WorFBench golds, which are scored instead of plans drawn at random"
        " (OSSIA_WORFBENCH_DATA)",
    )
    parser.add_argument("--quick", action="store_true", help="few rounds, for a first look")
    parser.add_argument(
        "--record", action="store_true", help="write the figures into docs/benchmarks.md"
    )
    parser.add_argument("--date", type=date.fromisoformat, help="the day that is recorded")
    return parser


if __name__ == "__main__":
    sys.exit(main())
