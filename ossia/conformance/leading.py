"""The checks of who leads and who speaks: the manager is followed, the roles' words count."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ossia.conformance.findings import Finding, asked_and_answered, ending, quoted, words_of
from ossia.conformance.mask import MaskedModel
from ossia.conformance.players import Altered, ScriptedTeam
from ossia.conformance.scenes import Scenes, scene_part, scene_team
from ossia.conformance.stage import Part, Played
from ossia_servers.gateway import Exchange, ModelCall
from ossia_servers.wire.conversation import read_conversation
from ossia_servers.wire.envelope import present
from ossia_servers.wire.routing import Form, Routing, read_form

__all__ = ["answer", "answered_by", "order", "unsaid"]

_LEFT_OUT = 3
_FEW = (1, 2)
# Some frameworks ask again by themselves after words such as "I cannot".
_APOLOGY = "I am sorry, unfortunately that did not work."
_TASK = "Do your part of the work."
_DEEPEST = 4


def _orders(scenes: Scenes) -> tuple[tuple[str, ...], ...]:
    """Draw orders that a team would not think of by itself.

    In the second half of the members are left out and one comes again.
    """
    team = scene_team(scenes.task)
    usual = [role.name for role in team.members if role.name != team.final]
    found = []
    for number in (len(usual), len(usual) - _LEFT_OUT):
        random, order = scenes.draw.of(f"order of {number}"), list[str]()
        while order == sorted(order, key=usual.index):
            order = random.sample(usual, number)
        again = order[:1] if number < len(usual) else []
        found.append((*order, *again, team.final))
    return tuple(found)


def _early_end(scenes: Scenes) -> tuple[str, ...]:
    """Draw the members after whom the manager ends, before the final role has worked."""
    random, team = scenes.draw.of("early end"), scene_team(scenes.task)
    usual = [role.name for role in team.members if role.name != team.final]
    return tuple(random.sample(usual, random.choice(_FEW)))


async def _led(scenes: Scenes, turns: Sequence[str]) -> Played:
    """Play a task with its own team and words; only the order is not what anybody expects."""
    task = scenes.draw_task("order")
    return await scenes.play_part(
        scene_part(task, model=ScriptedTeam(scenes.team, turns, scenes.base))
    )


async def _scripted(scenes: Scenes, turns: Sequence[str]) -> Played:
    """Play a scene in nonsense whose roles say what nobody could guess."""
    mask = scenes.mask
    # A role that works twice is told the same both times.
    model = MaskedModel(ScriptedTeam(scenes.team, turns, _words(scenes), task=_TASK), mask)
    return await scenes.play_part(Part(mask.utterance, mask.team, model=model))


def _words(scenes: Scenes) -> Mapping[str, str]:
    members = scene_team(scenes.task).members
    return scenes.draw.sentences("words", [role.name for role in members])


async def order(scenes: Scenes) -> Finding:
    """Let a manager lead its team in unusual orders and end early, and see who worked."""
    seen, episodes, noted = [], [], ""
    whole, half = _orders(scenes)
    plays = ((whole, _led), (half, _scripted), (_early_end(scenes), _led), ((), _led))
    for turns, play in plays:
        played = await play(scenes, turns)
        episodes.append(played)
        worked = [scenes.mask.real_name(role) for role in _turns_of(played)]
        wanted = list(turns)
        if worked == wanted:
            seen.append(" ".join(worked) or "nobody")
            continue
        form = _form(played)
        if form.must_choose and worked[: len(wanted)] == wanted:
            noted = "; this form of routing has no option to finish"
            continue
        if form.form is Form.PLAN and not wanted:
            # A plan has one task at least.
            continue
        asked = played.of_role(played.team.manager)
        came = asked_and_answered(asked[-1]) if asked else "the manager was not asked"
        detail = (
            f"the manager wanted {' '.join(wanted)}; it got {' '.join(worked) or 'nobody'};"
            f" the manager was asked {len(asked)} times, at last: {came}; {ending(played)}"
        )
        return Finding(False, detail, trace=(played,))
    detail = f"followed: {', then '.join(dict.fromkeys(seen))}{noted}"
    return Finding(True, detail, bool(noted), tuple(episodes))


def _form(played: Played) -> Routing:
    """Return in which form the manager of an episode was asked first."""
    asked = played.of_role(played.team.manager)
    members = [role.name for role in played.team.members]
    return read_form(read_conversation(asked[0].request, members)) if asked else Routing(Form.WORD)


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
    words = _words(scenes)[scene_team(scenes.task).final]
    apology = f"{_APOLOGY} {words}"
    apologized = await _apologized(scenes, happy, apology)
    for wanted, played in ((words, scripted), (apology, apologized)):
        if wanted not in " ".join(played.answer.split()):
            said = f"the final role said {wanted!r}; the answer is {quoted(played.answer)}"
            return Finding(False, f"{said}; {ending(played)}", trace=(played,))
    again = _more_work(apologized, happy)
    if again is not None:
        return Finding(False, f"after an apology {again}", trace=(apologized, happy))
    for played in (scripted, apologized, happy):
        strange = unsaid(played, answered_by(played))
        if strange:
            detail = f"no role said {quoted(strange)} of the answer {quoted(played.answer)}"
            return Finding(False, detail, trace=(played,))
    return Finding(True, "the answer is what the final role said", trace=(scripted, happy))


async def _apologized(scenes: Scenes, happy: Played, apology: str) -> Played:
    """Play the happy episode again, all as well as ever, but for the final role's words."""

    def apologize(call: ModelCall, message: dict[str, Any]) -> dict[str, Any]:
        return present(read_conversation(call.request, (call.role,)), apology)

    members = Altered(scenes.base, happy.team.final, apologize)
    model = ScriptedTeam(scenes.team, _turns_of(happy), members)
    return await scenes.play_part(scene_part(scenes.task, model=model))


def _more_work(played: Played, usual: Played) -> str | None:
    """Return which roles were asked more often than usual; None for none."""
    counts, usually = (
        Counter(exchange.role for exchange in each.gateway.exchanges) for each in (played, usual)
    )
    more = [f"{role} {counts[role]} (usually {usually[role]})" for role in counts - usually]
    return f"roles are asked once more: {', '.join(more)}" if more else None


def answered_by(played: Played) -> tuple[Exchange, ...]:
    """Return the calls whose words may be an answer: the final role's and the manager's last."""
    return (*played.of_role(played.team.final), *played.of_role(played.team.manager)[-1:])


def unsaid(played: Played, exchanges: Iterable[Exchange] | None = None) -> str:
    """Return the words of an episode's answer that no role said; empty when all were said.

    Args:
        played: The episode.
        exchanges: The calls to look at; all of the episode by default.
    """
    left = " ".join(played.answer.split())
    said = {
        " ".join(text.split())
        for exchange in (played.gateway.exchanges if exchanges is None else exchanges)
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
