"""How long an episode takes at one job: with a model that answers at once, and with a slow one.

    ossia compare -f all:all --jobs 1 --limit 20 --json > rest.json
    ossia compare -f all:all --jobs 1 --limit 4 --model offline:delay=0.3 --json > delay.json
    python -m benchmarks.latency rest.json delay.json --delay 0.3

A worker's import and memory are those of the first comparison. `x calls` is how much longer an
episode takes than its calls' delays together.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.record import place_options, told

__all__ = ["main", "table"]

HEAD: Final = ("framework", "idiom", "import CPU s", "memory MiB", "calls", "CPU ms", "p50 ms")


def main(arguments: Sequence[str] | None = None) -> int:
    """Tell the latencies of two comparisons as a Markdown table.

    Args:
        arguments: The command line without the program's name; the process's own by default.

    Returns:
        The exit code: 0, or 2 where a file is no comparison of one job, or cannot be written.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks.latency")
    parser.add_argument("rest", type=Path, help="as `ossia compare --jobs 1 --json` prints it")
    parser.add_argument("slow", type=Path, help="the same with a model's delay")
    parser.add_argument("--delay", type=float, required=True, help="its seconds a call")
    place_options(parser)
    options = parser.parse_args(arguments)
    try:
        rest, slow = (json.loads(path.read_text("utf-8")) for path in (options.rest, options.slow))
        told(options, "latency", table(rest, slow, options.delay))
    except (LookupError, TypeError) as error:
        print(f"no comparison as `ossia compare --json` prints it: {error!r}", file=sys.stderr)
        return 2
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def table(rest: Mapping[str, Any], slow: Mapping[str, Any], delay: float) -> str:
    """Return the table, and how many tasks each half of it is of.

    Args:
        rest: A comparison at one job.
        slow: The same frameworks with a model that takes its time.
        delay: That model's seconds a call.

    Raises:
        LookupError: Something is missing.
        TypeError: Something is of another kind.
        ValueError: More than one episode was played at once.
    """
    if any(each["jobs"] != 1 for whole in (rest, slow) for each in whole["frameworks"]):
        raise ValueError("latency is told at one job: --jobs 1")
    delayed = {each["framework"]: each for each in slow["frameworks"]}
    head = (*HEAD, f"p50 s, {delay:g} s a call", "x calls")
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for each in rest["frameworks"]:
        other, worker = delayed[each["framework"]], each["worker"]
        cells = (
            each["label"],
            each["idiom"],
            f"{worker['import_cpu_s']:.2f}",
            f"{worker['memory_mib']:.0f}",
            f"{each['calls']:.1f}",
            f"{1000 * each['cpu_s']:.0f}",
            f"{1000 * each['wall_p50_s']:.0f}",
            f"{other['wall_p50_s']:.2f}",
            f"{other['wall_s'] / (other['calls'] * delay):.2f}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    tasks = " and ".join(str(max(f["episodes"] for f in w["frameworks"])) for w in (rest, slow))
    return "\n".join([*lines, "", f"One job at a time, on {tasks} tasks."])


if __name__ == "__main__":
    sys.exit(main())
