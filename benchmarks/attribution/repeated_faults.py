"""The same fault once more, about another input.

When one of several faults is taken out, the roles after it get another input. The others are then
the same faults only if they do the same: leave out the same names, put the same wrong values in the
same places, call the same role. Whatever else their type of fault could make is another fault.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from ossia_servers.assistant.offline.faults import FaultType

_DOMAIN = "/"
_ADDRESS = "url"
_WORDS = frozenset(
    {FaultType.TIME_UNCONVERTED, FaultType.LOCATION_UNRESOLVED, FaultType.URL_STALE_VALUE}
)
"""Faults that leave the user's words as they are: about other words they leave those."""

_ACTS = frozenset({FaultType.REQUEST_NO_CALL, FaultType.REQUEST_DUPLICATE_CALL})
"""Faults that lie in what is done with an address, whichever it is."""

Values = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class WrongOutput:
    """What a fault made of a right output.

    Attributes:
        right: the output that was right.
        wrong: the output in its place.
        done: for the manager, the roles that had worked.
    """

    right: str
    wrong: str
    done: tuple[str, ...] = ()

    def comes(self, right: str, done: Sequence[str]) -> bool:
        """Say whether a manager's choice is the one in which the fault was.

        That is the same moment, or, in a run that can no longer come to it, the next in which the
        same role is due.

        Args:
            right: the role that is due.
            done: the roles that have worked.
        """
        if self.done[: len(done)] == tuple(done):
            return len(done) == len(self.done)
        return right == self.right


@dataclass(frozen=True, slots=True)
class _Said:
    """An output in parts: its form, and its values by group and name."""

    form: str
    groups: Mapping[str, Values]


def repeated(
    fault: FaultType, known: WrongOutput, right: str, options: Sequence[str]
) -> str | None:
    """Return the same fault in place of another right output.

    Args:
        fault: its type.
        known: what it was.
        right: the output that is right now.
        options: what its type can make of that.

    Returns:
        The output; the right one where that is what the fault said all along; None where there is
        no place for the fault any more.
    """
    if fault in _ACTS:
        return _nearest(known.wrong, options)
    if known.wrong == right or known.wrong in options:
        return known.wrong
    before, wrong, now = _read(known.right), _read(known.wrong), _read(right)
    if before is None or wrong is None or now is None or before.form != wrong.form:
        return _nearest(known.wrong, options)
    changes = {name: _Change(values, wrong.groups.get(name, {})) for name, values in _all(before)}
    if not any(change.fits(now.groups.get(name, {})) for name, change in changes.items()):
        return None
    if fault is FaultType.URL_STALE_VALUE:
        same = [o for o in options if _names(now, o) <= _names(before, known.wrong)]
        # Where none of these words is left to be stale, they are right by now.
        return _nearest(known.wrong, same) or right
    if fault in _WORDS:
        return _nearest(known.wrong, options)
    groups = {n: changes[n].apply(v) if n in changes else v for n, v in now.groups.items()}
    return _write(replace(now, groups=groups))


class _Change:
    """What is different in one group of values, name by name."""

    def __init__(self, right: Values, wrong: Values) -> None:
        self._wrong = wrong
        self._changed = {n for n in right if n in wrong and right[n] != wrong[n]}
        gone = [n for n in right if n not in wrong]
        new = [n for n in wrong if n not in right]
        self._renamed: dict[str, str] = {}
        for name in gone:
            other = next((n for n in new if wrong[n] == right[name]), None)
            if other is not None:
                self._renamed[name] = other
                new.remove(other)
        self._dropped = {n for n in gone if n not in self._renamed}
        self._added = new

    def fits(self, right: Values) -> bool:
        """Whether these values have a place for any of the differences."""
        return bool(self._added or right.keys() & {*self._changed, *self._dropped, *self._renamed})

    def apply(self, right: Values) -> Values:
        """Return other values with the same differences."""
        found = {
            self._renamed.get(name, name): self._wrong[name] if name in self._changed else value
            for name, value in right.items()
            if name not in self._dropped
        }
        return {**found, **{name: self._wrong[name] for name in self._added}}


def _names(right: _Said, text: str) -> set[str]:
    """Return the names in an address whose values a wrong one changes."""
    wrong = _read(text)
    values, other = right.groups[_ADDRESS], {} if wrong is None else wrong.groups[_ADDRESS]
    return {name for name, value in values.items() if other.get(name, value) != value}


def _nearest(model: str, options: Sequence[str]) -> str | None:
    return max(
        options, key=lambda option: SequenceMatcher(None, model, option).ratio(), default=None
    )


def _all(said: _Said) -> Sequence[tuple[str, Values]]:
    return tuple(said.groups.items())


def _read(text: str) -> _Said | None:
    """Return an answer or an address in parts; None of anything else."""
    if text.startswith("/"):
        return _Said("address", {_ADDRESS: _address(text)})
    try:
        value = json.loads(text)
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    if isinstance(value.get(_ADDRESS), str):
        return _Said(_ADDRESS, {_ADDRESS: _address(value[_ADDRESS])})
    own = {name: item for name, item in value.items() if isinstance(item, str)}
    nested = {name: item for name, item in value.items() if isinstance(item, dict)}
    return _Said("answer", {"": own, **nested})


def _write(said: _Said) -> str:
    if said.form == "answer":
        own, nested = said.groups[""], {n: dict(v) for n, v in said.groups.items() if n}
        return json.dumps({**own, **nested}, ensure_ascii=False)
    params = dict(said.groups[_ADDRESS])
    domain = quote(params.pop(_DOMAIN), safe="", errors="replace")
    url = f"/{domain}?{urlencode(params, errors='replace')}"
    return url if said.form == "address" else json.dumps({_ADDRESS: url}, ensure_ascii=False)


def _address(url: str) -> Values:
    parts = urlsplit(url)
    return {_DOMAIN: parts.path.strip("/"), **dict(parse_qsl(parts.query, keep_blank_values=True))}
