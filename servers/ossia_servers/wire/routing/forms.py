"""The forms in which requests ask a manager for its choice."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ossia_servers.wire import ledgers
from ossia_servers.wire.conversation import Conversation
from ossia_servers.wire.duties import Duty, duty_of
from ossia_servers.wire.names import by_role, is_finish
from ossia_servers.wire.protocols import TextProtocol, protocol_of
from ossia_servers.wire.reading import without_utterances
from ossia_servers.wire.schemas import offered_values, properties_of
from ossia_servers.wire.ways import Way, end_way, ways

_SELECT = re.compile(r"select the next \w+ from \[([^\]]*)\]", re.IGNORECASE)
_ONE_OF = re.compile(r"\bone of (\w+(?:, (?:or |and )?\w+)+)", re.IGNORECASE)
_FINISH = re.compile(r"\b(finish(?:ed)?|terminate|done)\b", re.IGNORECASE)
_QUOTED_FINISH = re.compile(
    r"(?:\bor|\bsay|\banswer(?: with)?|\breply(?: with)?) [`'\"]?(\w+)", re.IGNORECASE
)
_KEYED = re.compile(
    r"(?:^|[`'\"(\s])(NEXT(?:[_ ](?:SPEAKER|AGENT|ROLE|WORKER))?"
    r"|Next(?: (?:speaker|agent|role|worker))?)[ \t]*:[ \t]*[<\[{(]"
)


class Form(StrEnum):
    """How the choice is written."""

    PLAN = "plan"
    """No choice: the request is for a plan, its assignment or a verdict (`wire.planning`)."""
    ANSWER = "answer"
    """No choice: the work is over, and the manager is asked for the answer."""
    LEDGER = "ledger"
    """A progress ledger: entries of reason and answer, one of them the next speaker."""
    PROTOCOL = "protocol"
    """An action of a text protocol, such as `Action:` lines or a block of code."""
    TOOLS = "tools"
    """A call of a tool: one for each member, one that is told the member, or structured output."""
    SCHEMA = "schema"
    """A JSON object by the schema of `response_format`."""
    LIST = "list"
    """One of the names of a "select the next role from [...]" prompt, which offers no end."""
    LINE = "line"
    """A line with a key, such as `NEXT: intent`."""
    JSON = "json"
    """A JSON object without a schema: `{"next": "intent"}`."""
    WORD = "word"
    """The role's name, or a word for the end."""


@dataclass(frozen=True, slots=True)
class Routing:
    """What a request says about the choice.

    Attributes:
        form: How it is written.
        names: The members to choose from, by role, as they are named there.
        end: The name for the end; None where there is none to be named: words without a call end
            the work in `TOOLS`, an entry of its own does in `LEDGER`, and nothing does in `LIST` or
            in a schema without one.
        ways: The tools of `TOOLS`, by role.
        end_way: The tool that ends the work in `TOOLS`, if there is one.
        choice: The property of `SCHEMA` or `LEDGER` that names the member, or the key of `LINE`.
        protocol: The protocol of `PROTOCOL`.
    """

    form: Form
    names: Mapping[str, str] = field(default_factory=dict)
    end: str | None = None
    ways: Mapping[str, Way] = field(default_factory=dict)
    end_way: Way | None = None
    choice: str = ""
    protocol: TextProtocol | None = None

    @property
    def must_choose(self) -> bool:
        """Whether a member has to be named, since there is no end."""
        return self.form is Form.LIST or (self.form is Form.SCHEMA and self.end is None)


def read_form(conversation: Conversation) -> Routing:
    """Return in which form a manager's request wants the choice.

    Args:
        conversation: The manager's request. `conversation.team` are the roles to look for.
    """
    if duty_of(conversation) is not Duty.ROUTE:
        return Routing(Form.PLAN)
    team, prompt = conversation.team, without_utterances(conversation.prompt)
    if ledgers.asks_for_progress(prompt):
        names = by_role(ledgers.speakers(prompt), team)
        return Routing(Form.LEDGER, names, choice=ledgers.SPEAKER)
    if ledgers.asks_for_answer(prompt):
        return Routing(Form.ANSWER)
    protocol = protocol_of(conversation)
    if protocol is not None:
        names = by_role(protocol.offered(conversation), team)
        return Routing(Form.PROTOCOL, names, protocol=protocol)
    handing = ways(conversation.tools, team)
    if handing:
        named = {role: way.name or way.tool for role, way in handing.items()}
        last = end_way(conversation.tools, team)
        return Routing(Form.TOOLS, named, ways=handing, end_way=last)
    return _by_schema(conversation.schema, team) or _by_words(conversation)


def _by_schema(schema: Mapping[str, Any] | None, team: Sequence[str]) -> Routing | None:
    for name, described in properties_of(schema or {}).items():
        values = offered_values(described, schema or {})
        names = by_role(values, team)
        if names:
            ends = [value for value in values if value not in names.values()]
            # A name that is neither a known role's nor the end's may be another role's.
            last = next((value for value in ends if is_finish(value)), ends[-1] if ends else None)
            return Routing(Form.SCHEMA, names, last, choice=name)
    return None


def _by_words(conversation: Conversation) -> Routing:
    said, team = conversation.said, conversation.team
    selected = _SELECT.findall(said)
    offered = re.findall(r"\w+", selected[-1]) if selected else []
    if offered:
        return Routing(Form.LIST, by_role(offered, team) or {offered[0]: offered[0]})
    listed = _listed(said)
    names = by_role(listed, team)
    # A word of the question itself: the task before it may have one too, such as a match's state.
    end = next(filter(is_finish, listed), None) or _finish_word(conversation.prompt)
    if conversation.json_wanted:
        return Routing(Form.JSON, names, end, choice="next")
    keyed = _KEYED.findall(said)
    if keyed:
        return Routing(Form.LINE, names, _finish_word(said), choice=keyed[-1])
    return Routing(Form.WORD, names, end)


def _listed(text: str) -> list[str]:
    """Return the names of a "one of a, b, c" question; empty without one."""
    found = _ONE_OF.findall(text)
    return [name.split()[-1] for name in found[-1].split(", ")] if found else []


def _finish_word(prompt: str) -> str:
    """Return the word by which the manager ends the work, as the prompt spells it."""
    for word in _QUOTED_FINISH.findall(prompt):
        if is_finish(word):
            return str(word)
    found = _FINISH.search(prompt)
    return found.group(1) if found else "finish"
