"""What the members of a team tell each other: the plan's last line, and the report of a call."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from pydantic import JsonValue

from ossia_servers.wire.calls import HTTP_TOOL, Call
from ossia_servers.wire.messages import arguments as read_arguments
from ossia_servers.wire.messages import mapping
from ossia_servers.wire.policy import may_pass
from ossia_servers.wire.reading import find_objects
from ossia_servers.wire.talk import Made, TalkTurn

__all__ = [
    "Outcome",
    "Wanted",
    "argument_text",
    "events",
    "outcomes",
    "plan_text",
    "report_text",
    "request_of",
]

_EVENT: Final = re.compile(
    r"^(?:\w+: )?(?:next: call (?P<tool>\w+) (?P<given>\{.*\})"
    r"|next: (?:ask|tell) (?P<words>.+)"
    r"|(?P<called>\w+) with (?P<with>\{.*\}) gave (?P<gave>\{.*\}))[.\s]*$",
    re.MULTILINE,
)
_REPORT: Final = "The service has answered:"
_STOPS: Final = re.compile(r"(?<=[.?!])\.$")
"""A framework that quotes a result may end it with a full stop of its own."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What comes next: a call, or words to the user where no tool is named.

    Attributes:
        words: What the user is told.
        tool: The tool to call; empty for none.
        arguments: What it is called with.
        scenario: The scenario that is followed.
        step: The step of it.
        known: What has been told, by name.
    """

    words: str = ""
    tool: str = ""
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)
    scenario: str = ""
    step: str = ""
    known: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A call that was made.

    Attributes:
        tool: The tool.
        arguments: Its arguments, as a request has them.
        status: The HTTP status; 0 where nothing answered.
        result: The fields of its result; None where it failed.
        problem: What the service says is wrong.
    """

    tool: str
    arguments: Mapping[str, str]
    status: int
    result: Mapping[str, JsonValue] | None
    problem: str = ""

    @property
    def answered(self) -> bool:
        """Whether the service answered, be it with a refusal: another try gives nothing else."""
        refused = 400 <= self.status < 500 and not may_pass(self.status)
        return self.result is not None or refused


def plan_text(wanted: Wanted) -> str:
    """Return what the planner says, in the lines that its prompt asks for."""
    known = json.dumps(dict(wanted.known), ensure_ascii=False)
    if wanted.tool:
        given = json.dumps(dict(wanted.arguments), ensure_ascii=False)
        following = f"call {wanted.tool} {given}"
    else:
        following = f"tell {' '.join(wanted.words.split())}"
    return "\n".join(
        [
            f"scenario: {wanted.scenario or 'not known yet'}",
            f"step: {wanted.step or 'none'}",
            f"known: {known}",
            f"next: {following}",
        ]
    )


def report_text(outcome: Outcome) -> str:
    """Return how the caller reports a call; its last line tells all."""
    gave: dict[str, JsonValue] = {"status": outcome.status}
    if outcome.result is None:
        gave["msg"] = outcome.problem
    else:
        gave["result"] = dict(outcome.result)
    given = json.dumps(dict(outcome.arguments), ensure_ascii=False)
    return f"{_REPORT}\n{outcome.tool} with {given} gave {json.dumps(gave, ensure_ascii=False)}"


def events(turn: TalkTurn) -> list[Wanted | Outcome]:
    """Return what the planner planned and the caller reported in a turn, in order."""
    return [found for text in turn.texts for found in _events(text)]


def outcomes(turn: TalkTurn) -> list[Outcome]:
    """Return the calls of a turn: those of the asked role, and those that the caller reported."""
    made = [found for each in turn.calls if (found := _outcome(each)) is not None]
    return made + [each for each in events(turn) if isinstance(each, Outcome)]


def request_of(service: str, tool: str, arguments: Mapping[str, JsonValue]) -> Call:
    """Return the call of `http_request` that calls a tool of a service."""
    query = {"intent": tool} | {name: argument_text(value) for name, value in arguments.items()}
    return Call(HTTP_TOOL, {"method": "GET", "url": f"/{service}?{urlencode(query)}"})


def argument_text(value: JsonValue) -> str:
    """Return an argument as a request has it."""
    if isinstance(value, bool):
        return str(value).lower()
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else str(value)


def _events(text: str) -> Iterator[Wanted | Outcome]:
    for match in _EVENT.finditer(text):
        if match["called"]:
            gave = read_arguments(match["gave"])
            given = {name: str(value) for name, value in read_arguments(match["with"]).items()}
            yield _answered(match["called"], given, gave, gave.get("result"), gave.get("msg"))
        elif match["tool"]:
            yield Wanted(tool=match["tool"], arguments=read_arguments(match["given"]))
        else:
            yield Wanted(words=_STOPS.sub("", match["words"].strip()))


def _outcome(made: Made) -> Outcome | None:
    """A call of a tool of the service, read from address and answer; None for any other call."""
    address = made.arguments.get("url")
    if made.tool != HTTP_TOOL or not isinstance(address, str):
        return None
    try:
        given = dict(parse_qsl(urlsplit(address).query, keep_blank_values=True))
    except ValueError:
        return None
    found = (each.value for each in find_objects(made.answer) if "status" in each.value)
    answer = next(found, {})
    body = answer.get("body")
    result = mapping(mapping(body).get("data")).get("result")
    problem = mapping(body).get("msg") or "the service gave no answer that can be read"
    return _answered(given.pop("intent", ""), given, answer, result, problem)


def _answered(
    tool: str, given: Mapping[str, str], answer: Mapping[str, object], result: object, said: object
) -> Outcome:
    status = answer.get("status")
    known = status if isinstance(status, int) else 0
    right = known == 200 and isinstance(result, Mapping)
    fields: Mapping[str, JsonValue] | None = dict(mapping(result)) if right else None
    return Outcome(tool, given, known, fields, " ".join(str(said or "").split())[:300])
