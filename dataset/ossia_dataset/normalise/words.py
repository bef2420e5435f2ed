"""Words of a phrase, and a reader that walks over them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeVar

T = TypeVar("T")

_REWRITES: Final = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"[\u2018\u2019\u02bc`]", "'"),
        (r"[\u2010-\u2015]", "-"),
        (r"\bo'? ?clock\b", " oclock "),
        (r"\bnew year'?s'?\b", " new year "),
        (r"'s\b|s'(?=\s|$)", ""),
        # Between digits a full stop or a colon is part of a number, elsewhere it ends a word.
        (r"(?<=\d)t(?=\d\d:)", " "),
        (r"(?<=\d)\s*([ap])\.? ?m\b\.?", r" \1m "),
        (r"\b([ap])(?:\. ?| )m\b\.?", r" \1m "),
        (r"(?<=\d)(?=(?:h|hr|hrs|hours?|min|mins|minutes?|days?|weeks?|months?)\b)", " "),
        (r"(?<=[a-z])-(?=[a-z])", " "),
        (r"(?<![\d-])(\d{1,2}(?::\d\d)?)-(\d{1,2}(?::\d\d)?)(?![\d-])", r"\1 to \2"),
        (r"\s[-~]\s|(?<=m)\s?-\s?(?=\d)", " to "),
        (r"[^\w:./' -]", " "),
        (r"(?<!\d)[:./]|[:./](?!\d)", " "),
        (r"'", ""),
    )
)


def split_words(text: str) -> tuple[str, ...]:
    """Split a phrase into lower-case words.

    Args:
        text: What a user said or typed.

    Returns:
        Its words, with ``a.m.`` and ``p m`` as one word, possessive endings and punctuation gone,
        and clock times and numeric dates each kept as one word.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    for pattern, replacement in _REWRITES:
        folded = pattern.sub(replacement, folded)
    return tuple(folded.split())


class Scanner:
    """A place in a sequence of words, for parsers that try one form after the other.

    Attributes:
        words: The words.
        pos: The index of the next word to read.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self.words = tuple(words)
        self.pos = 0

    @property
    def done(self) -> bool:
        """Whether every word is read."""
        return self.pos >= len(self.words)

    def peek(self, ahead: int = 0) -> str:
        """Return a word that is not read yet.

        Args:
            ahead: How many words to look past the next one.

        Returns:
            The word, or an empty string after the end.
        """
        index = self.pos + ahead
        return self.words[index] if index < len(self.words) else ""

    def take(self, *phrases: str) -> str | None:
        """Read the first of some phrases that comes next.

        Args:
            *phrases: Words with single blanks between; longer ones should come first.

        Returns:
            The phrase that was read, or ``None`` when none of them comes next.
        """
        for phrase in phrases:
            parts = phrase.split(" ")
            if self.words[self.pos : self.pos + len(parts)] == tuple(parts):
                self.pos += len(parts)
                return phrase
        return None

    def take_from(self, table: Mapping[str, T]) -> T | None:
        """Read one word that is a key of a table.

        Args:
            table: What each word means.

        Returns:
            The meaning of the word that was read, or ``None`` when it is not in the table.
        """
        word = self.peek()
        if word not in table:
            return None
        self.pos += 1
        return table[word]

    def take_match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Read one word that matches a pattern as a whole.

        Args:
            pattern: The pattern.

        Returns:
            The match, or ``None``.
        """
        match = pattern.fullmatch(self.peek())
        if match is not None:
            self.pos += 1
        return match

    def attempt(self, parse: Callable[[Scanner], T | None]) -> T | None:
        """Try one form, and go back to where it began if it does not fit.

        Args:
            parse: Reads the form from this scanner; answers ``None`` if it is not there.

        Returns:
            What ``parse`` answered.
        """
        start = self.pos
        found = parse(self)
        if found is None:
            self.pos = start
        return found

    def first(self, *parsers: Callable[[Scanner], T | None]) -> T | None:
        """Try forms in order and keep the first that fits.

        Args:
            *parsers: The forms.

        Returns:
            What the first fitting form answered, or ``None``.
        """
        for parse in parsers:
            found = self.attempt(parse)
            if found is not None:
                return found
        return None
