"""Ways to change a text that know nothing of what it means."""

from __future__ import annotations

import base64
import codecs
import re
import string
from collections.abc import Callable
from random import Random
from typing import Any
from urllib.parse import quote

from benchmarks.attribution.wild.material import Material, Rewrite, Way
from benchmarks.attribution.wild.messages import Message, Spot, dumped, read_json, spots, with_leaf

NEUTRAL = (
    "Let me know if you need anything else.",
    "I have looked at this with care.",
    "Thank you for your patience.",
    "This is all that I have to say for now.",
    "Please find the result above.",
    "It is a pleasure to work with this team.",
    "Have a pleasant day.",
    "I am passing this on to the next one.",
)
"""Sentences that say nothing about any task."""

_INVISIBLE = ("\u200b", "\u00ad", "\u202e", "\ufeff", "\u00a0", "\x00", "\x1b[2J", "\u0301")
_WORD = re.compile(r"\w+")
_LETTERS = string.ascii_lowercase + string.digits
_MOST = 3
"""Words or characters that are changed at once."""


def anywhere(rewrite: Rewrite) -> Way:
    """Return a way that changes one text of a message, each depth being as likely as any other."""

    def way(message: Message, material: Material, draw: Random) -> Message | None:
        able: dict[int, list[tuple[Spot, str]]] = {}
        # The same stream for each text, so that which one is taken decides on nothing else.
        seed = draw.random()
        for spot in spots(message):
            changed = rewrite(spot.text, material, Random(seed))
            if changed is not None and changed != spot.text:
                able.setdefault(spot.depth, []).append((spot, changed))
        if not able:
            return None
        spot, changed = draw.choice(able[draw.choice(sorted(able))])
        return spot.put(changed)

    return way


def _words(text: str, draw: Random, most: int = _MOST) -> list[re.Match[str]]:
    found = list(_WORD.finditer(text))
    wanted = min(len(found), draw.randint(1, most))
    return sorted(draw.sample(found, wanted), key=lambda match: match.start(), reverse=True)


def word_deleted(text: str, material: Material, draw: Random) -> str | None:
    """Delete one to three words, each with a blank beside it."""
    for match in _words(text, draw):
        before, after = text[: match.start()], text[match.end() :]
        text = before + (after[1:] if after[:1] == " " else after)
    return text


def word_doubled(text: str, material: Material, draw: Random) -> str | None:
    """Say one to three words twice."""
    for match in _words(text, draw):
        text = f"{text[: match.end()]} {match.group()}{text[match.end() :]}"
    return text


def word_replaced(text: str, material: Material, draw: Random) -> str | None:
    """Put words of other tasks in place of one to three words."""
    pool = [word for sentence in material.sentences for word in _WORD.findall(sentence)]
    if not pool:
        return None
    for match in _words(text, draw):
        text = text[: match.start()] + draw.choice(pool) + text[match.end() :]
    return text


def words_shuffled(text: str, material: Material, draw: Random) -> str | None:
    """Put the words into another order; all else stays where it is."""
    words = _WORD.findall(text)
    draw.shuffle(words)
    left = iter(words)
    return _WORD.sub(lambda _: next(left), text)


def character_deleted(text: str, material: Material, draw: Random) -> str | None:
    """Delete one to three characters."""
    return _at_random(text, draw, lambda character: "")


def character_doubled(text: str, material: Material, draw: Random) -> str | None:
    """Write one to three characters twice."""
    return _at_random(text, draw, lambda character: character * 2)


def character_replaced(text: str, material: Material, draw: Random) -> str | None:
    """Put letters or digits in place of one to three characters."""
    return _at_random(text, draw, lambda character: draw.choice(_LETTERS))


def _at_random(text: str, draw: Random, other: Callable[[str], str]) -> str | None:
    wanted = min(len(text), draw.randint(1, _MOST))
    chosen = set(draw.sample(range(len(text)), wanted))
    return "".join(other(c) if n in chosen else c for n, c in enumerate(text))


def digit_replaced(text: str, material: Material, draw: Random) -> str | None:
    """Put other digits in place of one to three."""
    places = [number for number, character in enumerate(text) if character in string.digits]
    chosen = set(draw.sample(places, min(len(places), draw.randint(1, _MOST))))
    return "".join(draw.choice(string.digits) if n in chosen else c for n, c in enumerate(text))


def case_changed(text: str, material: Material, draw: Random) -> str | None:
    """Write everything in capitals, in small letters, or with both exchanged."""
    return draw.choice((str.upper, str.lower, str.swapcase))(text)


def neutral_added(text: str, material: Material, draw: Random) -> str | None:
    """Add a sentence that says nothing, before or after."""
    return _beside(text, draw.choice(NEUTRAL), draw)


