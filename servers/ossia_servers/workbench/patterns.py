"""Search patterns of callers: regular expressions, whose search is sure to end soon.

RE2 reads them. It tries all ways to match at once, so that a search takes at most as many steps as
the pattern has parts times the characters that are searched. These are counted before, and a search
that would take too many is refused in a sentence instead of keeping all other agents waiting.
"""

from __future__ import annotations

from typing import Any, Final

import re2

from ossia_servers.worlds.schema import Refusal

MAX_PATTERN: Final = 300
"""Longest search pattern."""

MAX_STEPS: Final = 30_000_000
"""Most steps of one search over a whole table."""

_MAX_BYTES: Final = 2**20
"""Most memory of a pattern: more would take long to build."""


class Pattern:
    """One search: a regular expression, and the steps that it may still take."""

    def __init__(self, text: str, compiled: Any) -> None:
        self._text = text
        self._compiled = compiled
        self._left = MAX_STEPS

    def found_in(self, value: object) -> bool:
        """Return whether a cell holds the pattern; an empty cell never does.

        Raises:
            Refusal: the search would take too many steps.
        """
        if not isinstance(value, str):
            return False
        cell = _bytes(value)
        self._left -= self._compiled.programsize * (len(cell) + 1)
        if self._left < 0:
            raise Refusal(
                f"The search for '{self._text[:80]}' would take too long: the cells are too many"
                " or too long for so many repeats."
            )
        return self._compiled.search(cell) is not None


def read_pattern(text: str, *, ignore_case: bool) -> Pattern:
    """Return the regular expression that a caller searches with.

    Raises:
        Refusal: the text is too long, or no regular expression that RE2 reads.
    """
    if len(text) > MAX_PATTERN:
        raise Refusal(f"The search pattern '{text[:80]}' is too long.")
    options = re2.Options()
    options.case_sensitive = not ignore_case
    options.log_errors = False
    options.max_mem = _MAX_BYTES
    try:
        compiled = re2.compile(_bytes(text), options)
    except re2.error as error:
        reason = error.args[0].decode("utf-8", "replace")
        raise Refusal(f"The search pattern '{text[:80]}' cannot be read: {reason}.") from None
    return Pattern(text, compiled)


def _bytes(text: str) -> bytes:
    # What is no valid text is no reason to fail: it holds no pattern.
    return text.encode("utf-8", "surrogatepass")
