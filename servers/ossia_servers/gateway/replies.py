"""Reading what an upstream endpoint sends, whatever that is: bounded in size, and never raising."""

from __future__ import annotations

import json
import math
import re
import zlib
from collections.abc import AsyncIterator, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from sys import float_info
from typing import Any, Final

import orjson
from pydantic import ValidationError

from ossia_servers.gateway.answers import MalformedMessage, read_answer
from ossia_servers.gateway.chat import is_deep
from ossia_servers.gateway.models import Completion
from ossia_servers.gateway.records import Served, Usage

MOST_REPLY_BYTES: Final = 16 * 1024 * 1024
"""A longer reply, counted when decoded, is the endpoint's fault."""

ACCEPTED_ENCODINGS: Final = "gzip, deflate"
"""What `read_body` decodes: httpx decodes a whole piece at once, however much comes of it."""

_HALVES: Final = re.compile("[\ud800-\udfff]")
_MOST_DIGITS: Final = 18

_MOST_TOKENS: Final = 10**9
_LATEST_S: Final = 10**12
_NAME_CHARACTERS: Final = 200


class UnreadableReply(Exception):
    """A reply that cannot be read; one clause says why."""


class MalformedReply(UnreadableReply):
    """A whole reply whose message is none; the same request is likely to be answered so again."""


async def read_body(raw: AsyncIterator[bytes], encoding: str) -> bytes:
    """Return the decoded body of a reply.

    Args:
        raw: Its pieces as they come.
        encoding: Its content encoding; empty for none.

    Raises:
        UnreadableReply: It is too long, or not encoded as it says.
    """
    decode = _decoder(encoding.strip().lower())
    parts: list[bytes] = []
    left = MOST_REPLY_BYTES
    async for piece in raw:
        while piece:
            part, piece = decode(piece, left + 1)
            left -= len(part)
            if left < 0:
                raise UnreadableReply(f"the answer is larger than {MOST_REPLY_BYTES >> 20} MiB")
            parts.append(part)
    return b"".join(parts)


def _decoder(encoding: str) -> Any:
    """A function from a piece and a limit to what comes of it, and what is left of the piece."""
    if encoding in ("", "identity"):
        return lambda piece, _limit: (piece, b"")
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise UnreadableReply(f"unsupported Content-Encoding: {encoding[:20]}")
    inflate = zlib.decompressobj(zlib.MAX_WBITS | 32)

    def decode(piece: bytes, limit: int) -> tuple[bytes, bytes]:
        try:
            part = inflate.decompress(piece, limit)
        except zlib.error:
            raise UnreadableReply("the answer is not encoded as it says") from None
        # What follows the end of the stream says nothing.
        return part, b"" if inflate.eof else inflate.unconsumed_tail

    return decode


def read_completion(raw: bytes, attempt: int) -> Completion:
    """Return the answer in the body of a reply.

    Args:
        raw: The body.
        attempt: The number of the attempt.

    Raises:
        MalformedReply: It is nested too deep, or its message has not the form of one.
        UnreadableReply: It is no valid chat completion for another reason.
    """
    body = read_json(raw)
    try:
        message, finish_reason = read_answer(body)
    except MalformedMessage as error:
        raise MalformedReply(str(error)) from None
    except ValueError as error:
        raise UnreadableReply(str(error)) from None
    return Completion(
        message=message,
        finish_reason=finish_reason,
        usage=read_usage(body.get("usage")),
        attempts=attempt,
        served=_read_served(body),
    )


def read_json(raw: bytes) -> Any:
    """Read JSON as clients do, also with a lone surrogate or too large a number in it.

    These are replaced: by U+FFFD, and by the nearest number.

    Raises:
        UnreadableReply: it is no JSON, or nested too deep.
    """
    try:
        body = orjson.loads(raw)
    except orjson.JSONDecodeError:
        body = _read_leniently(raw)
    if is_deep(body):
        raise MalformedReply("the answer is nested too deep")
    return body


