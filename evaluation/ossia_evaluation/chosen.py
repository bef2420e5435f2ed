"""What a manager's answer was: whether it names somebody, and whether the user was told it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ossia_evaluation.attribution.findings import spoken
from ossia_evaluation.steps import Step, last_step
from ossia_servers.wire.conversation import read_conversation
from ossia_servers.wire.duties import Duty, duty_of
from ossia_servers.wire.names import MANAGER
from ossia_servers.wire.routing import GARBAGE, Form, ends_with_answer, read_choice, read_form

_ENDS = frozenset({"finish", "finished", "end", "done", "stop", "terminate", "complete"})
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_LINE = re.compile(r"\s*(?:Action:\s*)?(\w+)\[(.*)\]\s*\Z", re.DOTALL)
_OWN_ACTIONS = frozenset({"think", "plan"})
"""Actions of AgentLite's protocol after which the manager is asked again."""


def names_nobody(step: Step, members: Collection[str]) -> bool:
    """Say whether a manager's turn names neither a member nor the end, so that nobody can go on.

    Prose that only mentions a member is no choice where one word, a line `Name[{...}]` or JSON was
    asked for. Where tools hand the work over, prose ends it.

    Args:
        step: a turn; only the manager's own answered ones can name nobody.
        members: the other roles of the team.
    """
    if step.role != MANAGER or not step.answered:
        return False
    named = frozenset(members) | _ENDS
    request, answer = step.exchanges[-1].request, step.exchanges[-1].response or {}
    asked = read_conversation(request, tuple(members))
    calls = step.tool_calls
    if calls:
        known = any(_mentions(_call_text(call), named) for call in calls)
        return not known and read_choice(answer, asked) == GARBAGE
    text = _last_words(step).strip()
    line = _LINE.match(text)
    if line is not None:
        return not _line_names(line.group(1), line.group(2), named)
    if not text or _asks_for_a_line(request):
        return True
    if duty_of(asked) in (Duty.FACTS, Duty.OUTLINE):
        return False
    if read_form(asked).form in (Form.PROTOCOL, Form.LINE, Form.LEDGER, Form.ANSWER):
        return read_choice(answer, asked) == GARBAGE
    if request.get("response_format"):
        return not _json_names(text, request, named)
    if request.get("tools"):
        return False
    return not _text_names(text, named)


def passed_over(steps: Sequence[Step], role: str, answer: str, members: Collection[str]) -> str:
    """Return what a role had said where the manager told the user something else in its place.

    A manager that has its members as tools, or ends the work with an answer, tells the user itself.

    Args:
        steps: the steps of an episode.
        role: whose words the user was to be told.
        answer: what the user was told.
        members: the other roles of the team.

    Returns:
        The role's words; empty where it had none, or the manager told nothing or no others.
    """
    last, heard = steps[-1] if steps else None, last_step(steps, role)
    if last is None or heard is None or last.role != MANAGER or not last.answered:
        return ""
    if not ends_with_answer(read_conversation(last.exchanges[-1].request, tuple(members))):
        return ""
    words, told, own = spoken(heard.text).strip(), answer.strip(), spoken(last.text).strip()
    said_it = told in own if told else not own
    return words if said_it and words != told else ""


def goes_on(step: Step, members: Collection[str]) -> bool:
    """Say whether a manager's turn names a member, so that it is not the end of the work.

    Args:
        step: a turn of the manager.
        members: the other roles of the team.
    """
    asked = read_conversation(step.exchanges[-1].request, tuple(members))
    return read_choice(step.exchanges[-1].response or {}, asked) in members


def _last_words(step: Step) -> str:
    """The words of the turn's last answer alone: what an earlier one said decides nothing."""
    content = (step.exchanges[-1].response or {}).get("content")
    return content if isinstance(content, str) else ""


def _mentions(text: str, named: Collection[str]) -> bool:
    words = {word.lower() for word in _WORD.findall(text)}
    folded = text.casefold()
    # A role's name may be several words: customer_relationship_manager.
    return bool(words & set(named)) or any("_" in name and name in folded for name in named)


def _call_text(call: Mapping[str, Any]) -> str:
    return f"{call.get('name', '')} {call.get('arguments', '')}"


def _line_names(name: str, arguments: str, named: Collection[str]) -> bool:
    """Whether a line of the text protocol names somebody; a member needs to be given a task."""
    if name.lower() in _OWN_ACTIONS or name.lower() in _ENDS:
        return True
    return _mentions(name, named) and any(_strings(_loaded(arguments)))


def _json_names(text: str, request: Mapping[str, Any], named: Collection[str]) -> bool:
    """Whether JSON names somebody; where no name is asked for, any JSON will do."""
    value = _loaded(text)
    if value is None:
        return False
    offered = [each for each in _enumerated(request["response_format"]) if _mentions(each, named)]
    return not offered or any(said in offered for said in _strings(value))


def _text_names(text: str, named: Collection[str]) -> bool:
    """Whether words name somebody: one name alone, JSON with one, or a list of tasks with some."""
    value = _loaded(text)
    if value is not None:
        return any(_mentions(said, named) for said in _strings(value))
    if "<task" in text:
        return _mentions(text, named)
    return len(text.split()) == 1 and _mentions(text, named)


def _asks_for_a_line(request: Mapping[str, Any]) -> bool:
    messages = request.get("messages") or [None]
    last = messages[-1].get("content") if isinstance(messages[-1], Mapping) else None
    return isinstance(last, str) and last.rstrip().endswith("Action:")


def _loaded(text: str) -> dict[str, Any] | list[Any] | None:
    """The JSON object or list of a text, or None."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def _strings(value: object) -> Iterator[str]:
    """All texts in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _enumerated(schema: object) -> Iterator[str]:
    """All texts that a schema lets choose from."""
    if isinstance(schema, Mapping):
        choices = schema.get("enum")
        yield from (each for each in choices or () if isinstance(each, str))
        for item in schema.values():
            yield from _enumerated(item)
    elif isinstance(schema, list):
        for item in schema:
            yield from _enumerated(item)
