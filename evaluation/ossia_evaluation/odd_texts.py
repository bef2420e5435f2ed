"""What is odd about a text by itself, beside the request that it answers."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ossia_workflows import json_objects

__all__ = ["has_symbols", "is_garbled", "is_mistaken", "sign_of_text", "single_word"]

_GARBLED: Final = 0.1
"""So large a part of a text is symbols that the request has none of."""
_STRANGE: Final = frozenset({"So", "Sm", "Cn", "Co", "Cc"})
_PLAIN: Final = frozenset("\n\r\t+<=>|~^`$")
_LONG: Final = 6000
_NOTICE: Final = 600
"""An error's message is shorter."""
_PAGE: Final = re.compile(r"\s*(?:<!doctype html|<html)\b", re.IGNORECASE)
_TIMEOUT: Final = re.compile(
    r"\b(?:timed?[ -]?out|did not respond in time|deadline exceeded)\b", re.IGNORECASE
)
_ERROR: Final = re.compile(
    r"\b(?:api[ _]error|internal server error|server (?:had an )?error|bad gateway"
    r"|service unavailable|rate limit|overloaded|HTTP [45]\d\d|upstream (?:error|connect))\b",
    re.IGNORECASE,
)
_TAG: Final = re.compile(r"\s*(?:\[[A-Z _]+\]|HTTP [45]|error\b)", re.IGNORECASE)
_FENCE: Final = re.compile(r"```\w*\n?(.*?)```", re.DOTALL)
_OPENED: Final = re.compile(r"\s*<([A-Za-z]\w*)>")
_WORD: Final = re.compile(r"[\w-]+")


def is_mistaken(text: str, asked: str) -> bool:
    """Say whether a text is UTF-8 that was read as Latin-1 or Windows-1252, and the request not."""
    if text.isascii():
        return False
    strange = {c for c in text if not c.isascii()} - set(asked)
    if not strange:
        return False
    for name in ("latin-1", "cp1252"):
        try:
            right = text.encode(name).decode("utf-8")
        except UnicodeError:
            continue
        return right != text
    return False


def has_symbols(text: str, asked: str) -> bool:
    """Say whether symbols are in a text that are no writing, and that the request has none of."""
    return _symbols(text, asked) > 0


def is_garbled(text: str, asked: str) -> bool:
    """Say whether so many of them are in a text that they have taken the place of others."""
    return _symbols(text, asked) > _GARBLED * len(text)


def _symbols(text: str, asked: str) -> int:
    return sum(
        c not in _PLAIN and unicodedata.category(c) in _STRANGE and c not in asked for c in text
    )


def single_word(text: str) -> str:
    """Return the word that a text, or the one value of a JSON object, is; empty for no such."""
    found = whole_json(text)
    if isinstance(found, dict):
        values = [value for value in found.values() if isinstance(value, str)]
        text = values[0] if len(values) == 1 else ""
    text = text.strip().strip("`'\"*.")
    return text if _WORD.fullmatch(text) else ""


def whole_json(text: str) -> Any:
    """Return the JSON that a text is and nothing else; None for any other."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def sign_of_text(text: str, asked: str, earlier: Sequence[str]) -> str | None:
    """Return the fault that the words of an answer look like; None for none.

    Args:
        text: the words.
        asked: all words of the request.
        earlier: the words of the episode's answers before it.
    """
    if _PAGE.match(text):
        return "html-text"
    notice = _notice(text, asked)
    if notice is not None:
        return notice
    if len(text) > max(_LONG, len(asked)):
        return "too-long"
    begins = text.lstrip()[:1]
    found = whole_json(text)
    if isinstance(found, dict | list):
        return "other-json" if _is_alien(found, asked) else None
    if "\ufffd" in text and "\ufffd" not in asked:
        return "cut" if text.rstrip().endswith("\ufffd") else "garbled"
    if _is_doubled(text):
        return "doubled-call"
    if any(text.endswith(f"\n{one}") and text != one for one in earlier):
        return "two-answers"
    fenced = _FENCE.findall(text)
    if any(_is_answer(each) for each in fenced) and _FENCE.sub("", text).strip():
        return "fenced"
    if begins in "{[" and text.count(begins) > text.count("]" if begins == "[" else "}"):
        return "cut"
    tag = _OPENED.match(text)
    if tag is not None and f"</{tag[1]}>" not in text:
        return "cut"
    if begins == "{" and len(list(json_objects(text))) > 1:
        return "two-answers"
    return None


def _is_answer(fenced: str) -> bool:
    """Whether what stands in a fence is an answer, and no code."""
    return fenced.lstrip()[:1] in ("{", "[") or bool(single_word(fenced))


def _notice(text: str, asked: str) -> str | None:
    """An error's message in the place of an answer: in words, or as JSON that a proxy sends."""
    if len(text) > _NOTICE:
        return None
    found = whole_json(text)
    if isinstance(found, dict):
        error = found.get("error", found.get("errors"))
        if not error or re.search(r"\berrors?\b", asked):
            return None
        return "timeout-text" if _TIMEOUT.search(text) else "error-text"
    if "{" in text:
        return None
    for kind, words in (("timeout-text", _TIMEOUT), ("error-text", _ERROR)):
        met = words.search(text)
        if met is not None and (_TAG.match(text) or met[0].casefold() not in asked.casefold()):
            return kind
    return None


def _is_alien(found: dict[str, Any] | list[Any], asked: str) -> bool:
    """Whether most names in JSON stand nowhere in the request as such."""
    names = set(_names(found))
    known = sum(re.search(rf"[\"'`]{re.escape(name)}[\"'`]", asked) is not None for name in names)
    return 2 * known < len(names)


def _names(found: Any) -> Iterator[str]:
    if isinstance(found, dict):
        yield from found
        for value in found.values():
            yield from _names(value)
    elif isinstance(found, list):
        for value in found:
            yield from _names(value)


def _is_doubled(text: str) -> bool:
    half, odd = divmod(len(text) - 1, 2)
    return not odd and half > _SHORTEST and text[half] == "\n" and text[:half] == text[half + 1 :]


_SHORTEST: Final = 20
"""A shorter text may be said twice."""
