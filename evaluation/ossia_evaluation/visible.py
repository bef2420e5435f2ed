"""What a model or a server wrote, made harmless for a terminal and a page.

A model's words may hold escape sequences that colour, move or overwrite what a terminal shows, and
marks that turn the direction of a line; characters without a width may hide words from a reader.
They are shown as what they are.
"""

from __future__ import annotations

import re
from typing import Final

_HIDDEN: Final = re.compile(
    "\r(?=\n)"
    # Control characters (C0 without tab and line feed, DEL, C1).
    "|[\x00-\x08\x0b-\x1f\x7f-\x9f"
    # Marks of direction: ALM, LRM, RLM, embeddings, overrides and isolates.
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    # Separators of lines and paragraphs, and halves of characters, which no stream takes.
    "\u2028\u2029\ud800-\udfff"
    # Without a width: soft hyphen, Mongolian vowel separator, zero-width space, word joiner and
    # invisible operators, byte order mark, annotations, tags. Not the two joiners that Indic and
    # Arabic letters and emoji are written with.
    "\u00ad\u180e\u200b\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)

_BREAKS: Final = re.compile("[\\t\\n\\r]")


def visible(text: str) -> str:
    r"""Return a text with its control, bidirectional and hidden characters written out: `\u001b`.

    Tabs and line ends stay. The form is that of JSON, so that a JSON text stays the same document.
    """
    return _HIDDEN.sub(_written, text)


def visible_line(text: str) -> str:
    r"""Return a text as `visible` does, with its tabs and line ends written out as well."""
    return visible(_BREAKS.sub(_code, text))


def is_visible(text: str) -> bool:
    """Say whether a text holds nothing that `visible` changes."""
    return _HIDDEN.search(text) is None


def _written(found: re.Match[str]) -> str:
    # The first half of a line end of two characters.
    if found[0] == "\r" and found.string.startswith("\n", found.end()):
        return ""
    return _code(found)


def _code(found: re.Match[str]) -> str:
    # As JSON writes a character beyond the first 65,536: in two halves.
    halves = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{halves[at : at + 4]}" for at in range(0, len(halves), 4))
