"""Signs of a model's faults in an episode: what came over the wire, and what had been asked.

Nothing of what was injected is read, and nothing of what would have come: an answer is compared
with its request, the episode's earlier answers, and how the others came. So a sign is no proof that
something was injected: a model that really ends in the middle leaves the same one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ossia_evaluation import odd_texts
from ossia_evaluation.odd_calls import sign_of_calls
from ossia_servers.gateway.records import Exchange
from ossia_servers.trace import Trace
from ossia_servers.wire.conversation import Conversation, read_conversation
from ossia_servers.wire.messages import items, mapping
from ossia_servers.wire.names import MANAGER
from ossia_servers.wire.protocols import protocol_of
from ossia_servers.wire.routing import GARBAGE, read_choice, read_form

__all__ = ["ModelSign", "model_signs", "was_unanswered"]

_BY_STATUS: Final = {
    400: "refused",
    401: "unauthorized",
    429: "rate-limited",
    500: "server-error",
    502: "bad-gateway",
    503: "unavailable",
}
_STATUS: Final = re.compile(r"HTTP ([45]\d\d)")
_BY_WORDS: Final = {
    "hung up": "hang",
    "reset in the answer": "reset-midway",
    "was reset": "reset",
}
_ERROR: Final = "server-error"
"""For any other status: an error of the interface."""

_SLOW_S: Final = 0.4
_SLOWER: Final = 2
"""What takes so long, and so many times as long as the quickest call of the episode, is slow."""


@dataclass(frozen=True, slots=True)
class ModelSign:
    """A sign of a fault.

    Attributes:
        kind: Which fault it looks like.
        seq: The call that it shows in.
        role: Who had asked.
        attempts: How often the call was made, of which this is the first: a client repeats what it
            got no answer to, not a word being different.
        answered: Whether one of these attempts was answered.
    """

    kind: str
    seq: int
    role: str
    attempts: int = 1
    answered: bool = True


@dataclass(frozen=True, slots=True)
class _Call:
    """What went over the wire in one call, and no more of its record."""

    seq: int
    role: str
    request: Mapping[str, Any]
    message: Mapping[str, Any] | None
    finish: str
    error: str
    seconds: float


def was_unanswered(exchange: Exchange) -> bool:
    """Say whether the endpoint gave no answer to a call: an error, a reset, or nothing in time.

    Refusals and ends that the gateway speaks of in other words are none.
    """
    return exchange.response is None and _lost(exchange.error or "") is not None


def model_signs(trace: Trace, team: Sequence[str] = ()) -> tuple[ModelSign, ...]:
    """Return the signs of a model's faults in an episode, in order.

    Args:
        trace: the episode.
        team: the roles that a manager can choose from; those that were asked when it is left out.
    """
    calls = [
        _Call(
            one.seq,
            one.role,
            one.request,
            one.response,
            one.finish_reason or "",
            one.error or "",
            one.timing.latency_s,
        )
        for one in trace.gateway.exchanges
    ]
    quickest = min((call.seconds for call in calls), default=0.0)
    late = trace.ending.kind == "timeout" or trace.gateway.budget_spent == "seconds"
    return tuple(_signs(calls, max(_SLOW_S, _SLOWER * quickest), team, late=late))


def _signs(
    calls: Sequence[_Call], slow_s: float, team: Sequence[str], *, late: bool
) -> Iterator[ModelSign]:
    """Yield the signs; a slow answer is none where the episode had the time."""
    team = team or sorted({call.role for call in calls} - {MANAGER})
    passed = 0
    for place, call in enumerate(calls):
        if place < passed:
            continue
        slow = call.seconds > slow_s
        if call.message is not None:
            kind = _of_answer(call, read_conversation(call.request, team), calls[:place])
            if kind or (slow and late):
                yield ModelSign(kind or "slow", call.seq, call.role)
            continue
        kind = _lost(call.error)
        if kind is None:
            continue
        same = [
            one for one in calls[place:] if (one.role, one.request) == (call.role, call.request)
        ]
        tries = _attempts(calls[place:], same)
        passed = place + len(tries)
        answered = tries[-1].message is not None
        passed -= answered
        kind = "slow-unavailable" if slow and kind == "unavailable" else kind
        yield ModelSign(kind, call.seq, call.role, len(tries), answered)


def _attempts(rest: Sequence[_Call], same: Sequence[_Call]) -> list[_Call]:
    """The attempts at a call: the same request again and again, up to the first answer."""
    found = []
    for one in rest:
        if one not in same:
            break
        found.append(one)
        if one.message is not None:
            break
    return found


def _lost(error: str) -> str | None:
    """What kept an answer from the framework, by what the record says that it got instead."""
    status = _STATUS.fullmatch(error)
    if status is not None:
        return _BY_STATUS.get(int(status[1]), _ERROR)
    return next((kind for words, kind in _BY_WORDS.items() if error.endswith(words)), None)


def _of_answer(call: _Call, asked: Conversation, earlier: Sequence[_Call]) -> str | None:
    message = call.message or {}
    if call.finish == "content_filter":
        return "filtered"
    if call.finish == "length":
        return "truncated"
    text = message.get("content")
    text = text if isinstance(text, str) else ""
    called = items(message.get("tool_calls"))
    if not text.strip() and not called:
        return "empty"
    return (
        _damaged(text, called, asked)
        or ("stale" if _is_old(call, earlier) else None)
        or sign_of_calls(message, asked, leads=call.role == MANAGER)
        or (_of_words(text, asked, _words(earlier)) if text.strip() else None)
        or (_of_choice(message, text, asked) if call.role == MANAGER else None)
    )


def _damaged(text: str, called: Sequence[Any], asked: Conversation) -> str | None:
    """What transport or decoding does to any text, be it words or the arguments of a call."""
    given = [mapping(mapping(call).get("function")).get("arguments") for call in called]
    written = [each for each in given if isinstance(each, str)]
    for each in (text, *written):
        if odd_texts.is_mistaken(each, asked.said):
            return "wrong-encoding"
    for each in written:
        if odd_texts.is_garbled(each, asked.said):
            return "garbled-arguments"
    if odd_texts.is_garbled(text, asked.said):
        inside = text[text.find("{") : text.rfind("}") + 1]
        outside = text.replace(inside, "", 1) if inside else text
        only = bool(inside) and not odd_texts.has_symbols(outside, asked.said)
        return "garbled-arguments" if only and len(outside.strip()) > len("{}") else "garbled"
    return None


def _of_choice(message: Mapping[str, Any], text: str, asked: Conversation) -> str | None:
    """How a manager's choice names nobody in the team."""
    routing = read_form(asked)
    names = (*routing.names.values(), routing.end or "")
    if not routing.names or read_choice(message, asked) != GARBAGE:
        return None
    word = odd_texts.single_word(text)
    if not word:
        return None
    begun = any(name.casefold().startswith(word.casefold()) for name in names)
    return "cut" if begun else "unknown-role"


def _known(asked: Conversation) -> str:
    """All that the request says: its messages, and the names in its tools and schema."""
    return "\n".join((asked.said, json.dumps([asked.tools, asked.schema], default=dict)))


def _of_words(text: str, asked: Conversation, earlier: Sequence[str]) -> str | None:
    kind = odd_texts.sign_of_text(text, _known(asked), earlier)
    if kind == "fenced" and protocol_of(asked) is not None:
        return None
    return "stale" if kind == "other-json" and text in earlier else kind


def _is_old(call: _Call, earlier: Sequence[_Call]) -> bool:
    """Whether a tool call has the id of one that answered another request."""
    ids = _ids(call.message)
    return bool(ids) and any(
        ids & _ids(one.message) and one.request != call.request for one in earlier
    )


def _ids(message: Mapping[str, Any] | None) -> frozenset[str]:
    calls = items((message or {}).get("tool_calls"))
    return frozenset(str(mapping(call)["id"]) for call in calls if mapping(call).get("id"))


def _words(earlier: Sequence[_Call]) -> list[str]:
    said = [one.message.get("content") for one in earlier if one.message is not None]
    return [text for text in said if isinstance(text, str) and text.strip()]
