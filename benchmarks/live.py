"""A real model at a real endpoint: two tasks on every installed adapter, through the gateway.

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

__all__ = ["main", "problems", "table"]

PLACE: Final = "live"
"""The name of the table's place in the document."""

MODEL: Final = "smollm2-135m-instruct"

_TASKS: Final = 2
_END_SECONDS: Final = 20
_CHOICE: Final = (
    *("--limit", str(_TASKS), "--jobs", "1"),
    # A model that never comes to an end must not make the test one.
    *("--max-calls", "6", "--model-param", "max_tokens=48"),
    *("--max-seconds", "900", "--call-seconds", "300"),
)


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


def _compared(url: str, home: Path, names: Sequence[str]) -> Mapping[str, Any]:
    """Play, in a home of its own with the installed environments."""
    with TemporaryDirectory(prefix="ossia-live-") as folder:
        (Path(folder) / "envs").symlink_to((home / "envs").resolve())
        done = subprocess.run(
            [
                *(sys.executable, "-m", "ossia", "compare", "-f", ",".join(names), "--json"),
                *("--model", MODEL, "--base-url", f"{url}/v1", *_CHOICE),
            ],
            env={**os.environ, "OSSIA_HOME": folder},
            stdout=subprocess.PIPE,
            text=True,
        )
    try:
        result: Mapping[str, Any] = json.loads(done.stdout)
    except ValueError:
        raise SystemExit(f"ossia compare ended with {done.returncode} and no result") from None
    return result


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
    with _served(wanted.server) as url:
        result = _compared(url, home, names)
    found = problems(result, names)
    print(table(result))
    for line in found:
        print(line, file=sys.stderr)
    if found:
        return 1
    if wanted.write is not None:
        day = datetime.now(UTC).date()
        write_figures(wanted.write, {PLACE: table(result)}, day=day, machine=machine())
    return 0


if __name__ == "__main__":
    sys.exit(main())
