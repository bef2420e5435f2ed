"""The checks of who leads and who speaks: the manager is followed, the roles' words count."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ossia.conformance.findings import Finding, asked_and_answered, ending, quoted, words_of
from ossia.conformance.mask import MaskedModel
from ossia.conformance.players import ScriptedTeam
from ossia.conformance.scenes import Scenes
from ossia.conformance.stage import Part, Played

__all__ = ["answer", "order", "unsaid"]

# Neither is an order that a team would think of by itself; the second leaves half of it out.
ORDERS = (
    ("url", "location", "request", "time", "intent", "response"),
    ("request", "time", "response"),
)
WORDS = {
    "intent": "The first of the lanterns is amber, 48213.",
    "time": "A heron stood on the ninth jetty, 70552.",
    "location": "Nobody oiled the tin rooster, 11937.",
    "url": "Three barrels of plums went east, 62408.",
    "request": "The choir had lost its smallest bell, 95174.",
    "response": "Quiet rain fell on the copper orchard, 30861.",
}
_DEEPEST = 4


async def _scripted(scenes: Scenes, turns: Sequence[str]) -> Played:
    """Play a scene in nonsense whose roles say what nobody could guess."""
    mask = await scenes.mask()
    model = MaskedModel(ScriptedTeam(turns, WORDS), mask)
    return await scenes.play_part(Part(mask.utterance, mask.team, model=model))


async def order(scenes: Scenes) -> Finding:
    """Let a manager lead its team in unusual orders, and see who worked."""
    mask = await scenes.mask()
    seen, episodes = [], []
    for turns in ORDERS:
        played = await _scripted(scenes, turns)
        episodes.append(played)
        worked = [mask.real_name(role) for role in _turns_of(played)]
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
        return Finding(False, detail, trace=tuple(episodes))
    return Finding(True, f"followed: {', then '.join(seen)}", trace=tuple(episodes))


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
    scripted = await _scripted(scenes, ORDERS[1])
    happy = await scenes.happy()
    wanted = " ".join(WORDS["response"].split())
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
