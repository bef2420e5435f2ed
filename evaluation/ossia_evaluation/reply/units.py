"""Units, labels and addresses beside the figures of a text."""

from __future__ import annotations

import re
from typing import Final

from ossia_evaluation.reply.mentions import Mention
from ossia_evaluation.reply.stems import FUNCTION_WORDS


def unit_after(text: str, mention: Mention) -> str | None:
    """Return the unit that follows a number, by the name of its kind, or None.

    Args:
        text: what was said.
        mention: the number in it.
    """
    after = text.casefold()[mention.end : mention.end + 30]
    found = _UNIT_AFTER.match(after)
    return None if found is None else _UNIT_OF[found[1]]


def label_before(text: str, mention: Mention) -> str | None:
    """Return the content word right before a number, as in "level four", or None.

    Args:
        text: what was said.
        mention: the number in it.
    """
    found = _WORD_BEFORE.search(text.casefold()[: mention.start])
    return None if found is None or found[1] in FUNCTION_WORDS else found[1]


_WORD_BEFORE: Final = re.compile(r"\b([a-z]+) $")


_ADDRESS: Final = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


_PHONE: Final = re.compile(r"\(?\b(\d{3})\)?[-. ](\d{3})[-. ](\d{4})\b")


def addresses_in(text: str) -> list[str]:
    """Return the mail addresses and phone numbers of a text in lower case."""
    return _ADDRESS.findall(text) + ["-".join(match.groups()) for match in _PHONE.finditer(text)]


_UNITS: Final = (
    "feet foot ft",
    "meter meters metre metres m",
    "mile miles mi",
    "kilometer kilometers kilometre kilometres km",
    "minute minutes min",
    "hour hours",
    "second seconds",
    "day days",
    "week weeks",
    "euro euros",
    "dollar dollars bucks",
    "pound pounds",
    "yen",
    "franc francs",
    "peso pesos",
    "rupee rupees",
    "krona kronor",
    "percent",
    "degrees",
    "celsius",
)


_UNIT_OF: Final = {word: group.split()[0] for group in _UNITS for word in group.split()}


_UNIT_AFTER: Final = re.compile(
    r" ?(?:(?:us|u\.s\.|american|canadian|australian|british|japanese|swiss|swedish|mexican"
    rf"|indian) )?({'|'.join(sorted(_UNIT_OF, key=len, reverse=True))})\b"
)
