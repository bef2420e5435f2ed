"""Whether what an episode looked at holds the answer to a gold question.

The answer itself is judged by the reply. This module asks whether it can rest on what was seen:
a guess is no answer, and neither are the rows of another place, day or thing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any, Final

from ossia_dataset.normalise import canonical_place
from ossia_dataset.normalise.values import parse_date_value, parse_time_value
from ossia_evaluation.reply.support import leaves
from ossia_evaluation.worlds.match import same
from ossia_servers.worlds.diff import RowChange
from ossia_servers.worlds.domain import Domain
from ossia_servers.worlds.records import ServerRequest
from ossia_servers.worlds.schema import Kind, Match


@dataclass(frozen=True)
class Identity:
    """How rows of a domain that have no id are known.

    Attributes:
        columns: the columns that say what a row is about.
        any_of: whether one of the columns is enough.
        unordered: whether their values may stand in any order, as two currencies do.
        by_request: whether the answers are derived, so that equal parameters are the evidence.
        values: columns that need not agree, since the reply tells them.
    """

    columns: tuple[str, ...] = ()
    unordered: bool = False
    any_of: bool = False
    by_request: bool = False
    values: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Look:
    """A clock and a home, by which a request may say in full what another leaves out."""

    now: datetime
    home: str


_ROW_ID: Final = "id"
_NO_IDENTITY: Final = Identity()
_SOFT: Final = frozenset("descriptor weather_descriptor device_type app_name".split())
"""Parameters that name a thing by its kind or order rows; with or without them a look is a look."""

_SOFT_IF_EMPTY: Final = _SOFT | {"query", "personal_info"}
"""What finds nothing finds nothing whatever is asked of it."""

_NEVER_DROPPED: Final = frozenset({"business_name", "symbol", "query", "personal_info"})
"""Parameters without which a server means something else, and not more."""

_SPANS: Final = {"time": ("from_time", "to_time"), "date": ("from_date", "to_date")}


def holds_answer(
    question: ServerRequest,
    requests: Sequence[ServerRequest],
    domains: Mapping[str, Domain],
    identities: Mapping[str, Identity],
    look: Look,
) -> bool:
    """Return whether some requests saw what a gold question saw.

    A row is seen when its identity and the columns that both rows have agree, whatever intent
    brought it. Where the gold question finds nothing, a request is as good that asks for as much or
    more.

    Args:
        question: a served gold request without a change.
        requests: what the episode asked, in order.
        domains: declarations of the domain servers.
        identities: how rows without an id are known, by domain.
        look: the task's clock and home.
    """
    served = [
        r for r in requests if r.code == "SUCCESS" and r.domain == question.domain and not r.changes
    ]
    identity = identities.get(question.domain, _NO_IDENTITY)
    if any(
        (identity.by_request or request.intent == question.intent)
        and asks_as_much(question, request, domains[question.domain], look)
        for request in served
    ):
        return True
    if is_empty(question.result):
        return any(
            all(any(asks_as_much(day, r, domains[r.domain], look) for r in served) for day in days)
            for days in _by_days(question)
        )
    if identity.by_request and any(_same_subject(question, request, look) for request in served):
        return True
    if not identity.columns and any(_tells_all(question, request) for request in served):
        return True
    seen = [row for request in served for row in rows_of(request.result)]
    return all(
        any(_is_row(wanted, row, identity) for row in seen) for wanted in rows_of(question.result)
    )


_MAX_DAYS: Final = 14


def _by_days(question: ServerRequest) -> Iterator[list[ServerRequest]]:
    """A question about a span of days as one question for each day, where it is about one."""
    try:
        span = parse_date_value(question.params.get("date", ""))
    except ValueError:
        return
    first, last = span.start, span.end
    if first is None or last is None or not 0 < (last - first).days <= _MAX_DAYS:
        return
    days = (first + timedelta(days=n) for n in range((last - first).days + 1))
    yield [
        question.model_copy(update={"params": {**question.params, "date": day.isoformat()}})
        for day in days
    ]


def _same_subject(question: ServerRequest, request: ServerRequest, look: Look) -> bool:
    """Whether two derived answers are about the same places or zones, in whatever parameters."""
    wanted, given = _subjects(question, look), _subjects(request, look)
    if wanted and wanted == given:
        return True
    # A zone that is named by itself is the zone of the place that was asked for.
    zones = {_zone(question.result), _zone(request.result)}
    by_zone = not any("place" in name for name in request.params)
    return by_zone and len(zones) == 1 and zones != {""}


def _subjects(request: ServerRequest, look: Look) -> frozenset[str]:
    values = (
        canonical_place(value)
        for name, value in request.params.items()
        if name.startswith(("place_name", "time_zone"))
    )
    return frozenset(values) - {canonical_place(look.home)}


def _zone(result: Any) -> str:
    return str(result.get("zone", "")) if isinstance(result, Mapping) else ""


def is_empty(result: object) -> bool:
    """Return whether a result holds nothing."""
    if isinstance(result, dict):
        return all(is_empty(value) for value in result.values())
    return result is None or result == "" or result == []


def rows_of(result: Any) -> list[Mapping[str, Any]]:
    """Return the rows of a result; anything else is one row of one value."""
    rows = result if isinstance(result, list) else [result]
    return [row if isinstance(row, Mapping) else {"value": row} for row in rows]


def texts_of(changes: Iterable[RowChange]) -> frozenset[str]:
    """Return the texts in the rows that were changed, as they were and are, in lower case."""
    states = (state for change in changes for state in (change.before, change.after) if state)
    values = (leaf for state in states for leaf in leaves(state))
    return frozenset(value.casefold() for value in values if isinstance(value, str))


def extra_rows(
    question: ServerRequest, requests: Iterable[ServerRequest], identities: Mapping[str, Identity]
) -> list[Mapping[str, Any]]:
    """Return the rows of the question's domain that were seen and are none of its rows."""
    identity = identities.get(question.domain, _NO_IDENTITY)
    wanted = rows_of(question.result)
    return [
        row
        for request in requests
        if request.code == "SUCCESS" and request.domain == question.domain and not request.changes
        for row in rows_of(request.result)
        if not any(_is_row(one, row, identity) for one in wanted)
    ]