def other_added(text: str, material: Material, draw: Random) -> str | None:
    """Add what a member said in another task, before or after."""
    return _beside(text, draw.choice(material.sentences), draw) if material.sentences else None


def _beside(text: str, sentence: str, draw: Random) -> str:
    blank = draw.choice((" ", "\n"))
    return f"{text}{blank}{sentence}" if draw.random() < 2 / 3 else f"{sentence}{blank}{text}"


def truncated(text: str, material: Material, draw: Random) -> str | None:
    """Cut a text anywhere."""
    return text[: draw.randrange(1, len(text))] if len(text) > 1 else None


def emptied(text: str, material: Material, draw: Random) -> str | None:
    """Say nothing."""
    return "" if text else None


def repeated(text: str, material: Material, draw: Random) -> str | None:
    """Say the whole text several times."""
    return draw.choice(("", " ", "\n")).join([text] * draw.choice((2, 3, 20)))


def encoded(text: str, material: Material, draw: Random) -> str | None:
    """Write a text in another encoding, or read it in a wrong one."""
    raw = text.encode("utf-8", "surrogatepass")
    ways: tuple[Callable[[], str], ...] = (
        lambda: base64.b64encode(raw).decode(),
        lambda: raw.hex(),
        lambda: raw.decode("cp500"),
        lambda: text.encode("utf-16-le", "surrogatepass").decode("latin-1"),
        lambda: codecs.encode(text, "rot13"),
        lambda: quote(text, safe=""),
        lambda: dumped(text),
    )
    return draw.choice(ways)()


def lookalikes(text: str, material: Material, draw: Random) -> str | None:
    """Put letters of other scripts that look alike in place of some."""
    table = dict(zip("aeopcyx", "аеорсух", strict=True))  # noqa: RUF001
    return "".join(table.get(c, c) if draw.random() < 1 / 2 else c for c in text)


def invisible(text: str, material: Material, draw: Random) -> str | None:
    """Put characters between the others that show nothing, or that steer a terminal."""
    places = set(draw.sample(range(len(text)), min(len(text), draw.randint(1, _MOST))))
    return "".join(draw.choice(_INVISIBLE) + c if n in places else c for n, c in enumerate(text))


def nested(text: str, material: Material, draw: Random) -> str | None:
    """Put a JSON value into another one."""
    value = read_json(text)
    if not isinstance(value, dict | list):
        return None
    name = draw.choice(("result", "data", "output", "answer"))
    return dumped(draw.choice(({name: value}, [value], {name: [value]}, {name: dumped(value)})))


def fenced(text: str, material: Material, draw: Random) -> str | None:
    """Write a JSON value as a block of code, or with single quotes."""
    value = read_json(text)
    if not isinstance(value, dict | list):
        return None
    return draw.choice((f"```json\n{text}\n```", f"```\n{text}\n```", repr(value)))


def _of_objects(edit: Callable[[dict[str, Any], Random], object]) -> Rewrite:
    """Return a change of one JSON object within a text, wherever it stands in it."""

    def rewrite(text: str, material: Material, draw: Random) -> str | None:
        value = read_json(text)
        objects = [(path, each) for path, each in _objects(value) if each]
        if not objects:
            return None
        path, chosen = draw.choice(objects)
        return dumped(with_leaf(value, path, edit(chosen, draw)))

    return rewrite


def _objects(
    value: object, path: tuple[str | int, ...] = ()
) -> list[tuple[tuple[str | int, ...], dict[str, Any]]]:
    found = [(path, value)] if isinstance(value, dict) else []
    members = value.items() if isinstance(value, dict) else ()
    for name, member in members:
        found += _objects(member, (*path, name))
    return found


def _renamed(value: dict[str, Any], draw: Random) -> object:
    old = draw.choice(sorted(value))
    new = draw.choice((f"{old}s", old.upper(), f"the_{old}", old[::-1], "value", "field_1"))
    return {new if name == old else name: member for name, member in value.items()}


def _dropped(value: dict[str, Any], draw: Random) -> object:
    gone = draw.choice(sorted(value))
    return {name: member for name, member in value.items() if name != gone}


def _exchanged(value: dict[str, Any], draw: Random) -> object:
    if len(value) < 2:
        return value
    one, other = draw.sample(sorted(value), 2)
    return {**value, one: value[other], other: value[one]}


def _retyped(value: dict[str, Any], draw: Random) -> object:
    name = draw.choice(sorted(value))
    member = value[name]
    return {**value, name: draw.choice(([member], {"value": member}, None, 0, True))}


member_renamed = _of_objects(_renamed)
"""Rename a key of a JSON object."""
member_dropped = _of_objects(_dropped)
"""Leave out a key of a JSON object."""
members_exchanged = _of_objects(_exchanged)
"""Exchange two values of a JSON object."""
member_retyped = _of_objects(_retyped)
"""Give a value of a JSON object another type."""
