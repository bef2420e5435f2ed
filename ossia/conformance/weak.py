"""What an adapter does when the model is weak: unusable answers, and a server that is strict.

How a framework takes them is its own affair, and is told in a table. That it ends, with an answer
or with an error that names the cause, is checked.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from ossia.conformance.findings import Finding, asked_and_answered, ending, quoted
from ossia.conformance.leading import unsaid
from ossia.conformance.manners import asked_again
from ossia.conformance.players import ScriptedTeam, StrictModel
from ossia.conformance.scenes import Scenes, scene_part
from ossia.conformance.stage import Played
from ossia.conformance.texts import own_answer
from ossia.runner.config import EpisodeLimits
from ossia_evaluation.words import counted
from ossia_servers.gateway import Completion, Model, ModelCall
from ossia_servers.gateway.models import completion_of
from ossia_servers.wire.calls import DATE_TOOL
from ossia_servers.wire.conversation import read_conversation
from ossia_servers.wire.routing import present_choice

__all__ = ["CASES", "Case", "outcome", "play_cases", "strict_order", "table", "weak_model"]

_WORDS = "Here is my part of the work."
_TURNS = 4
_NOBODY = "astrologer"
_GARBAGE = "Hm, seventeen doors and a lamp. As an AI, I"
_JSON = json.dumps({"thought": "who could it be", "step": 1})
MOST_CALLS = 100
INTERNAL = (
    *("UnboundLocalError", "NameError", "AttributeError", "TypeError", "KeyError", "IndexError"),
    *(
        "AssertionError",
        "RecursionError",
        "ZeroDivisionError",
        "StopIteration",
        "InvalidStateError",
    ),
)
"""Errors that tell of a slip in a program and not of what a model wrote."""

Message = Mapping[str, Any]

Answer = Callable[[Message, Sequence[str]], Message]
"""Answers a request, given the members in their order."""


@dataclass(frozen=True, slots=True)
class Case:
    """One kind of unusable answer.

    Attributes:
        name: What a table calls it.
        by: Who gives it.
        message: The message for a request, given the members in their order.
    """

    name: str
    by: Literal["manager", "members", "tool user"]
    message: Answer


def _says(text: str) -> Answer:
    return lambda request, members: {"content": text}


def _chooses_first(request: Message, members: Sequence[str]) -> Message:
    """What a manager says that names one role in the form asked for."""
    return present_choice(read_conversation(request, members), members[0])


def _chooses_nobody(request: Message, members: Sequence[str]) -> Message:
    """What a manager says that names a role in the form asked for which is not there."""
    return cast(Message, _renamed(_chooses_first(request, members), members[0]))


def _renamed(value: Any, role: str) -> Any:
    if isinstance(value, str):
        return value.replace(role, _NOBODY, 1)
    if isinstance(value, Mapping):
        return {key: _renamed(each, role) for key, each in value.items()}
    return [_renamed(each, role) for each in value] if isinstance(value, list) else value


def _calls(name: str, arguments: str) -> Answer:
    def call(request: Message, members: Sequence[str]) -> Message:
        number = len(request["messages"])
        function = {"name": name, "arguments": arguments}
        made = {"id": f"call_{number}", "type": "function", "function": function}
        return {"content": None, "tool_calls": [made]}

    return call


CASES: tuple[Case, ...] = (
    Case("manager: prose", "manager", _says(_GARBAGE)),
    Case("manager: nothing", "manager", _says("")),
    Case("manager: other JSON", "manager", _says(_JSON)),
    Case("manager: no such role", "manager", _chooses_nobody),
    Case("manager: always one role", "manager", _chooses_first),
    Case("members: nothing", "members", _says("")),
    Case("members: other JSON", "members", _says(_JSON)),
    Case("member: no such tool", "tool user", _calls("teleport", "{}")),
    Case("member: broken arguments", "tool user", _calls(DATE_TOOL, '{"a": ')),
)
"""All kinds, in the order of the table."""

STRICT = "manager: prose, strict server"


class _Weak:
    """Gives the unusable answer of a case, and otherwise follows a script; for one episode."""

    def __init__(self, case: Case, scenes: Scenes) -> None:
        self.name = "conformance:weak"
        team, user = scenes.team, scenes.user_of(DATE_TOOL)
        order = (scenes.first, user, team.final)
        by = {"manager": (team.manager,), "members": order, "tool user": (user,)}
        self._message, self._roles = case.message, by[case.by]
        self._members = [role.name for role in team.members]
        self._script = ScriptedTeam(team, order, dict.fromkeys(order, _WORDS))

    async def complete(self, call: ModelCall) -> Completion:
        if call.role in self._roles:
            return completion_of(self._message(call.request, self._members))
        return await self._script.complete(call)


async def play_cases(scenes: Scenes) -> tuple[tuple[str, Played], ...]:
    """Play an episode of each kind, and one with a strict server.

    Returns:
        The kinds' names with what the episodes left behind.

    Raises:
        WorkerError: The worker cannot be started, or ended.
    """
    limits = EpisodeLimits(turns=_TURNS, tool_rounds=2)
    models: list[Model] = [_Weak(case, scenes) for case in CASES]
    models.append(StrictModel(_Weak(CASES[0], scenes)))
    parts = [
        scene_part(scenes.draw_task(f"weak {number}"), model=model, limits=limits)
        for number, model in enumerate(models)
    ]
    await scenes.stage()
    played = await asyncio.gather(*map(scenes.play_part, parts))
    return tuple(zip([*(case.name for case in CASES), STRICT], played, strict=True))


def outcome(played: Played) -> str:
    """Return how an episode with a weak model ended, in a few words."""
    calls = len(played.gateway.exchanges)
    after = f"after {counted(calls, 'call')}"
    if played.result is None:
        return f"hangs {after}"
    if played.result.error is not None:
        return f"`{played.result.error.type}` {after}"
    return f"{'answer' if played.answer.strip() else 'no answer'} {after}"


async def weak_model(scenes: Scenes) -> Finding:
    """Give unusable answers of each kind and see that the episode ends with a reason."""
    cases = [(name, each) for name, each in await play_cases(scenes) if name != STRICT]
    bad = [(name, each) for name, each in cases if _fault(each) is not None]
    if not bad:
        seen = "; ".join(f"{name}: {outcome(each)}" for name, each in cases).replace("`", "")
        again = [name for name, each in cases if asked_again(each)]
        added = next(filter(None, (own_answer(scenes.info, each) for _, each in cases)), None)
        if added is not None:
            return Finding(False, added, trace=tuple(each for _, each in cases))
        own = [(name, each) for name, each in cases if each.error is None and unsaid(each)]
        if own:
            told = "; ".join(f"{name}: {quoted(unsaid(each))}" for name, each in own)
            return Finding(
                True, f"{seen}; answers that no role said: {told}", noted=True, trace=(own[0][1],)
            )
        if again:
            return Finding(True, f"{seen}; asked again in the same words: {', '.join(again)}", True)
        return Finding(True, seen)
    name, played = bad[0]
    last = played.gateway.exchanges[-1:]
    came = f"; {asked_and_answered(last[0])}" if last else ""
    more = f"; also {', '.join(other for other, _ in bad[1:])}" if bad[1:] else ""
    return Finding(False, f"{name}: {_fault(played)}{came}{more}", trace=(played,))


def _fault(played: Played) -> str | None:
    """Return what is wrong with the end of an episode; `None` for nothing."""
    if played.result is None or len(played.gateway.exchanges) > MOST_CALLS:
        return ending(played)
    error = played.result.error
    if error is None:
        return None
    first = error.message.partition(":")[0].rpartition(".")[2].strip()
    if error.type in INTERNAL or first in INTERNAL:
        return f"{ending(played)}, which hides the cause"
    return None


async def strict_order(scenes: Scenes) -> Finding:
    """Let a server refuse what chat templates of real servers refuse, of good and weak managers."""
    limits = EpisodeLimits(turns=_TURNS, tool_rounds=2)
    task = scenes.draw_task("strict order")
    good = await scenes.play_part(scene_part(task, model=StrictModel(scenes.base)))
    weak = await scenes.play_part(
        scene_part(task, model=StrictModel(_Weak(CASES[0], scenes)), limits=limits)
    )
    seen = []
    for what, played in (("", good), ("after an unusable answer, ", weak)):
        fault = _fault(played)
        if fault is not None:
            return Finding(False, f"{what}{fault}", trace=(played,))
        refused = [each for each in played.gateway.exchanges if each.status == "bad_request"]
        if refused:
            seen.append(f"{what}{refused[0].role}: {refused[0].error} (HTTP 400); {ending(played)}")
    if seen:
        told = f"strict servers refuse: {'; '.join(seen)}"
        return Finding(True, told, noted=True, trace=(good, weak))
    return Finding(True, "a strict server takes every request")


def table(outcomes: Mapping[str, Sequence[tuple[str, str]]]) -> str:
    """Return the table of what adapters do, as Markdown.

    Args:
        outcomes: By adapter, the kinds' names with how the episode ended.
    """
    kinds = [name for name, _ in next(iter(outcomes.values()))]
    lines = [f"| the model's answer | {' | '.join(outcomes)} |", "|---" * (len(outcomes) + 1) + "|"]
    for number, kind in enumerate(kinds):
        cells = [rows[number][1] for rows in outcomes.values()]
        lines.append(f"| {kind} | {' | '.join(cells)} |")
    return "\n".join(lines)
