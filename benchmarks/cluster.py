"""Faults of a Ray cluster under runs.

    python -m benchmarks.cluster --rounds 20
    python -m benchmarks.cluster --fault "node lost"

A round is one run of `ossia compare --engine ray` on three nodes of this machine, with the fault at
a random moment. Afterwards its episodes are held against those of the same run without a cluster.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

from benchmarks.ray_nodes import Nodes, ray_nodes
from ossia.adapters import ossia_home
from ossia.errors import UserError
from ossia.runner.plan import planned
from ossia.runner.store import RunStore

__all__ = ["Side", "empty_home", "main", "processes"]

_RUN: Final = ("compare", "-f", "control", "--model", "offline:delay=0.1", "--json")
_SECONDS: Final = 300


@dataclass
class Side:
    """A folder of runs, and the commands that fill it."""

    home: Path
    arguments: Sequence[str]
    environ: Mapping[str, str] = field(default_factory=dict)

    def begin(self) -> subprocess.Popen[str]:
        """Begin the command."""
        return subprocess.Popen(
            [sys.executable, "-m", "ossia", *self.arguments],
            env={**os.environ, **self.environ, "OSSIA_HOME": str(self.home)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def end(self, command: subprocess.Popen[str]) -> str:
        """Await a command that has to succeed; returns what it told of its progress."""
        out, said = command.communicate(timeout=_SECONDS)
        if command.returncode != 0 or not out.startswith("{"):
            told = f"{out[:500]}\n{said[-2000:]}"
            raise RuntimeError(f"exit code {command.returncode}: {told}")
        return said

    def stored(self) -> int:
        """Return how many episodes are stored so far."""
        try:
            (folder,) = (self.home / "runs").iterdir()
            with RunStore(folder) as store:
                return len(store.finished())
        except (UserError, OSError, ValueError):
            return 0  # It is being made.

    def episodes(self) -> tuple[int, dict[str, str]]:
        """Return how many episodes are planned, and what was made of each that is stored.

        What differs from run to run by itself is left out: times, and names drawn at random.
        """
        (folder,) = (self.home / "runs").iterdir()
        with RunStore(folder) as store:
            found = {}
            for trace, grade in store.readable_episodes():
                calls = [(each.role, each.usage) for each in trace.gateway.exchanges]
                told = (trace.ending, trace.answer, trace.diff, calls, grade.model_dump_json())
                found[trace.episode.id] = repr(told)
            return planned(store.config()), found


@dataclass
class Tally:
    """What became of the rounds of one fault."""

    rounds: int = 0
    hit: int = 0
    """Rounds in which the fault came while episodes were played."""
    lost: int = 0
    other: int = 0
    """Episodes that ended otherwise than without a cluster."""
    seconds: list[float] = field(default_factory=list)


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out rounds and print what became of them.

    Args:
        arguments: The command line without the program's name; the process's own by default.

    Returns:
        The exit code: 0 when nothing was lost and nothing differs, else 1.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster")
    parser.add_argument("--rounds", type=int, default=20, help="of each fault")
    parser.add_argument("--fault", action="append", choices=sorted(FAULTS), help="all by default")
    parser.add_argument("--limit", type=int, default=60, help="tasks of a run")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    told: dict[str, Tally] = {}
    with tempfile.TemporaryDirectory(prefix="ossia-bench-") as folder:
        run = (*_RUN, "--limit", str(options.limit), "--jobs", "12")
        alone = Side(empty_home(Path(folder) / "alone"), run)
        begun = time.monotonic()
        alone.end(alone.begin())
        usual = time.monotonic() - begun
        expected = alone.episodes()[1]
        chance = Random(options.seed)
        with ray_nodes(OSSIA_HOME=str(alone.home)) as nodes:
            for name in options.fault or FAULTS:
                told[name] = Tally()
                for number in range(options.rounds):
                    home = empty_home(Path(folder) / f"{name}-{number}")
                    address = ("--engine", "ray", "--address", nodes.address)
                    side = Side(home, (*run, *address))
                    _round(side, nodes, name, chance, expected, told[name])
                    print(f"{name} {number + 1}: {told[name]}", file=sys.stderr, flush=True)
    print(_table(told, usual, len(expected)))
    return int(any(each.lost or each.other for each in told.values()))


def _round(
    side: Side,
    nodes: Nodes,
    fault: str,
    chance: Random,
    expected: Mapping[str, str],
    tally: Tally,
) -> None:
    """Play a run with a fault in the middle, and count what became of it."""
    begun = time.monotonic()
    command = side.begin()
    # At a random moment while it plays.
    wanted = chance.randrange(1, len(expected) * 3 // 4)
    while command.poll() is None and side.stored() < wanted:
        time.sleep(0.02)
    hit = command.poll() is None
    command = FAULTS[fault](nodes, chance, side, command)
    side.end(command)
    tally.seconds.append(time.monotonic() - begun)
    many, found = side.episodes()
    tally.rounds += 1
    tally.hit += hit
    tally.lost += many - len(found)
    tally.other += sum(found.get(name) != made for name, made in expected.items())


def _lose_node(
    nodes: Nodes, chance: Random, side: Side, command: subprocess.Popen[str]
) -> subprocess.Popen[str]:
    nodes.lose(chance.choice(nodes.others))
    nodes.add()
    return command


def _kill(title: str) -> Callable[..., subprocess.Popen[str]]:
    def kill(
        nodes: Nodes, chance: Random, side: Side, command: subprocess.Popen[str]
    ) -> subprocess.Popen[str]:
        found = [pid for pid, line in processes() if title in line]
        if found:
            os.kill(chance.choice(found), signal.SIGKILL)
        return command

    return kill


def _kill_driver(
    nodes: Nodes, chance: Random, side: Side, command: subprocess.Popen[str]
) -> subprocess.Popen[str]:
    command.kill()
    command.communicate()
    return side.begin()


FAULTS: Final[Mapping[str, Callable[..., subprocess.Popen[str]]]] = {
    "node lost": _lose_node,
    "part of a node killed": _kill("ray::Node"),
    "worker killed": _kill("ossia_adapter.worker"),
    "command killed": _kill_driver,
}


def processes() -> Iterator[tuple[int, str]]:
    """Yield the id and the command line of each process."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            yield int(folder.name), line


def empty_home(folder: Path) -> Path:
    """Make a folder of runs, with the environments that are installed."""
    folder.mkdir()
    (folder / "envs").symlink_to(ossia_home(os.environ) / "envs")
    return folder


def _table(told: Mapping[str, Tally], usual: float, many: int) -> str:
    lines = [
        "| fault | rounds | while playing | episodes lost | ended otherwise | seconds (most) |",
        "|---|---|---|---|---|---|",
    ]
    for name, tally in told.items():
        least, most = sorted(tally.seconds)[len(tally.seconds) // 2], max(tally.seconds)
        lines.append(
            f"| {name} | {tally.rounds} | {tally.hit} | {tally.lost} | {tally.other} |"
            f" {least:.0f} ({most:.0f}) |"
        )
    return "\n".join([*lines, "", f"{many} episodes a run; {usual:.0f} s without a cluster."])


if __name__ == "__main__":
    sys.exit(main())
