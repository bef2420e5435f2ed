"""Signs of a service's faults in an episode: what tools were told, against what servers recorded.

Nothing of what was injected is read. What a tool was told stands in the requests to the model that
follow it; what is not told to a model leaves no sign.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from ossia_evaluation.steps import Step, read_steps
from ossia_servers.trace import Trace
from ossia_servers.wire.conversation import read_conversation
from ossia_servers.wire.envelope import tool_answers
from ossia_servers.wire.names import MANAGER
from ossia_servers.worlds.records import ServerRequest

__all__ = ["ServiceSign", "service_signs"]

_BY_CODE: Final = {"UNREACHABLE": "service-unreachable", "TIMEOUT": "service-hang"}
_BY_STATUS: Final = {
    429: "service-rate-limited",
    500: "service-error",
    502: "service-html",
    503: "service-unavailable",
}
_NONE: Final = "\x00"
"""Stands for a field that is not there."""
_EXTRA: Final = 20
"""So many characters more than the server said are a note."""


@dataclass(frozen=True, slots=True)
class ServiceSign:
    """A sign of a fault.

    Attributes:
        kind: Which fault it looks like; of a connection that ended, how is not told.
        step: The place of the step whose tool was told it; None where nobody was told anything.
    """

    kind: str
    step: int | None

    @property
    def place(self) -> str:
        """Where it shows, for people."""
        return "" if self.step is None else f" at step {self.step + 1}"


@dataclass(frozen=True, slots=True)
class _Told:
    step: int
    status: int
    body: Any

    @property
    def fault(self) -> str | None:
        """The fault that the answer shows by itself."""
        if self.status == 0:
            code = self.body.get("code") if isinstance(self.body, Mapping) else None
            return _BY_CODE.get(str(code))
        return _BY_STATUS.get(self.status)

    def tells(self, record: ServerRequest) -> bool:
        return isinstance(self.body, Mapping) and _parts(self.body) == _recorded(record)


def service_signs(trace: Trace) -> tuple[ServiceSign, ...]:
    """Return the signs of service faults in an episode, in order."""
    # A manager may be shown what its members' tools were told.
    steps = [step for step in read_steps(trace) if step.role != MANAGER]
    told = [each for step in steps for each in _told(trace, step)]
    return tuple(_signs(told, trace.requests))


def _signs(told: Sequence[_Told], records: Sequence[ServerRequest]) -> Iterator[ServiceSign]:
    left = list(records)
    untold = len(left) - sum(one.fault is None for one in told)
    earlier: list[ServerRequest] = []
    for one, following in pairwise([*told, None]):
        assert one is not None
        ahead = following is not None and bool(left) and following.tells(left[0])
        if one.fault is not None:
            lost = untold > 0 and bool(left and left[0].changes) and not ahead
            yield ServiceSign("lost-answer" if lost and one.status == 0 else one.fault, one.step)
            if lost:
                untold -= 1
                earlier.append(left.pop(0))
            continue
        if not left:
            return
        record = left.pop(0)
        kind = None if one.tells(record) else _difference(one, record, earlier)
        if kind is not None:
            yield ServiceSign(kind, one.step)
        earlier.append(record)
        if untold > 0 and record.changes and left and left[0].params == record.params:
            ahead = following is not None and following.tells(left[0])
            if not ahead:
                yield ServiceSign("delivered-twice", None)
                untold -= 1
                earlier.append(left.pop(0))


def _told(trace: Trace, step: Step) -> Iterator[_Told]:
    """Yield what the tools of a step were told by servers, as far as its model was asked on."""
    team = sorted({exchange.role for exchange in trace.gateway.exchanges} - {MANAGER})
    asked = (read_conversation(exchange.request, team) for exchange in step.exchanges)
    for text in max(map(tool_answers, asked), key=len):
        try:
            found = json.loads(text)
        except ValueError:
            continue
        if isinstance(found, dict) and found.keys() == {"status", "body"}:
            told = _Told(step.index, found["status"], found["body"])
            refused = isinstance(told.body, Mapping) and told.body.get("code") == "REFUSED"
            if not (told.status == 0 and refused):
                yield told


def _parts(body: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    data = body.get("data")
    data = data if isinstance(data, Mapping) else {"response": body.get("msg"), "result": None}
    return body.get("code"), data.get("response", _NONE), data.get("result", _NONE)


def _recorded(record: ServerRequest) -> tuple[Any, Any, Any]:
    return record.code, record.response, record.result


def _difference(told: _Told, record: ServerRequest, earlier: Sequence[ServerRequest]) -> str | None:
    """Return by what fault an answer looks other than its record."""
    if not isinstance(told.body, Mapping):
        return "service-empty" if told.body == "" else "service-truncated"
    if any(told.tells(other) for other in earlier):
        return "stale-value"
    data = told.body.get("data")
    now = {"response": record.response, "result": record.result}
    if not isinstance(data, Mapping):
        return None
    if _names({k: v for k, v in data.items() if k != "query"}) - {"clarification"} - _names(now):
        return "renamed-field"
    if _items(data.get("result")) < _items(record.result):
        return "partial-list"
    longer = len(json.dumps(_parts(told.body))) - len(json.dumps(_recorded(record)))
    return "hidden-instruction" if longer > _EXTRA else "wrong-value"


def _names(value: Any) -> frozenset[str]:
    if isinstance(value, Mapping):
        return frozenset(value).union(*map(_names, value.values()))
    return frozenset().union(*map(_names, value)) if isinstance(value, list) else frozenset()


def _items(value: Any) -> int:
    """How many items all lists of a value hold."""
    if isinstance(value, Mapping):
        return sum(map(_items, value.values()))
    return len(value) + sum(map(_items, value)) if isinstance(value, list) else 0
