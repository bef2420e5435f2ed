"""The checks: what every adapter must do, whatever its framework is like.

Each takes the scenes, plays what it needs and returns what it found. What frameworks may do in
their own way (route, retry, give up) is told in the detail and not judged.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from ossia.conformance.scenes import Scenes, canonical, texts_of
from ossia.conformance.stage import BUDGET, NOW, Played
from ossia.conformance.troubles import Trouble
from ossia.runner.config import EpisodeLimits

__all__ = ["CHECKS", "Check", "Finding"]

# A client that retries by itself shows as more calls than any framework makes of its own accord.
MOST_FAILING_CALLS = 10
MOST_TOOL_CALLS = 20
MOST_CALLS_WHEN_LOST = 100
# Each limit is tried with two values: what stays below the most calls may be another limit's work.
TOOL_ROUNDS = (2, 5)
TURNS = (3, 6)
CANCEL_SECONDS = 5.0
_PROC = Path("/proc")
CITIES = ("boise", "tulsa", "fresno", "omaha", "tampa", "reno")


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found.

    Attributes:
        passed: Whether the claim holds.
        detail: What was seen.
        noted: Whether nothing was seen that breaks the claim, but nothing that shows it either.
    """

    passed: bool
    detail: str
    noted: bool = False


@dataclass(frozen=True, slots=True)
class Check:
    """One check.

    Attributes:
        name: A short name.
        claim: What should be true, in one sentence.
        find: Plays the scenes it needs and judges them.
    """

    name: str
    claim: str
    find: Callable[[Scenes], Awaitable[Finding]]


def _ending(played: Played) -> str:
    calls = len(played.gateway.exchanges)
    if played.result is None:
        return f"cancelled after {played.seconds:.0f} s and {calls} calls"
    if played.error is not None:
        return f"ended with {played.error} after {calls} calls"
    return f"ended as if nothing had happened after {calls} calls"


async def _every_role(scenes: Scenes) -> Finding:
    played = await scenes.happy()
    stage = await scenes.stage()
    roles = [role.name for role in stage.team.roles]
    silent = [role for role in roles if not played.of_role(role)]
    bad = [each for each in played.gateway.exchanges if each.status != "ok"]
    answer = played.result.answer if played.result is not None else ""
    passed = not silent and not bad and played.error is None and bool(answer.strip())
    counts = ", ".join(f"{role} {len(played.of_role(role))}" for role in roles)
    trouble = f"; {_ending(played)}" if played.error else ""
    failures = "".join(f"; {each.role}: {each.error}" for each in bad[:3])
    return Finding(passed, f"calls: {counts}; answer {answer[:80]!r}{trouble}{failures}")


async def _prompts(scenes: Scenes) -> Finding:
    played = await scenes.happy()
    stage = await scenes.stage()
    changed = [
        role.name
        for role in stage.team.roles
        if role.prompt not in texts_of(played.gateway, role.name)
    ]
    if changed:
        return Finding(False, f"not found word for word: {', '.join(changed)}")
    forced = sorted({name for each in played.gateway.exchanges for name in each.forced})
    return Finding(True, f"parameters set besides: {', '.join(forced) or 'none'}")


async def _tool_call(scenes: Scenes) -> Finding:
    played = await scenes.happy()
    made = [f"{each.method} /{each.domain} {each.status}" for each in played.requests]
    dated = NOW.date().isoformat() in texts_of(played.gateway, "time")
    answered = "SUCCESS" in texts_of(played.gateway, "request")
    passed = bool(made) and dated and answered
    return Finding(
        passed,
        f"requests: {', '.join(made) or 'none'}; date read: {dated}; answer seen: {answered}",
    )


async def _tool_error(scenes: Scenes) -> Finding:
    played = await scenes.play(world=False)
    seen = "UNKNOWN_WORLD" in texts_of(played.gateway, "request")
    answer = played.result.answer if played.result is not None else ""
    passed = seen and played.error is None and bool(answer.strip())
    return Finding(passed, f"error seen by the model: {seen}; {_ending(played)}; {answer[:80]!r}")


async def _model_error(scenes: Scenes) -> Finding:
    details = []
    passed = True
    for role in ("manager", "intent"):
        played = await scenes.play(troubles={role: Trouble.FAIL})
        failed = [each for each in played.of_role(role) if each.status == "infrastructure"]
        passed &= played.result is not None and 0 < len(failed) <= MOST_FAILING_CALLS
        details.append(f"{role}: {len(failed)} failed calls, {_ending(played)}")
    return Finding(passed, "; ".join(details))


async def _model_timeout(scenes: Scenes) -> Finding:
    played = await scenes.play(
        troubles={"intent": Trouble.HANG}, limits=EpisodeLimits(call_seconds=1.0)
    )
    hung = [each for each in played.of_role("intent") if each.status != "ok"]
    passed = played.result is not None and 0 < len(hung) <= MOST_FAILING_CALLS
    return Finding(passed, f"{len(hung)} calls timed out, {_ending(played)}")


async def _tool_rounds(scenes: Scenes) -> Finding:
    counts = []
    for rounds in TOOL_ROUNDS:
        limits = EpisodeLimits(tool_rounds=rounds)
        played = await scenes.play(troubles={"time": Trouble.REPEAT}, limits=limits)
        counts.append(len(played.of_role("time")))
        if played.result is None or not 1 < counts[-1] <= MOST_TOOL_CALLS:
            seen = f"{counts[-1]} calls of the role for {rounds} rounds, {_ending(played)}"
            return Finding(False, f"{seen}; at most {MOST_TOOL_CALLS} are allowed")
    less, more = counts
    seen = f"{less} and {more} calls of the role for {TOOL_ROUNDS[0]} and {TOOL_ROUNDS[1]} rounds"
    if more > less:
        return Finding(True, seen)
    return Finding(False, f"{seen}: the limit has no effect, which should allow more calls")