def _read_leniently(raw: bytes) -> Any:
    try:
        body = json.loads(
            raw.decode("utf-8-sig"),
            parse_int=lambda digits: int(digits) if len(digits) <= _MOST_DIGITS else _float(digits),
            parse_float=_float,
            parse_constant=_refuse,
        )
        text = json.dumps(body, ensure_ascii=False)
        return orjson.loads(_HALVES.sub("\ufffd", text))
    except ValueError:
        # A wrong base URL, or a network that asks for a login, answers with one.
        page = raw.lstrip()[:1] == b"<"
        raise UnreadableReply(f"the answer is {'a web page, ' * page}not JSON") from None
    except RecursionError:
        raise MalformedReply("the answer is nested too deep") from None


def _float(text: str) -> float:
    return max(-float_info.max, min(float_info.max, float(text)))


def _refuse(constant: str) -> None:
    raise MalformedReply(f"the answer holds {constant}, which is not JSON")


def read_usage(usage: Any) -> Usage | None:
    """Return the tokens that a provider reports, or None where they cannot be read or cannot be.

    No request is of no tokens: a proxy that fills in zeros has not counted.
    Providers count reasoning inside the completion's tokens or, where only the total holds it,
    beside them; here it is always inside.
    """
    if not isinstance(usage, dict):
        return None
    prompt, completion = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    if not prompt or completion is None:
        return None
    cached, written = _cached(usage, prompt)
    reasoning = _detail(usage, "completion_tokens_details", "reasoning_tokens") or 0
    beside = (_count(usage.get("total_tokens")) or 0) - prompt - completion
    if beside > 0:
        completion, reasoning = completion + beside, max(reasoning, beside)
    try:
        return Usage(
            prompt_tokens=prompt,
            completion_tokens=completion,
            source="provider",
            cached_tokens=cached,
            cache_write_tokens=written,
            reasoning_tokens=min(reasoning, completion),
        )
    except ValidationError:
        return None


def _cached(usage: Mapping[str, Any], prompt: int) -> tuple[int, int]:
    """Prompt tokens read from and written to the provider's cache; 0 where they do not fit."""
    read = _detail(usage, "prompt_tokens_details", "cached_tokens")
    if read is None:
        read = _count(usage.get("prompt_cache_hit_tokens")) or 0
    written = _detail(usage, "prompt_tokens_details", "cache_write_tokens")
    if written is None:
        written = _count(usage.get("cache_creation_input_tokens")) or 0
    read = read if read <= prompt else 0
    return read, written if read + written <= prompt else 0


def _detail(usage: Mapping[str, Any], group: str, name: str) -> int | None:
    details = usage.get(group)
    return _count(details.get(name)) if isinstance(details, dict) else None


def _count(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return int(value) if value == int(value) and 0 <= value <= _MOST_TOKENS else None


def _read_served(body: Mapping[str, Any]) -> Served:
    choice = body["choices"][0]
    created = body.get("created")
    return Served(
        model=_name(body.get("model")),
        system_fingerprint=_name(body.get("system_fingerprint")),
        finish_reason=_name(choice.get("finish_reason")),
        created=created if isinstance(created, int) and 0 <= created <= _LATEST_S else None,
    )


def _name(value: Any) -> str | None:
    return value[:_NAME_CHARACTERS] if isinstance(value, str) else None


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Read how long to wait, without a clock: a date is compared with the answer's own date.

    Args:
        headers: The reply's.

    Returns:
        Seconds, or None where there is no number that makes sense.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after", "").strip()
    seconds = _number(text)
    if seconds is not None:
        return seconds
    until, now = _date(text), _date(headers.get("date", ""))
    if until is None or now is None:
        return None
    return max(0.0, (until - now).total_seconds())


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return None if math.isnan(value) else max(0.0, value)


def _date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    # The parser takes years, hours and offsets of any length.
    except (ValueError, OverflowError, TypeError, IndexError):
        return None
    return date if date.tzinfo is not None else None
