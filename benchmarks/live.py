"""A real model at a real endpoint: two tasks on every installed adapter, through the gateway.

Then it speaks for the user of two sessions of FlowBench, and gives marks for their responses.

The model is so small that it fails the tasks. What is checked is that each episode ends in a valid
verdict, with the tokens that the endpoint reports: `make test-live`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks.machine import machine
from benchmarks.record import MissingMarker, recorded, write_figures
from ossia.adapters import find_adapters, lacking, ossia_home
from ossia_evaluation.words import counted

__all__ = ["main", "problems", "table"]

PLACE: Final = "live"
"""The name of the table's place in the document."""

MODEL: Final = "smollm2-135m-instruct"

_TASKS: Final = 2
_END_SECONDS: Final = 20
# A model that never comes to an end must not make the test one.
_CHOICE: Final = ("--limit", str(_TASKS), "--max-calls", "6", "--max-seconds", "900")
_SESSIONS: Final = ("--suite", "flowbench", "--limit", "2", "--model", "offline")
_USELESS: Final = "3 times nothing that could be used"
"""Of a user's model, as the reason of an invalid episode has it."""


def problems(result: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """Return what is not as it should be in a comparison, a line each.

    Args:
        result: The comparison, as `ossia compare --json` prints it.
        names: The adapters that were to play.
    """
    lines = {line["framework"]: line for line in result["frameworks"]}
    found = [f"{name}: it did not play" for name in names if name not in lines]
    found += [f"{episode}: invalid: {why}" for episode, why in result["invalid"].items()]
    for name, line in lines.items():
        if line["episodes"] != _TASKS:
            found.append(f"{name}: {line['episodes']} episodes, not {_TASKS}")
        if not line["calls"]:
            found.append(f"{name}: the model was never asked")
        elif not line["tokens"] or line["tokens_estimated"]:
            found.append(f"{name}: tokens that the endpoint did not report")
    return found


def table(result: Mapping[str, Any]) -> str:
    """Return a comparison as a Markdown table.

    Args:
        result: As for `problems`.
    """
    head = "| framework | version | episodes | invalid | successes | refused | calls | tokens |"
    rows = [head, "|---|---|--:|--:|--:|--:|--:|--:|"]
    for line in result["frameworks"]:
        rows.append(
            f"| {line['framework']} | {line['version']} | {line['episodes']} | {line['invalid']} |"
            f" {line['success']['count']} | {line['refused']} |"
            f" {line['calls'] or 0:.1f} | {line['tokens'] or 0:,.0f} |"
        )
    return "\n".join(rows)


@contextmanager
def _served(python: Path) -> Iterator[str]:
    """Start the server; yields its address."""
    script = Path(__file__).with_name("llama_server.py")
    process = subprocess.Popen(
        [python, script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        for line in process.stdout:
            if line.startswith("http://127.0.0.1:"):
                yield line.strip()
                return
        raise SystemExit(f"the server did not start; run {python} {script} to see why")
    finally:
        process.stdin.close()
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()


def talk_problems(result: Mapping[str, Any], marks: Mapping[str, Any]) -> list[str]:
    """Return what is not as it should be where the model speaks for users and judges, a line each.

    A user that says nothing of use makes its session invalid, which is right of a model so small.

    Args:
        result: The comparison, as for `problems`.
        marks: What the judge made of it, as `ossia score flowbench-run --judge --json` tells it;
            empty where no session was valid.
    """
    user, found = result["user"] or {}, []
    if not user.get("calls") or not user.get("tokens"):
        found.append("user: the model was never asked, or the endpoint reported no tokens")
    found += [
        f"{episode}: invalid: {why}"
        for episode, why in result["invalid"].items()
        if _USELESS not in why
    ]
    valid = sum(line["episodes"] - line["invalid"] for line in result["frameworks"])
    if len(marks.get("marks", ())) != valid:
        found.append(f"judge: {len(marks.get('marks', ()))} replies for {valid} valid sessions")
    elif valid and not marks["spent"]["tokens"]:
        found.append("judge: tokens that the endpoint did not report")
    return found


def talk_text(result: Mapping[str, Any], marks: Mapping[str, Any]) -> str:
    """Return what the model did as user and as judge in a sentence.

    Args:
        result: As for `talk_problems`.
        marks: Likewise.
    """
    user = result["user"] or {"calls": 0, "tokens": 0}
    valid = sum(line["episodes"] - line["invalid"] for line in result["frameworks"])
    given = [mark for mark in marks.get("marks", {}).values() if mark is not None]
    return (
        f"As the user of {result['finished']} sessions the model was asked {user['calls']} times"
        f" ({user['tokens']:,} tokens), and {valid} came to a valid verdict; as their judge it gave"
        f" {counted(len(given), 'mark')}."
    )


def _told(url: str, home: str, *arguments: str) -> Any:
    """What a command with the model at the endpoint prints as JSON."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "ossia", *arguments, "--json", "--base-url", f"{url}/v1"),
            *("--call-seconds", "300", "--jobs", "1", "--model-param", "max_tokens=48"),
        ],
        env={**os.environ, "OSSIA_HOME": home},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        return json.loads(done.stdout)
    except ValueError:
        command = " ".join(arguments[:2])
        raise SystemExit(f"ossia {command} ended with {done.returncode} and no result") from None


@contextmanager
def _home(of: Path) -> Iterator[str]:
    """A home of its own with the installed environments."""
    with TemporaryDirectory(prefix="ossia-live-") as folder:
        (Path(folder) / "envs").symlink_to((of / "envs").resolve())
        yield folder


def _talked(url: str, home: str, name: str) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Let the model speak for users, to a framework that the offline model plays, and judge."""
    played = ("compare", "-f", name, *_SESSIONS, "--user", MODEL)
    result = _told(url, home, *played)
    if all(line["episodes"] == line["invalid"] for line in result["frameworks"]):
        return result, {}
    judged = _told(url, home, "score", "flowbench-run", result["run"], "--judge", MODEL)
    return result, judged["judge"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Play, check, and print the table or write it; returns 1 where something is wrong.

    Args:
        arguments: The command line's; by default the process's.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks.live", description=__doc__)
    parser.add_argument("--server", type=Path, required=True, help="the server's interpreter")
    parser.add_argument("--write", type=Path, help="a Markdown file that the table is written to")
    wanted = parser.parse_args(arguments)
    home = ossia_home(os.environ)
    names = [info.key for info in find_adapters(home) if lacking([info]) is None]
    if not names:
        print("no adapter is installed", file=sys.stderr)
        return 2
    if wanted.write is not None:
        try:
            recorded(wanted.write.read_text("utf-8"), {PLACE: ""})
        except (MissingMarker, OSError, ValueError) as error:
            print(f"{wanted.write}: {error}", file=sys.stderr)
            return 2
    with _served(wanted.server) as url, _home(home) as folder:
        played = ("compare", "-f", ",".join(names), "--model", MODEL, *_CHOICE)
        result = _told(url, folder, *played)
        talk = _talked(url, folder, names[0])
    found = [*problems(result, names), *talk_problems(*talk)]
    told = f"{table(result)}\n\n{talk_text(*talk)}"
    print(told)
    for line in found:
        print(line, file=sys.stderr)
    if found:
        return 1
    if wanted.write is not None:
        day = datetime.now(UTC).date()
        write_figures(wanted.write, {PLACE: told}, day=day, machine=machine())
    return 0


if __name__ == "__main__":
    sys.exit(main())
