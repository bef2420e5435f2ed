"""What a member says or does beyond its contract, which a later role may take up all the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ossia_evaluation.assistant.attribution.received import Heard
from ossia_evaluation.attribution.findings import Finding, last_text
from ossia_evaluation.reply.support import leaves
from ossia_servers.wire.answers import read_calls
from ossia_servers.wire.calls import HTTP_TOOL
from ossia_servers.wire.envelope import tools_offered
from ossia_servers.wire.results import read_results

_OWN: Final = {
    "intent": "intent",
    "time": "time_slots",
    "location": "place_slots",
    "url": "url",
    "request": "answer",
}
"""The result that each role owes, as readers of a conversation call it."""

_OWNERS: Final = {result: role for role, result in _OWN.items()}


def judge_beyond(given: Heard, messages: Sequence[Mapping[str, Any]]) -> Finding | None:
    """Return what a member says or does that is not its own to say or do, or None.

    What it passes on as it was given is no fault of its own.

    Args:
        given: the input of its first call.
        messages: its answers.
    """
    return _wrong_call(given, messages) or _foreign_result(given, messages)


def _wrong_call(given: Heard, messages: Sequence[Mapping[str, Any]]) -> Finding | None:
    offered = tools_offered(given.conversation)
    for message in messages:
        for name, arguments in read_calls(message):
            if name not in offered:
                return Finding(name, "a tool of its own", f"called {name}", "without that call")
            method = str(arguments.get("method", "GET"))
            if name == HTTP_TOOL and method != "GET":
                return Finding(method, "GET", f"used {method} instead of GET", "with GET")
            if name == HTTP_TOOL and given.role != "request":
                url = str(arguments.get("url", ""))
                return Finding(url, "no request", f"requested {url} itself", "without that request")
    return None


def _foreign_result(given: Heard, messages: Sequence[Mapping[str, Any]]) -> Finding | None:
    told, known = read_results([last_text(messages)]), given.conversation.results
    # What a server's answer quotes is the server's.
    quoted = read_results([text for text in leaves(known.answer) if isinstance(text, str)])
    for result, owner in _OWNERS.items():
        said = getattr(told, result)
        if said is None or _OWN.get(given.role) == result or said == getattr(known, result):
            continue
        if said == getattr(quoted, result):
            continue
        fault = f"gave {said!r}, the result of the {owner} role"
        return Finding(str(said), "nothing of it", fault, "without it")
    return None
