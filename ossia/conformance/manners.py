"""The checks of what is sent: parameters, the number of calls, and requests past the tools."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from ossia.conformance.findings import Finding, asked_and_answered
from ossia.conformance.players import Altered
from ossia.conformance.scenes import Scenes, scene_part
from ossia.conformance.stage import Played
from ossia_servers.gateway import canonical_request
from ossia_servers.wire.answers import read_calls
from ossia_servers.wire.calls import DATE_TOOL, HTTP_TOOL
from ossia_workflows import Team

__all__ = ["asked_again", "calls", "control_calls", "parameters", "posted", "tools_used"]

# Twice the control's calls and a few: frameworks plan, judge and sum up.
_TIMES = 2
_MANAGER_MORE = 4
_MEMBER_MORE = 1

_NEUTRAL: Mapping[str, tuple[Any, ...]] = {
    "top_p": (1, None),
    "n": (1, None),
    "presence_penalty": (0, None),
    "frequency_penalty": (0, None),
    "seed": (None,),
    "logit_bias": (None, {}),
    "top_k": (None,),
    "min_p": (None,),
    "repetition_penalty": (None,),
    "best_of": (None, 1),
}
"""Parameters that change what a model answers, with the values that change nothing."""

_PLAIN = frozenset(
    {"temperature", "tool_choice", "parallel_tool_calls", "user", "metadata", "store", *_NEUTRAL}
)
_FREE = (None, "auto", "none")
_CLOCK = "/clock"


async def parameters(scenes: Scenes) -> Finding:
    """Look at the parameters of every request so far."""
    await scenes.happy()
    bad: Counter[str] = Counter()
    others: set[str] = set()
    harmless: set[str] = set()
    number = 0
    for played in scenes.everything:
        for exchange in played.gateway.exchanges:
            number += 1
            harmless |= {
                f"{name}={json.dumps(value, sort_keys=True)}"
                for name, value in exchange.forced.items()
                if name in _PLAIN and name != "temperature"
            }
            others |= exchange.forced.keys() - _PLAIN
            chosen = exchange.request.get("tool_choice")
            if exchange.role != played.team.manager and chosen not in _FREE:
                others.add(f"tool_choice of {exchange.role}")
            for fault in _faults(exchange.request):
                bad[f"{exchange.role}: {fault}"] += 1
    if bad:
        seen = "; ".join(f"{fault} ({times} requests)" for fault, times in bad.most_common(4))
        return Finding(False, seen)
    if others:
        beside = ", ".join(sorted(others | harmless))
        return Finding(True, f"temperature is 0; also set: {beside}", noted=True)
    beside = ", ".join(sorted(harmless)) or "nothing else"
    return Finding(True, f"temperature is 0 in {number} requests; also set: {beside}")


def _faults(request: Mapping[str, Any]) -> list[str]:
    faults = []
    temperature = request.get("temperature")
    if temperature is None:
        faults.append("temperature is not set")
    elif temperature != 0:
        faults.append(f"temperature is {temperature}")
    for name, neutral in _NEUTRAL.items():
        if name in request and request[name] not in neutral:
            faults.append(f"{name} is {request[name]}")
    return faults


async def calls(scenes: Scenes) -> Finding:
    """Compare the number of calls with the control's, and look for requests that come twice."""
    played = await scenes.happy()
    exchanges = played.gateway.exchanges
    control = control_calls(played.team)
    whole = sum(control.values())
    too_many = []
    for role, own in control.items():
        more = _MANAGER_MORE if role == played.team.manager else _MEMBER_MORE
        if len(played.of_role(role)) > _TIMES * own + more:
            too_many.append(f"{role} {len(played.of_role(role))} (control {own})")
    again = asked_again(played)
    if again is not None:
        return Finding(False, again, trace=(played,))
    counted = f"{len(exchanges)} calls, where control makes {whole}"
    if too_many:
        return Finding(False, f"{counted}; too many: {', '.join(too_many)}", trace=(played,))
    return Finding(True, counted)


