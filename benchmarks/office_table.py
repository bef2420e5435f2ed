"""Adapters and teams of the office in one table, from what `ossia compare --json` printed.

ossia compare --suite workbench-react --model gold --model idle --json > react.json
python -m benchmarks.office_table react.json
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["main", "table"]

HEAD = ("adapter", "suite", "model", "episodes", "invalid", "success", "side effects")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table of some comparisons as Markdown.

    Args:
        arguments: The command line without the program's name; the process's own by default.

    Returns:
        The exit code: 0, or 2 where a file is no comparison.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks.office_table")
    parser.add_argument("file", nargs="+", type=Path, help="printed by `ossia compare --json`")
    files = parser.parse_args(arguments).file
    try:
        print(table([json.loads(file.read_text("utf-8")) for file in files]))
    except (OSError, ValueError, LookupError, TypeError) as error:
        print(f"no comparison as `ossia compare --json` prints it: {error!r}", file=sys.stderr)
        return 2
    return 0


def table(comparisons: Sequence[dict[str, Any]]) -> str:
    """Return comparisons as one Markdown table, and the lines below it on where they come from.

    Args:
        comparisons: What the command printed, one for each suite.

    Raises:
        ValueError: A run is not finished, or one adapter, suite and model occurs twice.
        LookupError: Something is missing in a comparison.
        TypeError: Something is of another kind.
    """
    lines: dict[tuple[str, str, str], tuple[str, ...]] = {}
    sources: list[str] = []
    for found in comparisons:
        suite = found["facts"]["suite"]
        if found["finished"] != found["planned"]:
            done, planned = found["finished"], found["planned"]
            raise ValueError(f"{found['run']}: only {done} of {planned} episodes are finished")
        for line in found["frameworks"]:
            key = (line["framework"], suite, line["model"])
            if key in lines:
                raise ValueError(f"{', '.join(key)}: occurs twice")
            counts = str(line["episodes"]), str(line["invalid"])
            shares = _share(line["success"]), _share(line["metrics"]["side_effects"])
            lines[key] = (*key, *counts, *shares)
        facts = found["facts"]
        sources.append(f"{suite}: tasks {facts['tasks']}, ossia {facts['ossia']}")
    rows = [HEAD, ("---",) * len(HEAD), *(lines[key] for key in sorted(lines))]
    shown = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return "\n".join([shown, "", *(f"{source}  " for source in dict.fromkeys(sources))]).rstrip()


def _share(counted: dict[str, Any]) -> str:
    """Return a count with its percentage."""
    count, of = counted["count"], counted["of"]
    return f"{count} of {of} ({100 * count / of:.2f} %)" if of else "-"


if __name__ == "__main__":
    raise SystemExit(main())
