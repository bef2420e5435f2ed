"""The frameworks' defaults that adapters change, each measured with and without the change.

    python -m benchmarks.defaults                                    # of all adapters
    python -m benchmarks.defaults --adapter autogen --limit 3
    python -m benchmarks.defaults --write docs/comparison.md --date 2026-03-14

Each adapter's project declares what it changes, and how the framework's own value is brought back:
by an edit of its sources. A copy with that edit plays the same tasks as the adapter does.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from benchmarks.machine import machine
from benchmarks.record import MissingMarker, recorded
from benchmarks.recording import CANNOT_PLAY, runnable_tasks
from benchmarks.sides import open_ossia
from ossia.adapters import AdapterInfo, find_adapter, find_adapters, ossia_home
from ossia.adapters.told import Default
from ossia_dataset.files import write_whole
from ossia_dataset.world_tasks import WorldTask
from ossia_evaluation.grade import Verdict
from ossia_servers.assistant.offline.opening import open_offline
from ossia_servers.gateway import ModelSpec

__all__ = ["Figures", "brought_back", "main", "moved", "undeclared"]

HEAD = ("variant", "default", "framework's", "ours", "why", "moves", "measured")

# What carries the team, which no framework could have a default for.
_GIVEN = frozenset(
    "name description id model model_client client async_client api_key base_url model_platform"
    " model_type tools handoffs target children coordinator_agent task_agent system_message"
    " message instructions session agents participants update goto graph llm role instruction"
    " llm_name actions action_name action_desc params_doc content".split()
)


@dataclass(frozen=True, slots=True)
class Figures:
    """What one variant took on some tasks, as means.

    Attributes:
        calls: Model calls of an episode.
        tokens: Its tokens, as the gateway estimates them.
        cpu_ms: CPU time of the worker.
        failed: Episodes without success.
    """

    calls: float
    tokens: float
    cpu_ms: float
    failed: int


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the changed defaults and print or write their table.

    Args:
        arguments: The command line without the program's name; the process's own by default.

    Returns:
        The exit code: 0; 1 where an adapter changes a default that it does not declare; 2 where
        the document has no place for an adapter's table, or cannot be written.
    """
    options = _parser().parse_args(arguments)
    if options.write is not None and options.date is None:
        _parser().error("--write needs --date")
    home = ossia_home(os.environ)
    named = options.adapter
    infos = [find_adapter(name, home) for name in named] if named else find_adapters(home)
    tasks = runnable_tasks(options.limit)
    missing = []
    for info in infos:
        lines = [f"| {' | '.join(HEAD)} |", "|---" * len(HEAD) + "|"]
        for cells in _rows(info, tasks):
            print("  ".join(cells), flush=True)
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        missing += [f"{info.name}: {what}" for what in undeclared(info)]
        if options.write is not None:
            stamp = f"Measured on {options.date} on {machine()}, {len(tasks)} tasks one at a time."
            table = "\n".join([*lines, "", stamp])
            try:
                text = recorded(options.write.read_text("utf-8"), {f"defaults {info.name}": table})
                write_whole(options.write, text)
            except (MissingMarker, OSError) as error:
                print(f"error: {error}", file=sys.stderr)
                return 2
    for each in missing:
        print(f"changed and not declared: {each}", file=sys.stderr)
    return 1 if missing else 0


def _rows(info: AdapterInfo, tasks: Sequence[WorldTask]) -> Iterator[tuple[str, ...]]:
    """Measure the changes of an adapter's variants, and yield the lines of the table."""
    for name in [variant.name for variant in info.variants]:
        variant, ours = info.with_variant(name), None
        for default in info.defaults:
            if default.variants and name not in default.variants:
                continue
            measured = "not measured"
            if default.edits:
                try:
                    ours = ours or asyncio.run(_played(variant, tasks))
                    measured = moved(_without(variant, default, tasks), ours)
                except CANNOT_PLAY as problem:
                    measured = f"not measured: {problem}"
            told = (default.what, default.theirs, default.ours, default.why, default.moves or "-")
            yield (f"{info.name}:{name}", *told, measured)


