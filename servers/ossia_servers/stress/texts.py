"""Texts, changed as transport, proxies and models change them."""

from __future__ import annotations

from random import Random
from typing import Final

_SHARE_GARBLED: Final = 0.2
_FIRST_SYMBOL, _LAST_SYMBOL = 0x2500, 0x257F

FILTER_NOTICE: Final = "I'm sorry, but this response was blocked by the content filter."
OTHER_JSON: Final = '{"status": "ok", "items": [], "page": {"next": null, "size": 0}}'
ERROR_TEXT: Final = (
    "[API ERROR] HTTP 500: Internal Server Error. The server had an error while processing your"
    " request."
)
TIMEOUT_TEXT: Final = "[TIMEOUT] The request timed out. The server did not respond in time."
HTML_PAGE: Final = (
    "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n"
    "<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx/1.24.0</center>\r\n"
    "</body>\r\n</html>\r\n"
)
_RAMBLING: Final = "Let me think about this step by step and consider every aspect of it again. "
_RAMBLED: Final = 20_000


def begin_of(text: str, share: float) -> str:
    """Return the first part of a text, at least one character short of the whole."""
    return text[: min(int(len(text) * share), max(0, len(text) - 1))]


def mistaken(text: str) -> str:
    """Return a text whose UTF-8 was read as Latin-1; every text changes.

    A byte-order mark stands for what a text in ASCII has none of.
    """
    marked = text if not text.isascii() else f"\ufeff{text}"
    return marked.encode("utf-8", "replace").decode("latin-1")


def garbled(text: str, random: Random) -> str:
    """Return a text with one character in five replaced by a symbol, at least one."""
    places = random.sample(range(len(text)), max(1, int(len(text) * _SHARE_GARBLED)))
    characters = [*text]
    for place in places:
        characters[place] = chr(random.randint(_FIRST_SYMBOL, _LAST_SYMBOL))
    return "".join(characters)


def fenced(text: str) -> str:
    """Return a text within prose and a code fence."""
    return f"Sure! Here is the result you asked for:\n\n```json\n{text}\n```\n\nLet me know!"


def rambled(text: str) -> str:
    """Return a text after very many words."""
    return f"{_RAMBLING * (_RAMBLED // len(_RAMBLING))}\n\n{text}"
