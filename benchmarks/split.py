"""Where the tokens of a run go: ours, history, schemas, the framework's own text, completions.

    python -m benchmarks.split RUN
    python -m benchmarks.split RUN --write docs/comparison.md --date 2026-03-14

`ours` is what the suite gives: prompts and descriptions of roles, the goal, the user's words.
`history` is what was answered before in the episode, by models and by tools, wherever it stands in
a later request. `schemas` are tools and response formats. What is left of a request's text is the
framework's (or the adapter's own), with what the estimate counts for each message. Parts are
estimates, as the tokens are, and add up to them.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import orjson

from benchmarks.record import place_options, told
from ossia.adapters import ossia_home
from ossia.errors import UserError
from ossia.run_plan import tasks_of
from ossia.runner.find import find_run
from ossia.runner.store import RunStore
from ossia.suites import find_suite
from ossia_evaluation.grade import Verdict
from ossia_servers.gateway import Exchange
from ossia_servers.gateway.estimates import CHARACTERS_PER_TOKEN, message_text
from ossia_servers.trace import Trace
from ossia_workflows import Team

__all__ = ["PARTS", "main", "split"]

PARTS: Final = ("ours", "history", "schemas", "framework", "completions")
_REFERENCE: Final = "control"
_HARDENED: Final = "control:hardened"
"""It differs from the router under faults alone."""

_SHORTEST: Final = 8
"""A shorter text would be found where nobody has put it."""

_ARGUMENTS: Final = re.compile(r"\[(\{.*\})\]", re.DOTALL)


def main(arguments: Sequence[str] | None = None) -> int:
    """Tell the parts of each framework's tokens, and their difference to the reference's.

    Args:
        arguments: The command line without the program's name; the process's own by default.

    Returns:
        The exit code: 0, or 2 where the run is not there, or the table cannot be written.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks.split")
    parser.add_argument("run", help="a run's id or name, or the beginning of one")
    place_options(parser)
    options = parser.parse_args(arguments)
    try:
        with RunStore(find_run(ossia_home(os.environ), options.run)) as store:
            told(options, "split", _table(store))
    except (UserError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _table(store: RunStore) -> str:
    """The table as Markdown, and how many episodes it is of."""
    frameworks = store.config().frameworks
    means, valid, invalid = _means(store)
    lines = [
        f"| framework | idiom | calls | {' | '.join(PARTS)} | all |",
        "|---" * (len(PARTS) + 4) + "|",
    ]
    base = {
        each.idiom: means[each.name]
        for each in frameworks
        if each.name.partition(":")[0] == _REFERENCE and each.name != _HARDENED
    }
    for each in frameworks:
        found, against = means[each.name], base.get(each.idiom)
        cells = [f"{found[part]:,.0f}{_beside(found, against, part)}" for part in PARTS]
        whole = f"{sum(found[part] for part in PARTS):,.0f}"
        name = each.title or each.name
        lines.append(
            f"| {name} | {each.idiom} | {found['calls']:.1f} | {' | '.join([*cells, whole])} |"
        )
    count = f"{valid:,} episodes, {invalid} invalid, of {len(store.config().task_ids)} tasks."
    return "\n".join([*lines, "", count])


def _beside(found: Mapping[str, float], base: Mapping[str, float] | None, part: str) -> str:
    """What a part differs by from the reference's in the same idiom."""
    if base is None or base is found:
        return ""
    return f" ({found[part] - base[part]:+,.0f})"


def _means(store: RunStore) -> tuple[dict[str, dict[str, float]], int, int]:
    """The parts and calls of each framework's episode, and how many are valid and invalid."""
    config = store.config()
    tasks, suite = tasks_of(config), find_suite(config.suite)
    domains = suite.domains(config.tasks)
    sums: dict[str, Counter[str]] = {each.name: Counter() for each in config.frameworks}
    many: Counter[str] = Counter()
    invalid = 0
    for trace, grade in store.readable_episodes():
        if grade.verdict is Verdict.INVALID:
            invalid += 1
            continue
        task = tasks[trace.episode.task]
        found = sums[trace.episode.framework]
        found.update(split(trace, suite.team(task, domains), task.utterance))
        found["calls"] += trace.gateway.calls
        many[trace.episode.framework] += 1
    means = {
        name: {part: found[part] / max(many[name], 1) for part in (*PARTS, "calls")}
        for name, found in sums.items()
    }
    return means, many.total(), invalid


def split(trace: Trace, team: Team, utterance: str) -> Counter[str]:
    """Return the tokens of an episode by their parts, in whole tokens that add up to its own.

    Args:
        trace: The episode.
        team: Its team, whose words are ours.
        utterance: What the user said.
    """
    ours = {utterance, team.goal}
    ours |= {text for role in team.roles for text in (role.prompt, role.description)}
    said: set[str] = set()
    found: Counter[str] = Counter()
    for exchange in trace.gateway.exchanges:
        if exchange.usage is None:
            continue
        characters = _of_request(exchange.request, ours, said)
        told = {part: count // CHARACTERS_PER_TOKEN for part, count in characters.items()}
        found.update(told)
        found["framework"] += exchange.usage.prompt_tokens - sum(told.values())
        found["completions"] += exchange.usage.completion_tokens
        said |= set(_answered(exchange))
    return found


def _of_request(request: Mapping[str, Any], ours: set[str], said: set[str]) -> dict[str, int]:
    """The characters of a request that are ours, history, or schemas."""
    counts = {"ours": 0, "history": 0, "schemas": 0}
    for name in ("tools", "response_format"):
        if request.get(name):
            counts["schemas"] += len(orjson.dumps(request[name]).decode())
    for message in request.get("messages", ()):
        text = message_text(message)
        if message.get("role") == "tool":
            # What a tool has answered, or a member that is one.
            counts["history"] += len(text)
            said.update(_leaves(text))
            continue
        for call in message.get("tool_calls") or ():
            function = call.get("function", {})
            counts["history"] += len(f"{function.get('name', '')}{function.get('arguments', '')}")
        if message.get("role") == "assistant":
            counts["history"] += len(text)
            continue
        for part, known in (("ours", ours), ("history", said)):
            length, text = _taken(text, known)
            counts[part] += length
    return counts


def _taken(text: str, known: Iterable[str]) -> tuple[int, str]:
    """Take known texts out of a text, as they are or as a literal's inside, longest first."""
    forms = {form for each in known for form in _forms(each.strip())}
    length = 0
    for form in sorted(forms, key=len, reverse=True):
        if len(form) >= _SHORTEST and (count := text.count(form)):
            length += count * len(form)
            text = text.replace(form, "\0")
    return length, text


def _forms(text: str) -> tuple[str, ...]:
    """A text as it is, within JSON, and as Python shows it within text, by either quote."""
    python = text.replace("\\", "\\\\").replace("\n", "\\n")
    return text, json.dumps(text)[1:-1], python, python.replace("'", "\\'")


def _answered(exchange: Exchange) -> Iterator[str]:
    """Yield the texts of an answer that may stand in later requests."""
    message = exchange.response or {}
    yield from _leaves(message_text(message))
    for call in message.get("tool_calls") or ():
        yield from _leaves(str(call.get("function", {}).get("arguments", "")))


def _leaves(text: str) -> Iterator[str]:
    """Yield a text, and the texts within where it is JSON or ends with JSON in brackets."""
    yield text
    inner = _ARGUMENTS.search(text)
    try:
        whole = json.loads(inner[1] if inner else text)
    except ValueError:
        return
    nodes = [whole]
    while nodes:
        node = nodes.pop()
        if isinstance(node, str):
            yield node
        nodes += node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()


if __name__ == "__main__":
    sys.exit(main())
