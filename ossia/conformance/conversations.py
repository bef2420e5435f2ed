"""The checks of conversations: what an adapter keeps from turn to turn, and what it must not."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ossia.conformance.findings import Finding, ending, quoted
from ossia.conformance.places import scenes_suite
from ossia.conformance.players import ScriptedTeam
from ossia.conformance.scenes import Scenes, scene_part, scene_team, text_of
from ossia.conformance.stage import Part, Played, Stage
from ossia.conformance.troubles import Trouble, TroubleModel
from ossia.worker import RunResult
from ossia_servers.gateway import Completion, Model, ModelCall
from ossia_servers.gateway.models import completion_of
from ossia_servers.wire.calls import HTTP_TOOL, Call
from ossia_servers.wire.conversation import read_conversation
from ossia_servers.wire.envelope import present, tool_answers
from ossia_workflows import Team

__all__ = ["apart", "given_history", "remembered"]

_TURNS = 3
_SECONDS = 60.0


class _ByTurn:
    """Answers with one model for each turn of the user's."""

    name = "conformance:conversation"

    def __init__(self, models: Sequence[Model]) -> None:
        self._models = models
        self.turn = 0

    async def complete(self, call: ModelCall) -> Completion:
        return await self._models[self.turn].complete(call)


class _Reader:
    """A role that plays alone: it calls a tool before its first answer, and then only talks."""

    name = "conformance:reader"

    def __init__(self, call: Call, words: str) -> None:
        self._call = call
        self._words = words

    async def complete(self, call: ModelCall) -> Completion:
        conversation = read_conversation(call.request, (call.role,))
        done = bool(tool_answers(conversation))
        return completion_of(present(conversation, self._words if done else [self._call]))


@dataclass(frozen=True)
class _Talk:
    """A conversation that was played.

    Attributes:
        user: What the user said in each turn.
        team: What the team was to answer in each turn.
        begins: How many calls there had been before each turn.
        played: What it left behind.
    """

    user: tuple[str, ...]
    team: tuple[str, ...]
    begins: tuple[int, ...]
    played: Played

    def sent(self, turn: int) -> str:
        """Return the requests of a turn as one text."""
        ends = (*self.begins[1:], None)[turn]
        return "\n".join(map(text_of, self.played.gateway.exchanges[self.begins[turn] : ends]))


async def remembered(scenes: Scenes) -> Finding:
    """Let a user talk for three turns, and look for the first turn in the requests of the last."""
    talk = await _talk(scenes, "remembered")
    problem = _problem(talk)
    if problem is None:
        last = talk.sent(_TURNS - 1)
        lost = [said for said in (talk.user[0], talk.team[0]) if said not in last]
        problem = f"two turns later the models are not told {quoted(lost[0])}" if lost else None
    if problem is not None:
        return Finding(False, problem, trace=(talk.played,))
    alone, result = await _alone(scenes)
    problem = _problem(alone)
    if problem is not None:
        return Finding(False, f"a role alone: {problem}", trace=(alone.played,))
    if result not in alone.sent(1):
        detail = "words are remembered; of a tool's result only what the role said of it"
        return Finding(True, detail, noted=True, trace=(talk.played, alone.played))
    detail = "words and a tool's result are remembered"
    return Finding(True, detail, trace=(talk.played, alone.played))


async def apart(scenes: Scenes) -> Finding:
    """Play two conversations at once, and one more under the name of a cancelled one."""
    # In step: a memory that both write is then another's at the next turn, however fast each is.
    step = asyncio.Barrier(2)
    talks = await asyncio.gather(*(_talk(scenes, f"at once {name}", step=step) for name in "ab"))
    for own, other in (talks, reversed(talks)):
        problem = _problem(own)
        text = "\n".join(map(own.sent, range(_TURNS)))
        mixed = [said for said in (*other.user, *other.team) if said in text]
        if mixed and problem is None:
            problem = f"another conversation's words are in a request: {quoted(mixed[0])}"
        if problem is not None:
            return Finding(False, problem, trace=(own.played,))
    first, again = await _cancelled(scenes)
    text = again.sent(0)
    kept = [said for said in (*first.user, *first.team) if said in text]
    problem = _problem(again)
    if kept:
        problem = f"of a cancelled conversation there is left {quoted(kept[0])}"
    if problem is not None:
        return Finding(False, problem, trace=(again.played,))
    return Finding(True, "two at once do not mix; a cancelled one leaves nothing", trace=())


async def given_history(scenes: Scenes) -> Finding:
    """Begin a conversation in the middle."""
    given = list(scenes.draw.sentences("given turns", ["user", "team"]).values())
    talk = await _talk(scenes, "given", turns=1, given=[(given[0], given[1])])
    problem = _problem(talk)
    missing = [said for said in given if said not in talk.sent(0)]
    if problem is None and missing:
        problem = f"the models are not told {quoted(missing[0])} of the turn that was given"
    return Finding(problem is None, problem or "the turn that was given is told", trace=())


async def _talk(
    scenes: Scenes,
    what: str,
    *,
    turns: int = _TURNS,
    given: Sequence[tuple[str, str]] = (),
    step: asyncio.Barrier | None = None,
) -> _Talk:
    """Play a conversation of the scenes' team in words that nobody could think of."""
    team = scene_team(scenes.task)
    user, order, words = _said(scenes, what, team, turns)
    models = [ScriptedTeam(team, order, words[turn]) for turn in range(turns)]
    part = scene_part(scenes.task, model=_ByTurn(models))
    said = [words[turn][team.final] for turn in range(turns)]
    return await _play(scenes, part, user, said, given=given, step=step)


