"""What has been said in one turn of the user's, and what each role builds on in it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ossia_evaluation.flowbench.attribution.owed import Owed
from ossia_evaluation.flowbench.measures.calls import Call
from ossia_evaluation.flowbench.trajectory import typed_call
from ossia_evaluation.urls import read_url
from ossia_servers.flowbench.reports import Wanted, argument_text, events
from ossia_servers.wire.answers import read_calls, words_in
from ossia_servers.wire.calls import HTTP_TOOL
from ossia_servers.wire.talk import TalkTurn
from ossia_workflows.flowbench import AGENT, CALLER, DIALOGUE, MANAGER, PLANNER
from ossia_workflows.scenario import Tool

__all__ = ["DECIDERS", "TurnLog", "calls_in", "planned_call", "plans_in"]

DECIDERS = (AGENT, PLANNER)
"""The roles that say what comes next."""


@dataclass
class TurnLog:
    """What has been said in a turn so far.

    Attributes:
        owed: What is owed in it.
        worked: The members that have worked, in order.
        planned: What the planner has said comes next, in order.
        made: The calls that were made, in order.
    """

    owed: Owed
    worked: list[str] = field(default_factory=list)
    planned: list[Wanted] = field(default_factory=list)
    made: list[Call] = field(default_factory=list)

    def key(self, role: str) -> str:
        """Return what a role builds on."""
        if role in DECIDERS:
            return self.owed.key
        if role == CALLER:
            return _told(self.planned[-1:])
        if role == DIALOGUE:
            return _told([each for each in self.planned if each.words][-1:])
        return json.dumps([self.worked, _told(self.planned[-1:])])

    def add(self, role: str, message: Mapping[str, Any], tools: Mapping[str, Tool]) -> list[Call]:
        """Note what a role has said; returns the calls in it.

        Args:
            role: Who.
            message: What.
            tools: The service's tools, by name.
        """
        if role == MANAGER:
            return []
        if not self.worked or self.worked[-1] != role:
            self.worked.append(role)
        if role == PLANNER:
            self.planned += plans_in([message])
        calls = calls_in(message, tools)
        self.made += calls
        return calls


def calls_in(message: Mapping[str, Any], tools: Mapping[str, Tool]) -> list[Call]:
    """Return the calls of the service's tools that a message makes, with typed arguments."""
    found = []
    for name, arguments in read_calls(message):
        if name == HTTP_TOOL:
            _, params = read_url(str(arguments.get("url", "")))
            tool = params.get("intent", "")
            found.append(typed_call(tool, params, tools.get(tool)))
    return found


def plans_in(messages: Sequence[Mapping[str, Any]]) -> list[Wanted]:
    """Return what a planner says comes next, in order; nothing where it keeps to no form."""
    return [
        each
        for message in messages
        for each in events(TalkTurn("", [words_in(message)]))
        if isinstance(each, Wanted)
    ]


def planned_call(wanted: Wanted, tools: Mapping[str, Tool]) -> Call:
    """Return the call that a planner names, with typed arguments."""
    given = {name: argument_text(value) for name, value in wanted.arguments.items()}
    return typed_call(wanted.tool, given, tools.get(wanted.tool))


def _told(wanted: Sequence[Wanted]) -> str:
    parts = [[each.tool, each.arguments, each.words] for each in wanted]
    return json.dumps(parts, sort_keys=True, ensure_ascii=False, default=str)
