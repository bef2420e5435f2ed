"""The checks of who leads and who speaks: the manager is followed, the roles' words count."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ossia.conformance.findings import Finding, asked_and_answered, ending, quoted, words_of
from ossia.conformance.mask import MaskedModel
from ossia.conformance.players import ScriptedTeam
from ossia.conformance.scenes import Scenes, scene_part, scene_team
from ossia.conformance.stage import Part, Played

__all__ = ["answer", "order", "unsaid"]

_LEFT_OUT = 3
_DEEPEST = 4


def _orders(scenes: Scenes) -> tuple[tuple[str, ...], ...]:
    """Draw orders that a team would not think of by itself, the second with half of it left out."""
    team = scene_team(scenes.task)
    usual = [role.name for role in team.members if role.name != team.final]
    found = []
    for number in (len(usual), len(usual) - _LEFT_OUT):
        random, order = scenes.draw.of(f"order of {number}"), list[str]()
        while order == sorted(order, key=usual.index):
            order = random.sample(usual, number)
        found.append((*order, team.final))
    return tuple(found)


async def _led(scenes: Scenes, turns: Sequence[str]) -> Played:
    """Play a task with its own team and words; only the order is not what anybody expects."""
    task = scenes.draw_task("order")
    return await scenes.play_part(
        scene_part(task, model=ScriptedTeam(scenes.team, turns, scenes.base))
    )


async def _scripted(scenes: Scenes, turns: Sequence[str]) -> Played:
    """Play a scene in nonsense whose roles say what nobody could guess."""
    mask = scenes.mask
    model = MaskedModel(ScriptedTeam(scenes.team, turns, _words(scenes)), mask)
    return await scenes.play_part(Part(mask.utterance, mask.team, model=model))


def _words(scenes: Scenes) -> Mapping[str, str]:
    members = scene_team(scenes.task).members
    return scenes.draw.sentences("words", [role.name for role in members])


async def order(scenes: Scenes) -> Finding:
    """Let a manager lead its team in unusual orders, and see who worked."""
    seen, episodes = [], []
    whole, half = _orders(scenes)
    for turns, play in ((whole, _led), (half, _scripted)):
        played = await play(scenes, turns)
        episodes.append(played)
        worked = [scenes.mask.real_name(role) for role in _turns_of(played)]
        wanted = list(turns)
        if worked == wanted:
            seen.append(" ".join(worked))
            continue
        asked = played.of_role(played.team.manager)
        came = asked_and_answered(asked[-1]) if asked else "the manager was not asked"
        detail = (
            f"the manager wanted {' '.join(wanted)}; there worked {' '.join(worked) or 'nobody'};"
            f" the manager was asked {len(asked)} times, at last: {came}; {ending(played)}"
        )
        return Finding(False, detail, trace=(played,))
    return Finding(True, f"followed: {', then '.join(dict.fromkeys(seen))}", trace=tuple(episodes))


def _turns_of(played: Played) -> list[str]:
    """Return the members in the order of their turns."""
    turns: list[str] = []
    last = ""
    for exchange in played.gateway.exchanges:
        if exchange.role != last and exchange.role != played.team.manager:
            turns.append(exchange.role)
        last = exchange.role
    # Members of a plan follow each other without the manager's being asked in between.
    return turns


async def answer(scenes: Scenes) -> Finding:
    """Let the final role say what nobody could guess, and look for it in the answer."""
    scripted = await _scripted(scenes, _orders(scenes)[1])
    happy = await scenes.happy()
    wanted = _words(scenes)[scene_team(scenes.task).final]
    if wanted not in " ".join(scripted.answer.split()):
        said = f"the final role said {wanted!r}; the answer is {quoted(scripted.answer)}"
        return Finding(False, f"{said}; {ending(scripted)}", trace=(scripted,))
    for played in (scripted, happy):
        strange = unsaid(played)
        if strange:
            detail = f"no role said {quoted(strange)} of the answer {quoted(played.answer)}"
            return Finding(False, detail, trace=(played,))
    return Finding(True, "the answer is what the final role said", trace=(scripted, happy))


def unsaid(played: Played) -> str:
    """Return the words of an episode's answer that no role said; empty when all were said."""
    left = " ".join(played.answer.split())
    said = {
        " ".join(text.split())
        for exchange in played.gateway.exchanges
        for text in _said(exchange.response or {})
    }
    if any(left in text for text in said):
        return ""
    for text in sorted(said, key=len, reverse=True):
        if len(text) > 1:
            left = left.replace(text, " ")
    left = " ".join(left.split())
    return left if any(letter.isalnum() for letter in left) else ""


def _said(message: Mapping[str, Any]) -> Iterator[str]:
    yield from _within(words_of(message), _DEEPEST)


def _within(text: str, depth: int) -> Iterator[str]:
    """Yield a text and the texts in the JSON objects in it."""
    yield text
    start = text.find("{")
    while start >= 0 and depth > 0:
        try:
            value, end = json.JSONDecoder().raw_decode(text, start)
        except (ValueError, RecursionError):
            start = text.find("{", start + 1)
            continue
        for each in _strings(value):
            yield from _within(each, depth - 1)
        start = text.find("{", end)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)