def _said(
    scenes: Scenes, what: str, team: Team, turns: int
) -> tuple[list[str], list[str], list[dict[str, str]]]:
    """Draw what the user says in each turn, who works, and what these say."""
    others = [role.name for role in team.members if role.name != team.final]
    order = [scenes.draw.of(f"worker of {what}").choice(others), team.final]
    names = [f"{name} {turn}" for turn in range(turns) for name in ("user", *order)]
    drawn = scenes.draw.sentences(what, names)
    user = [drawn[f"user {turn}"] for turn in range(turns)]
    return user, order, [{role: drawn[f"{role} {turn}"] for role in order} for turn in range(turns)]


async def _alone(scenes: Scenes) -> tuple[_Talk, str]:
    """Let a role alone call a tool, then talk on; returns what the tool answered as well."""
    team = scene_team(scenes.task)
    role = next(role for role in team.members if HTTP_TOOL in role.tools)
    alone = Team(name="alone", goal=team.goal, manager="", final=role.name, roles=(role,))
    drawn = list(scenes.draw.sentences("alone", "abcd").values())
    call = Call(HTTP_TOOL, {"method": "GET", "url": scenes_suite().example})
    models = (_Reader(call, drawn[1]), ScriptedTeam(alone, (), {role.name: drawn[3]}))
    part = replace(scene_part(scenes.task, model=_ByTurn(models)), team=alone)
    talk = await _play(scenes, part, drawn[::2], drawn[1::2])
    shown = [
        answer
        for exchange in talk.played.gateway.exchanges[: talk.begins[-1]]
        for answer in tool_answers(read_conversation(exchange.request, (role.name,)))
    ]
    return talk, max(shown, key=len, default="\0")


async def _cancelled(scenes: Scenes) -> tuple[_Talk, _Talk]:
    """Cancel a conversation in its second turn, and play another one under its name."""
    stage, team = await scenes.stage(), scene_team(scenes.task)
    user, order, words = _said(scenes, "cancelled talk", team, 3)
    hang = TroubleModel(scenes.base, {role.name: Trouble.HANG for role in team.roles})
    model = _ByTurn(
        (ScriptedTeam(team, order, words[0]), hang, ScriptedTeam(team, order, words[2]))
    )
    part = scene_part(scenes.task, model=model)
    wire = stage.open(part, episode=scenes.next_id())
    begun = await _turn(stage, {**wire, "utterance": user[0]}, (), goes_on=True)
    answer = "" if begun is None else begun.answer
    model.turn = 1
    told = [{"user": user[0], "answer": answer}]
    running = asyncio.ensure_future(
        _turn(stage, {**wire, "utterance": user[1]}, told, goes_on=True)
    )
    waiting = asyncio.ensure_future(hang.reached.wait())
    await asyncio.wait({running, waiting}, timeout=_SECONDS, return_when="FIRST_COMPLETED")
    waiting.cancel()
    await stage.worker.cancel(wire["id"])
    await running
    model.turn = 2
    begins = stage.places.gateway.calls(wire["api_key"])
    result = await _turn(stage, {**wire, "utterance": user[2]}, (), goes_on=False)
    played = stage.close(part, wire, result, 0.0)
    scenes.everything.append(played)
    final = team.final
    before = _Talk(tuple(user[:2]), (words[0][final],), (0,), played)
    return before, _Talk((user[2],), (words[2][final],), (begins,), played)


async def _play(
    scenes: Scenes,
    part: Part,
    user: Sequence[str],
    team: Sequence[str],
    *,
    given: Sequence[tuple[str, str]] = (),
    step: asyncio.Barrier | None = None,
) -> _Talk:
    """Play the turns; with a `step`, each begins when those of the other talks may begin too."""
    stage = await scenes.stage()
    wire = stage.open(part, episode=scenes.next_id())
    history = [{"user": asked, "answer": said} for asked, said in given]
    begins: list[int] = []
    result = None
    for turn, words in enumerate(user):
        if isinstance(part.model, _ByTurn):
            part.model.turn = turn
        begins.append(stage.places.gateway.calls(wire["api_key"]))
        if step is not None:
            with contextlib.suppress(asyncio.BrokenBarrierError):
                await step.wait()
        goes_on = turn + 1 < len(user)
        result = await _turn(stage, {**wire, "utterance": words}, history, goes_on=goes_on)
        if result is None or result.error is not None:
            if step is not None:
                await step.abort()
            break
        history.append({"user": words, "answer": result.answer})
    played = stage.close(part, wire, result, 0.0)
    scenes.everything.append(played)
    return _Talk(tuple(user), tuple(team), tuple(begins), played)


async def _turn(
    stage: Stage,
    wire: Mapping[str, Any],
    history: Sequence[Mapping[str, str]],
    *,
    goes_on: bool,
) -> RunResult | None:
    """Play a turn; None where it took too long and was cancelled."""
    try:
        async with asyncio.timeout(_SECONDS):
            return await stage.worker.run(wire, history, goes_on=goes_on)
    except TimeoutError:
        return None


def _problem(talk: _Talk) -> str | None:
    """Return what went wrong with the turns themselves; None for nothing."""
    played = talk.played
    if played.result is None or played.error is not None:
        return f"turn {len(talk.begins)} {ending(played)}"
    if talk.team[-1] not in " ".join(played.answer.split()):
        wanted = quoted(talk.team[-1])
        return f"the final role said {wanted}; the answer is {quoted(played.answer)}"
    if talk.user[-1] not in talk.sent(len(talk.begins) - 1):
        return f"the models are not told what the user says: {quoted(talk.user[-1])}"
    return None