def control_calls(team: Team) -> Mapping[str, int]:
    """Return how often the control asks each role in the scene in which nothing goes wrong.

    A tool takes two requests, and the manager ends the work with one more than it hands over.
    """
    each = {role.name: 2 if role.tools else 1 for role in team.members}
    return {team.manager: len(each) + 1, **each}


def asked_again(played: Played) -> str | None:
    """Return which request was sent once more after its answer; None for none."""
    seen: set[bytes] = set()
    for exchange in played.gateway.exchanges:
        key = canonical_request(exchange.request)
        if exchange.status == "ok" and key in seen:
            return (
                f"the same request was sent again after its answer: {asked_and_answered(exchange)}"
            )
        if exchange.status == "ok":
            seen.add(key)
    return None


async def posted(scenes: Scenes) -> Played:
    """Return an episode whose request to a server is a POST and is answered with HTTP 500 once."""
    for played in scenes.everything:
        if played.part.fails:
            return played
    model = Altered(scenes.base, scenes.user_of(HTTP_TOOL), lambda call, message: _as_post(message))
    part = scene_part(scenes.draw_task("post"), model=model)
    return await scenes.play_part(replace(part, fails=True))


def _as_post(value: Any) -> Any:
    """Return a message with the method of its tool calls changed, in whatever form they are."""
    if isinstance(value, str):
        return value.replace('"GET"', '"POST"')
    if isinstance(value, Mapping):
        return {key: _as_post(each) for key, each in value.items()}
    return [_as_post(each) for each in value] if isinstance(value, list) else value


async def tools_used(scenes: Scenes) -> Finding:
    """Compare the requests that the servers got with the tool calls of the roles."""
    happy = await scenes.happy()
    await scenes.masked()
    await posted(scenes)
    number = 0
    for played in scenes.everything:
        called = _called(played)
        for asked in played.asked:
            number += 1
            what = f"{asked.method} {asked.target}"
            if not asked.token:
                detail = f"{what} bypassed the tools of the episode"
                return Finding(False, detail, trace=(played,))
            if not _matched(called, asked.method, asked.target):
                detail = f"{what} follows from no tool call of a role"
                return Finding(False, detail, trace=(played,))
        tokens = Counter(asked.token for asked in played.asked)
        if tokens and max(tokens.values()) > 1:
            return Finding(False, "a tool call was repeated, bypassing the tools", trace=(played,))
    unmade = _called(happy)
    for asked in happy.asked:
        _matched(unmade, asked.method, asked.target)
    if any(unmade.values()):
        lost = next(call for call, times in unmade.items() if times)
        detail = f"the call {' '.join(map(str, lost))} of a role reached no server"
        return Finding(False, detail, trace=(happy,))
    return Finding(True, f"{number} requests, each from a tool call of a role")


_Call = tuple[str, str, tuple[tuple[str, str], ...]]


def _called(played: Played) -> Counter[_Call]:
    """Count the tool calls of the roles by the request that follows from each."""
    found: Counter[_Call] = Counter()
    for exchange in played.gateway.exchanges:
        for name, arguments in read_calls(exchange.response or {}):
            if name == DATE_TOOL:
                found[_key("GET", _CLOCK)] += 1
            elif name == HTTP_TOOL:
                method = str(arguments.get("method", "")).strip().upper()
                found[_key(method, str(arguments.get("url", "")).strip())] += 1
    return found


def _key(method: str, target: str) -> _Call:
    parts = urlsplit(target)
    return method, parts.path, tuple(sorted(parse_qsl(parts.query, keep_blank_values=True)))


def _matched(called: Counter[_Call], method: str, target: str) -> bool:
    """Take a request off the calls; say whether there was one."""
    key = _key(method, target)
    if called[key] <= 0:
        return False
    called[key] -= 1
    return True