def moved(without: Figures, ours: Figures) -> str:
    """Say in words what a change moves.

    Args:
        without: What the variant takes with the framework's default.
        ours: What it takes as it is.
    """
    if without.failed > ours.failed:
        return f"without it {without.failed - ours.failed} more episodes fail"
    parts = []
    # CPU time of the same work varies by a tenth and more on a busy machine.
    for what, before, now, least in (
        ("calls", without.calls, ours.calls, 0.0),
        ("tokens", without.tokens, ours.tokens, 0.0),
        ("CPU", without.cpu_ms, ours.cpu_ms, 0.2),
    ):
        share = now / before - 1 if before else 0.0
        if abs(share) > least:
            parts.append(f"{share:+.1%} {what}" if what != "CPU" else f"{share:+.0%} CPU")
    return ", ".join(parts) or "nothing"


def _without(variant: AdapterInfo, default: Default, tasks: Sequence[WorldTask]) -> Figures:
    with tempfile.TemporaryDirectory(prefix="ossia-bench-") as folder:
        return asyncio.run(_played(brought_back(variant, default, Path(folder)), tasks))


def brought_back(info: AdapterInfo, default: Default, folder: Path) -> AdapterInfo:
    """Return an adapter whose copied sources have a framework's default again.

    Args:
        info: The adapter, in the variant that is to play.
        default: What is brought back.
        folder: Where the copy goes.

    Raises:
        ValueError: An edit's place is not there once.
    """
    package = _package(info)
    shutil.copytree(info.project / package, folder / package)
    for edit in default.edits:
        path = folder / package / edit.file
        text = path.read_text("utf-8")
        if text.count(edit.ours) != 1:
            raise ValueError(f"{info.name}, {default.what}: {edit.ours!r} is not once in {path}")
        path.write_text(text.replace(edit.ours, edit.theirs), "utf-8")
    # It comes before the environment's own copy, and a worker may read what is on its path.
    return replace(info, switches={**info.switches, "PYTHONPATH": str(folder)})


async def _played(info: AdapterInfo, tasks: Sequence[WorldTask]) -> Figures:
    by_id = {task.id: task for task in tasks}
    async with open_ossia(info, by_id, open_offline(ModelSpec("offline")), jobs=1) as side:
        # The first episode makes what is made once.
        await side.play(list(by_id)[:1])
        played = await side.play(list(by_id))
        again = await side.play(list(by_id))
    many = len(played)
    spent = zip(
        *([trace.timing.cpu_s or 0.0 for trace, _ in each] for each in (played, again)), strict=True
    )
    return Figures(
        calls=sum(trace.gateway.calls for trace, _ in played) / many,
        tokens=sum(trace.gateway.total_tokens for trace, _ in played) / many,
        # What other work on the machine adds is in the dearer of the two.
        cpu_ms=1000 * sum(map(min, spent)) / many,
        failed=sum(score.verdict is not Verdict.SUCCESS for _, score in played),
    )


def undeclared(info: AdapterInfo) -> list[str]:
    """Return the changed defaults that an adapter does not declare, by the frameworks' signatures.

    Args:
        info: The adapter; of one that is not installed nothing is known.
    """
    if not info.installed:
        return []
    script = Path(__file__).with_name("signatures.py")
    command = [str(info.python), "-P", str(script), _package(info)]
    environ = {"PATH": os.environ.get("PATH", ""), **info.switches}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environ)
    declared = {default.what for default in info.defaults}
    # A framework may print as it is imported.
    found: list[str] = json.loads(done.stdout.splitlines()[-1])
    given = {what for what in found if what.partition("(")[2].rstrip(")") in _GIVEN}
    return [what for what in found if what not in declared | given]


def _package(info: AdapterInfo) -> str:
    return info.entry.partition(":")[0].partition(".")[0]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.defaults",
        description="Measure the frameworks' defaults that adapters change, with and without.",
    )
    parser.add_argument("--adapter", action="append", help="repeatable; default: all of Ossia's")
    parser.add_argument("--limit", type=int, default=6, help="tasks; default: 6")
    parser.add_argument("--write", type=Path, help="a document with a place for each adapter")
    parser.add_argument("--date", type=date.fromisoformat, help="the day that is recorded")
    return parser


if __name__ == "__main__":
    sys.exit(main())
