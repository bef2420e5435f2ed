"""Whether a user said something else in place of what it was to say, or nothing of use."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["says_else"]

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
