"""Whether a user told what it was to tell, something else in place of it, or nothing of use."""

from __future__ import annotations

import re
from typing import Final

from pydantic import JsonValue

from ossia_servers.flowbench.spoken import says, spoken

__all__ = ["part_about", "says_else", "tells", "tells_other"]

_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_FILLERS: Final = frozenset(
    "ah and anyway but eh er erm er hm hmm i just let's like maybe me mm oh ok okay perhaps right"
    " see so then think uh uhm um wait well what yeah you".split()
)
_NO_ANSWER: Final = re.compile(
    r"\b(?:not sure|no idea|rather not|not now|forg[eo]t|forgotten"
    r"|(?:do not|don['\u2019]t|cannot|can['\u2019]t|could not|won['\u2019]t|will not)"
    r" (?:know|say|tell|remember|recall|think))\b",
    re.IGNORECASE,
)


_PART: Final = re.compile(r"[,;:.!?\n]")


def part_about(words: str, about: str) -> str:
    """Return the lines of a user's words that begin with what they are about, or else all words.

    Args:
        words: What the user said.
        about: The description of a slot.
    """
    begin = about.casefold()
    own = [line for line in words.splitlines() if line.strip().casefold().startswith(begin)]
    return "\n".join(own) or words


def tells(words: str, value: JsonValue) -> bool:
    """Return whether a user's words tell a slot's value.

    A yes or a no counts where nothing else stands between two signs, so that what begins or goes
    on like one, such as `no idea`, is none.

    Args:
        words: What the user said.
        value: The slot's value.
    """
    if isinstance(value, bool):
        return spoken(value) in (part.strip() for part in _PART.split(words.casefold()))
    return says(words, value)


def tells_other(words: str, value: JsonValue, meant: str) -> bool:
    """Return whether a user's words, which do not tell a slot's value, tell another one.

    To a question to be answered by yes or no only the opposite is another value, in whatever
    language nothing is said; what else may be one is read from the words.

    Args:
        words: What the user said.
        value: The slot's value.
        meant: What the user was to say.
    """
    if isinstance(value, bool):
        return tells(words, not value)
    return says_else(words, meant)


def says_else(words: str, meant: str) -> bool:
    """Return whether words answer otherwise than was meant, and do not leave the answer out.

    They do when something is in them that was not to be said, and that is more than a filler such
    as `well`, or than not to know.

    Args:
        words: What the user said.
        meant: What it was to say.
    """
    if _NO_ANSWER.search(words):
        return False
    known = {word.casefold() for word in _WORD.findall(meant)}
    said = {word.casefold() for word in _WORD.findall(words)}
    return not said - known <= _FILLERS