def asks_as_much(
    question: ServerRequest, request: ServerRequest, domain: Domain, look: Look
) -> bool:
    """Return whether a request asks for all that a question asks for, or for more.

    It may leave parameters out, span more days or hours, and say in full what is so anyway: today,
    now, at home.
    """
    wanted, given = _spanned(question.params), _spanned(request.params)
    soft = _SOFT_IF_EMPTY if is_empty(question.result) else _SOFT
    for name in given.keys() - wanted.keys() - {"intent"}:
        if name not in soft and not _is_default(domain, name, given[name], look):
            return False
    if not is_empty(question.result) and any(
        _is_needed(domain, name, wanted[name], look) for name in wanted.keys() - given.keys()
    ):
        return False
    return all(
        name == "intent"
        or name in soft
        or _spans(domain, name, value, given[name], _begin(wanted, look))
        for name, value in wanted.items()
        if name in given
    ) and (not _picks(domain, wanted, look) or bool(_picks(domain, given, look)))


def _is_needed(domain: Domain, name: str, value: str, look: Look) -> bool:
    """Whether a server takes a request without a parameter for another one, and not for more."""
    declared = domain.field(name)
    if name in _NEVER_DROPPED or name in _SOFT:
        return True
    kinds = (Kind.DATE, Kind.TIME, Kind.PERSON)
    return (
        declared is not None
        and declared.kind in kinds
        and not _is_default(domain, name, value, look)
    )


def _picks(domain: Domain, params: Mapping[str, str], look: Look) -> set[str]:
    """The parameters that say what a derived answer is about."""
    return {
        name
        for name, value in params.items()
        if (declared := domain.field(name)) is not None
        and declared.kind is Kind.PLACE
        and not _is_default(domain, name, value, look)
    }


def _spanned(params: Mapping[str, str]) -> dict[str, str]:
    """Parameters with a from and a to as the span that they are."""
    found = dict(params)
    for name, (start, end) in _SPANS.items():
        if name not in found and (start in found or end in found):
            found[name] = f"{found.pop(start, '')}..{found.pop(end, '')}"
    return found


def _is_default(domain: Domain, name: str, value: str, look: Look) -> bool:
    declared = domain.field(name)
    if declared is None or declared.rule is Match.IGNORABLE:
        return True
    if declared.kind is Kind.DATE:
        return value == look.now.date().isoformat()
    if declared.kind is Kind.TIME:
        return value == f"{look.now:%H:%M}"
    return declared.kind is Kind.PLACE and same(Match.ALIAS, look.home, value)


def _begin(params: Mapping[str, str], look: Look) -> time | None:
    """From when on a time of the day counts: of today what is past is not asked for."""
    today = look.now.date().isoformat()
    return look.now.time() if params.get("date", today) == today else None


def _spans(domain: Domain, name: str, wanted: str, given: str, begin: time | None) -> bool:
    declared = domain.field(name)
    rule = Match.EXACT if declared is None else declared.rule
    if same(rule, wanted, given):
        return True
    if declared is None or declared.kind not in (Kind.DATE, Kind.TIME):
        return False
    parse = parse_date_value if declared.kind is Kind.DATE else parse_time_value
    try:
        inner, outer = parse(wanted), parse(given)
    except ValueError:
        return False
    ends = [end for end in (inner.start, inner.end) if end is not None]
    if declared.kind is Kind.TIME and begin is not None:
        ends = [max(end, begin) for end in ends if isinstance(end, time)]
    return bool(ends) and all(outer.contains(end) for end in ends)  # type: ignore[arg-type]


def _is_row(wanted: Mapping[str, Any], row: Mapping[str, Any], identity: Identity) -> bool:
    if _ROW_ID in wanted and _ROW_ID in row:
        return bool(wanted[_ROW_ID] == row[_ROW_ID])
    names = [name for name in identity.columns if name in wanted]
    if identity.unordered:
        return {row.get(name) for name in names} == {wanted[name] for name in names}
    if not names:
        names = [name for name in wanted if name not in identity.values]
    shared = [name for name in names if name in row]
    if not shared and not identity.columns:
        # Under other names: a song's artist is the player's creator.
        return _leaves(wanted) <= _leaves(row)
    agree = [_same_value(wanted[name], row[name]) for name in shared]
    return any(agree) if identity.any_of else bool(agree) and all(agree)


def _tells_all(question: ServerRequest, request: ServerRequest) -> bool:
    """Whether a request's sentence tells all that a question without rows of its own finds."""
    rows = rows_of(question.result)
    if any(_ROW_ID in row for row in rows) or not isinstance(question.result, Mapping):
        return False
    said = request.response.casefold()
    return all(leaf in said for row in rows for leaf in _leaves(row))


def _leaves(row: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(str(value).casefold() for value in row.values() if value not in ("", None, []))


def _same_value(wanted: Any, got: Any) -> bool:
    if isinstance(wanted, list) and isinstance(got, list):
        return len(wanted) == len(got) and all(map(_same_value, wanted, got))
    if isinstance(wanted, str) and isinstance(got, str):
        return same(Match.CASEFOLD, wanted, got)
    return bool(wanted == got)