async def _turns(scenes: Scenes) -> Finding:
    counts, led, endings = [], False, []
    for turns in TURNS:
        limits = EpisodeLimits(turns=turns)
        played = await scenes.play(troubles={"manager": Trouble.REPEAT}, limits=limits)
        calls = len(played.gateway.exchanges)
        counts.append(calls)
        led = led or len(played.of_role("manager")) < calls
        endings.append(f"{turns} turns: {_ending(played)}")
        if played.result is None or not 0 < calls <= MOST_CALLS_WHEN_LOST < BUDGET.calls:
            return Finding(False, f"{endings[-1]}; at most {MOST_CALLS_WHEN_LOST} are allowed")
    seen = "; ".join(endings)
    if counts[1] > counts[0]:
        return Finding(True, seen)
    if led:
        return Finding(False, f"{seen}; the limit has no effect, which should allow more calls")
    # The limit is one of members' turns. Where the manager's own calls end the episode before any
    # member has worked, nothing went beyond it, and nothing shows that it would have held.
    return Finding(True, f"limit has no effect: no member had a turn; {seen}", noted=True)


async def _concurrency(scenes: Scenes) -> Finding:
    stage = await scenes.stage()
    prompts = json.dumps(stage.team.model_dump(mode="json")).casefold()
    cities = [city for city in CITIES if city not in prompts]
    sentence = "what is the weather in {} tomorrow"
    everyone = await asyncio.gather(*(scenes.play(sentence.format(city)) for city in cities))
    mixed = []
    for own, played in zip(cities, everyone, strict=True):
        text = json.dumps([each.request for each in played.gateway.exchanges]).casefold()
        text += " ".join(str(each.params) for each in played.requests).casefold()
        mixed += [f"{other} in {own}" for other in cities if other != own and other in text]
        if own not in text or played.error is not None:
            mixed.append(f"{own}: {_ending(played)}")
    slowest = max(played.seconds for played in everyone)
    return Finding(
        len(cities) > 1 and not mixed,
        f"{len(cities)} episodes at once, {slowest:.1f} s; {', '.join(mixed) or 'nothing mixed'}",
    )


async def _memory(scenes: Scenes) -> Finding:
    return _same((await scenes.happy()), (await scenes.play()), "twice in one process")


async def _determinism(scenes: Scenes) -> Finding:
    return _same((await scenes.happy()), (await scenes.play_elsewhere()), "in two processes")


def _same(first: Played, second: Played, where: str) -> Finding:
    (ones, plain_ones), (others, plain_others) = canonical(first.gateway), canonical(second.gateway)
    if ones == others:
        equal = "byte for byte" if plain_ones == plain_others else "but for ids and order of tools"
        return Finding(bool(ones), f"{len(ones)} requests {where} are equal {equal}")
    differing = next((each for each in ones if each not in others), next(iter(others), b"")).decode(
        "utf-8", "replace"
    )
    return Finding(
        False, f"{len(ones)} and {len(others)} requests {where} differ, as in {differing[-200:]}"
    )


async def _cancellation(scenes: Scenes) -> Finding:
    played, home = await scenes.cancel_and_end(EpisodeLimits(call_seconds=5.0))
    error = played.result.error if played.result is not None else None
    cancelled = error is not None and error.type == "Cancelled"
    left = _processes_at(home)
    seen = f"processes left: {len(left)}" if _PROC.is_dir() else "processes cannot be seen here"
    detail = f"answered after {played.seconds:.2f} s; {seen}"
    if not cancelled:
        detail += f"; {_ending(played)}"
    return Finding(cancelled and played.seconds <= CANCEL_SECONDS and not left, detail)


def _processes_at(home: Path) -> list[int]:
    """Return the processes that have this home folder: the worker's, wherever they went."""
    mark = b"HOME=" + os.fsencode(home)
    found = []
    for environ in _PROC.glob("[0-9]*/environ"):
        try:
            variables = environ.read_bytes().split(b"\0")
        except OSError:
            continue
        if mark in variables:
            found.append(int(environ.parent.name))
    return found


async def _network(scenes: Scenes) -> Finding:
    refused = await scenes.refusals()
    if not scenes.version:
        return Finding(False, "no worker started, so nothing is known")
    tried = ", ".join(f"{address} ({times})" for address, times in sorted(refused.items()))
    return Finding(not refused, f"refused: {tried or 'nothing'}")


CHECKS: tuple[Check, ...] = (
    Check("every-role", "Every role is heard and the team answers.", _every_role),
    Check("prompts", "Every role's prompt arrives word for word.", _prompts),
    Check("tool-call", "Tool calls are really made and their results are seen.", _tool_call),
    Check("tool-error", "A tool's error goes back to the model and is survived.", _tool_error),
    Check("model-error", "A model that fails for ever ends the episode and is seen.", _model_error),
    Check("model-timeout", "A model that never answers is given up in time.", _model_timeout),
    Check("tool-rounds", "A role that calls tools for ever is stopped by its limit.", _tool_rounds),
    Check("turns", "A manager that never comes to an end is stopped by its limit.", _turns),
    Check("concurrency", "Episodes that are played at once do not mix.", _concurrency),
    Check("memory", "An episode leaves nothing behind for the next one.", _memory),
    Check("determinism", "Another process sends the same prompts.", _determinism),
    Check("cancellation", "A cancelled episode ends at once; no process is left.", _cancellation),
    # Last, as it looks back on all the others.
    Check("network", "Nothing but the gateway and the servers is contacted.", _network),
)
"""All checks, in the order in which they are made."""
