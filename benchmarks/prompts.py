"""What a role finally sees in each variant, and what the wording of prompts changes.

python -m benchmarks.prompts --write docs/prompts.md
ossia compare -f all:all --model literal --json > literal.json
python -m benchmarks.prompts --table literal.json
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import ossia
from benchmarks.record import MissingMarker, recorded
from ossia.adapters import AdapterInfo, named_adapters, ossia_home
from ossia.errors import UserError
from ossia.fit import STANDARD
from ossia.suites import find_suite
from ossia_dataset.files import write_whole
from ossia_servers.wire.messages import Message, read_messages
from ossia_workflows import Team

__all__ = ["main", "requests_of", "table"]

TASK: Final = "alarm-001"
"""A task of the suite `assistant` for which the member below works, and uses its tool."""

MEMBER: Final = "time"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the requests into a document, or print a table of comparisons.

    Args:
        arguments: The command line without the program's name; the process's own by default.

    Returns:
        The exit code: 0, or 2 where something cannot be read, played or written.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks.prompts")
    parser.add_argument("--write", type=Path, metavar="DOCUMENT", help="where requests are written")
    parser.add_argument(
        "--only", action="append", metavar="VARIANT", help="as -f takes them; all:all by default"
    )
    parser.add_argument("--table", nargs="+", type=Path, metavar="FILE", help="of compare --json")
    options = parser.parse_args(arguments)
    try:
        if options.table:
            print(table([json.loads(file.read_text("utf-8")) for file in options.table]))
        if options.write:
            home = ossia_home(os.environ)
            names = options.only or ["all:all"]
            found = requests_of([each for name in names for each in named_adapters(name, home)])
            write_whole(options.write, recorded(options.write.read_text("utf-8"), found))
    except (LookupError, TypeError) as error:
        print(f"no comparison as `ossia compare --json` prints it: {error!r}", file=sys.stderr)
        return 2
    except (UserError, MissingMarker, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def requests_of(variants: Sequence[AdapterInfo], home: Path | None = None) -> Mapping[str, str]:
    """Return the first requests of the manager and of a member, as Markdown by the variant.

    Args:
        variants: What plays.
        home: Where the run is kept; as for `ossia.compare` when left out.

    Raises:
        UserError: One cannot play.
    """
    names = [each.key for each in variants]
    run = ossia.compare(names, only=TASK, models="gold", jobs=1, home=home)
    suite = find_suite(run.config.suite)
    team = suite.team(run.tasks[TASK], suite.domains(run.config.tasks))
    found = {}
    for info in variants:
        trace = run.trace(f"{info.key}.{TASK}.1")
        first = {each.role: each.request for each in reversed(trace.gateway.exchanges)}
        parts = (_request(first[role], role, team) for role in (team.manager, MEMBER))
        found[info.key] = "\n\n".join((f"### {info.label}", *parts))
    return found


def _request(request: Mapping[str, Any], role: str, team: Team) -> str:
    """A request that a reader unfolds: its messages, and what else the framework asks for."""
    messages = read_messages(request)
    said = "\n\n".join(_message(each, team) for each in messages)
    rest = {key: request[key] for key in sorted(request.keys() - {"messages", "model"})}
    # The order of tools is nobody's choice.
    tools = sorted(json.dumps(tool, ensure_ascii=False) for tool in rest.get("tools", ()))
    given = (f"{key}: {json.dumps(rest[key])}" for key in rest if key != "tools")
    asked = "\n".join((*given, *(f"tool: {tool}" for tool in tools)))
    size = sum(len(each.text) for each in messages)
    title = f"`{role}`: {len(messages)} messages, {size:,} characters; {', '.join(rest)}"
    return (
        f"<details><summary>{title}</summary>\n\n~~~~text\n{said}\n~~~~\n\n"
        f"~~~~text\n{asked}\n~~~~\n\n</details>"
    )


def _message(message: Message, team: Team) -> str:
    """A message for a reader, with our prompts folded."""
    text = message.text
    for role in team.roles:
        text = text.replace(role.prompt, f"<<< our prompt of `{role.name}` >>>")
    calls = [f"calls {name} {json.dumps(given)}" for name, given in message.calls]
    return "\n".join(filter(None, (f"[{message.role} {message.name}".rstrip() + "]", text, *calls)))


def table(comparisons: Sequence[Mapping[str, Any]]) -> str:
    """Return successes and tokens by variant as Markdown, with two columns for each comparison.

    Args:
        comparisons: As `ossia compare --json` prints them, of one model each.

    Raises:
        LookupError: Something is missing in one.
        TypeError: Something is of another kind.
    """
    head, rows = ["variant"], dict[str, list[str]]()
    for number, comparison in enumerate(comparisons):
        facts = comparison["facts"]
        head += [f"{facts['suite']}, {facts.get('prompts', STANDARD)}", "tokens"]
        for each in comparison["frameworks"]:
            won = each["success"]
            cells = rows.setdefault(each["label"], ["", ""] * number)
            cells += [f"{won['count']} of {won['of']}", f"{each['tokens']:,.0f}"]
    lines = [head, ["---", *["---:"] * (len(head) - 1)]]
    lines += [[label, *cells] for label, cells in rows.items()]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
