"""States and directions that exclude one another: a lamp that is off is not on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from ossia_evaluation.reply.mentions import is_denied
from ossia_evaluation.reply.stems import stem
from ossia_evaluation.reply.support import Support

_PAIRS: Final = (
    ("on", "off"),
    ("up", "down"),
    ("louder", "softer quieter"),
    ("brighter brightened", "dimmer darker dimmed"),
    ("raised increased", "lowered decreased reduced"),
    ("opened open", "closed shut"),
    ("locked", "unlocked"),
    ("playing started resumed", "stopped paused"),
    ("muted", "unmuted"),
    ("added put", "removed deleted taken cleared crossed"),
    ("like liked love favorite favorites favourite favourites", "dislike disliked hate"),
    ("subscribed", "unsubscribed"),
    ("warmer", "cooler colder"),
    ("off", "dimmer softer brighter louder"),
    ("raising raises raised raise hike", "cutting cuts cut lowering lowers"),
    ("pickup collect takeout", "delivery deliver delivered bring brings door"),
)
_AFTER_STATE: Final = (
    r"\b(?:is|are|now|turned|turn|turning|switched|switch|set|went|put|powered)\s+(?:\w+\s+){0,4}?"
)
_UP_AFTER: Final = (
    r" (?:today|yesterday|since|a (?:bit|little|notch|touch)|slightly|on the day|compared)"
)
_LEVELLED: Final = re.compile(
    r"\b(?:lights?|lamps?|speakers?|volume|television|plugs?|repeat|shuffle)\b"
)
_EVERY: Final = re.compile(
    r"\bevery (day|weekday|weekend|week|month|year|hour|monday|tuesday|wednesday|thursday|friday"
    r"|saturday|sunday)\b"
)
_ONCE: Final = re.compile(r"\b(?:only once|just once|this (?:coming )?\w+day only|only this)\b")
_PICK_UP: Final = re.compile(r"\bpick (?:it |them |your (?:food|order) )?up\b")
_PARTICLES: Final = frozenset({"on", "off", "up", "down"})


def contradictions(own: str, said: Sequence[str], support: Support) -> str | None:
    """Return a state that a reply tells where the contrary is so, or None.

    Args:
        own: the reply's own words.
        said: what the domain servers answered.
        support: what the user and the servers have said.
    """
    text = _PICK_UP.sub("pickup", own.casefold())
    sources = " ".join(said).casefold()
    often = set(_EVERY.findall(text)) - support.words
    if often and _EVERY.search(sources):
        return f"every {min(often)}"
    if not _EVERY.search(text) and _EVERY.search(sources) and _ONCE.search(text):
        return "only once"
    # A lamp that is set to a level is not off; of an alarm "off" may be said for removed.
    if _is_told("off", text) and "off" not in support.words and _LEVELLED.search(sources):
        return "off"
    if _is_told("muted", text) and "mute" not in support.stems and _LEVELLED.search(sources):
        return "muted"
    turned = _turned_round(text, sources)
    if turned is not None:
        return turned
    for first, second in _PAIRS:
        for here, there in ((first.split(), second.split()), (second.split(), first.split())):
            told = next((word for word in here if _is_told(word, text)), None)
            if told is None or any(_stands(word, sources, support) for word in here):
                continue
            if any(_is_told(word, text) for word in there):
                continue
            if any(_stands(word, sources, support) for word in there):
                return told
    return None


_FROM_TO: Final = re.compile(
    r"\bfrom (?:the )?((?!\d)\w+(?: \w+){0,2}?) to (?:the )?"
    r"((?!\d)\w+(?: (?!at\b|on\b|for\b|by\b|is\b)\w+)?)"
)


def _turned_round(text: str, sources: str) -> str | None:
    """What a reply lays the wrong way round, as "from Brooklyn to the station"; None if nothing."""
    for start, end in _FROM_TO.findall(text):
        if _leads(end, start, sources) and not _leads(start, end, sources):
            return f"from {start} to {end}"
    return None


def _leads(start: str, end: str, sources: str) -> bool:
    way = rf"\bfrom [^.;]*{re.escape(start)}[^.;]* to [^.;]*{re.escape(end)}"
    return re.search(way, sources) is not None


def _is_told(word: str, text: str) -> bool:
    if word not in text:
        return False
    return any(not is_denied(text, match.start()) for match in _form(word).finditer(text))


def _stands(word: str, sources: str, support: Support) -> bool:
    if word in ("up", "down") and word in support.words:
        return True
    if word in _PARTICLES:
        return _form(word).search(sources) is not None
    return word in support.words or stem(word) in support.stems


@lru_cache(maxsize=256)
def _form(word: str) -> re.Pattern[str]:
    if word in ("up", "down"):
        form = rf"\b{word}\b(?= (?:by |about |some |around )?[\d.]|\s*[.,;!]|\s*$|{_UP_AFTER})"
    elif word in _PARTICLES:
        form = (
            rf"{_AFTER_STATE}{word}\b(?! (?:your|the|my|a|an|instagram|twitter|facebook|\w+day|\d))"
        )
    else:
        form = rf"\b{word}\b"
    return re.compile(form)
