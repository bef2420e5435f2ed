"""What an endpoint's error reply says: its words, and whether any further request is in vain."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from typing import Any, Final
from urllib.parse import urljoin

import orjson

from ossia_servers.gateway.client import LOCATION
from ossia_servers.gateway.replies import UnreadableReply, read_json

__all__ = ["closes_endpoint", "error_field", "error_status", "error_text", "is_moderation"]

_KEY_OR_PAYMENT: Final = frozenset({401, 402, 403})
_LIMITED: Final = 429

_WORDS_READ: Final = 8_000

_CODES: Final = frozenset(
    {
        "billing_hard_limit_reached",
        "billing_not_active",
        "budget_exceeded",
        "credit_limit",
        "exceeded_current_quota_error",
        "insufficient_balance",
        "insufficient_credits",
        "insufficient_quota",
    }
)
"""Codes and types of errors that say by themselves that nothing more is paid for."""

_PERIOD: Final = re.compile(
    r"(?P<short>(?:per|/)[\s_-]*(?:second|sec|minute|min|hour)\b|\b(?:rps|rpm|tpm)\b"
    r"|re?try (?:again )?(?:in|after) [0-9.]{1,6} ?(?:ms|s|seconds?)\b)"
    r"|(?P<long>(?:per|/)[\s_-]*(?:day|week|month)\b|\b(?:rpd|tpd)\b|\b(?:daily|weekly|monthly)\b)"
)
"""The period of a limit: a short one passes while an episode waits, a long one does not."""

_HTML: Final = re.compile(rb"\s{0,100}(?:<!doctype html|<html)", re.IGNORECASE)
_TITLE: Final = re.compile(rb"<title[^<>]{0,100}>([^<]{1,300})", re.IGNORECASE)

_GOOGLES_DAY: Final = re.compile(r'"quotaid": ?"[^"]*perday')
_GOOGLES_MINUTE: Final = re.compile(r'"quotaid": ?"[^"]*per(?:minute|second)|"retrydelay"')

_MONEY: Final = re.compile(
    r"insufficient (?:account )?(?:balance|credit|fund|quota)|credit balance|out of credits"
    r"|(?:no|all) (?:your |available |remaining )*credits"
    r"|exceeded your (?:current|monthly|assigned) (?:quota|budget|credits)"
    r"|(?:spend|spending|billing|credit|usage|hard) limit"
    r"|(?:budget has been|crossed|exceeded|over) (?:exceeded|budget)|recharge your|please recharge"
    r"|payment required|past invoices|余额不足|欠费|请充值"
)
"""Words of providers whose account is at its end; used for HTTP 429 alone."""

_UNMISTAKABLE: Final = re.compile(
    r"^(?:litellm\.\w+: )?(?:\w+exception - )?(?:your credit balance is too low"
    r"|you have reached your specified api usage limits|budget has been exceeded"
    r"|exceededbudget|insufficient balance|account \S{1,80} is suspended)"
)
"""What the same is told by with other statuses, which may quote a request: how messages begin."""


def error_text(status: int, headers: Mapping[str, str], raw: bytes, url: str) -> str:
    """Return the words of an error reply.

    Args:
        status: its status.
        headers: its headers, a redirect's address under `LOCATION`.
        raw: its body.
        url: the address that was asked.
    """
    if 300 <= status < 400:
        return _redirected(headers.get(LOCATION, ""), url)
    message = error_field(raw, "message") or _page(raw) or raw.decode("utf-8", "replace")
    return " ".join(message.split()) or "no details"


def _page(raw: bytes) -> str | None:
    """Name the page of a web server or a proxy, whose text says nothing more; None for others."""
    if _HTML.match(raw) is None:
        return None
    title = _TITLE.search(raw[:_WORDS_READ])
    named = "" if title is None else unescape(title[1].decode("utf-8", "replace")).strip()
    return f"a web page: {named}" if named else "a web page"


def _redirected(location: str, url: str) -> str:
    """Say where a redirect points, without what follows a question mark: it may be a secret.

    The address comes last, since whoever shows it cuts what is too long.
    """
    try:
        target = urljoin(url, location.strip()).partition("?")[0].partition("#")[0]
    except ValueError:
        target = location
    return (
        "redirects are not followed, as they would take the key to another address; if it is the"
        f" right one, name it with --base-url: {target if location.strip() else 'none was told'}"
    )


def error_field(raw: bytes, name: str) -> str | None:
    """Return a text of an error reply's `error` object, or None.

    Args:
        raw: The body.
        name: Such as `message`, which may be the whole of `error`; `code` or `type`.
    """
    error = _error(raw)
    value = error.get(name) if isinstance(error, dict) else error if name == "message" else None
    return value if isinstance(value, str) else None


def error_status(raw: bytes) -> int | None:
    """Return the HTTP status that a reply of status 200 names in its `error` object, or None.

    Routers send it where the provider behind them failed after the reply had begun.
    """
    error = _error(raw)
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, str) and code.isascii() and code.isdigit() and len(code) == 3:
        code = int(code)
    if isinstance(code, int) and 400 <= code <= 599:
        return code
    return _LIMITED if error is not None and _has_ended(_words(error), _codes(error)) else None


def closes_endpoint(status: int, raw: bytes) -> bool:
    """Whether every further request would be answered so as well.

    A key that is refused, a redirect, and an account without money or at the end of its day do. A
    limit for a minute or less does not, whatever else its reply speaks of.

    Args:
        status: the reply's.
        raw: its body.
    """
    if 300 <= status < 400:
        return True
    if status == 403 and is_moderation(raw):
        return False
    if status in _KEY_OR_PAYMENT:
        return True
    error = _error(raw)
    if status == _LIMITED:
        whole = raw[:_WORDS_READ].decode("utf-8", "replace") if error is None else _words(error)
        return _has_ended(whole, _codes(error))
    message = error_field(raw, "message") or ""
    begins = _UNMISTAKABLE.match(" ".join(message.lower().split()))
    return 400 <= status < 500 and (begins is not None or bool(_codes(error) & _CODES))


def _has_ended(words: str, codes: frozenset[str]) -> bool:
    """Whether a reply that speaks of a limit speaks of one that no episode can wait for."""
    if codes & _CODES:
        return True
    lower = words.lower()
    if _GOOGLES_DAY.search(lower):
        return True
    if _GOOGLES_MINUTE.search(lower):
        return False
    period = _PERIOD.search(lower)
    return period["long"] is not None if period else _MONEY.search(lower) is not None


def is_moderation(raw: bytes) -> bool:
    """Whether an error reply says that the request's content was flagged (a router's HTTP 403)."""
    error = _error(raw)
    metadata = error.get("metadata") if isinstance(error, dict) else None
    return isinstance(metadata, dict) and bool(
        metadata.get("reasons") or metadata.get("flagged_input")
    )


def _error(raw: bytes) -> Any:
    """The error of a reply: an object or a text; None where there is none.

    Some put it into a list of one, and some put its fields at the top.
    """
    try:
        body = read_json(raw)
    except UnreadableReply:
        return None
    if isinstance(body, list) and body:
        body = body[0]
    if not isinstance(body, dict):
        return None
    if body.get("error") is None and body.get("object") == "error":
        return body
    return body.get("error")


def _words(error: Any) -> str:
    """Everything that an error says, what it quotes of another provider's error included."""
    return orjson.dumps(error).decode()[:_WORDS_READ]


def _codes(error: Any) -> frozenset[str]:
    if not isinstance(error, dict):
        return frozenset()
    return frozenset(v for v in (error.get("code"), error.get("type")) if isinstance(v, str))
