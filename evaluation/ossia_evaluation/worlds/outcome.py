"""Outcome: the world after the episode against the world after the gold run.

Success is decided by state, as in WorkBench (arXiv 2405.00823, section 3.3): every expected change
is there, and nothing else has changed. For a question the rows that the answer rests on are
compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pydantic import BaseModel, ConfigDict

from ossia_evaluation.worlds.evidence import Identity, Look, holds_answer
from ossia_evaluation.worlds.gold import GoldRun
from ossia_evaluation.worlds.match import pair_off, same
from ossia_servers.worlds.diff import Diff, RowChange
from ossia_servers.worlds.domain import Domain
from ossia_servers.worlds.records import ServerRequest
from ossia_servers.worlds.schema import Match, Table


class Outcome(BaseModel):
    """Expected, missing and unexpected changes, as readable sentences."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    expected: tuple[str, ...] = ()
    """Every change that the gold run makes."""
    missing: tuple[str, ...] = ()
    """Those of them that the episode did not make."""
    unexpected: tuple[str, ...] = ()
    """Side effects: changes of the episode that the gold run does not make."""
    unanswered: tuple[str, ...] = ()
    """Gold questions whose rows the episode did not fetch, or did not answer with."""

    @property
    def correct(self) -> bool:
        """Whether nothing is missing, nothing unexpected and nothing unanswered."""
        return not (self.missing or self.unexpected or self.unanswered)


def compare_changes(
    gold: Diff,
    actual: Diff,
    tables: Mapping[str, Table],
    context: frozenset[str] = frozenset(),
) -> Outcome:
    """Compare two diffs under the tables' match rules.

    Rows added may have any id, since ids follow the order of requests; rows changed and removed
    are known by theirs, and a row may be removed and added again as it was to become. What differs
    in columns that are never compared is no side effect.

    Args:
        gold: what the gold run changed.
        actual: what the episode changed.
        tables: declarations of all tables that occur.
        context: stems of what the user said, which the name of a thing may hold besides.
    """
    partners = pair_off(
        gold.changes,
        actual.changes,
        lambda wanted, got: same_change(wanted, got, tables, context),
    )
    left = [c for index, c in enumerate(actual.changes) if index not in set(partners)]
    missing = [c for c, partner in zip(gold.changes, partners, strict=True) if partner is None]
    for change in tuple(missing):
        anew = _made_anew(change, left, tables, context)
        if anew:
            missing.remove(change)
            left = [other for other in left if other not in anew]
    return Outcome(
        expected=tuple(describe(change) for change in gold.changes),
        missing=tuple(_with_difference(change, left, tables, context) for change in missing),
        unexpected=tuple(describe(change) for change in left if _counts(change, tables)),
    )


def unanswered(
    gold: GoldRun,
    requests: Sequence[ServerRequest],
    domains: Mapping[str, Domain],
    identities: Mapping[str, Identity],
    look: Look,
) -> tuple[str, ...]:
    """Return the gold questions whose rows no request of the episode saw, as sentences.

    Args:
        gold: the gold run.
        requests: what the episode asked.
        domains: declarations of the domain servers.
        identities: how rows without an id are known, by domain.
        look: the task's clock and home.
    """
    return tuple(
        f"{question.domain} was not asked {_asked(question)}"
        for question in gold_questions(gold)
        if not (len(gold.requests) > 1 and question.intent in SELF_EVIDENT)
        if not holds_answer(question, requests, domains, identities, look)
    )


SELF_EVIDENT: Final = frozenset({"qa_maths"})
"""Intents of which nobody has to ask a server in the middle of a task: sums can be done."""


def gold_questions(gold: GoldRun) -> tuple[ServerRequest, ...]:
    """Return the gold requests that are questions: served, and without a change."""
    return tuple(r for r in gold.requests if r.code == "SUCCESS" and not r.changes)


def describe(change: RowChange) -> str:
    """Return a change as one sentence."""
    if change.kind == "added":
        return f"{change.table}: added {change.id} ({_columns(change.after or {})})"
    if change.kind == "removed":
        return f"{change.table}: removed {change.id} ({_columns(change.before or {})})"
    before, after = change.before or {}, change.after or {}
    steps = ", ".join(
        f"{name} from {before.get(name)!r} to {after.get(name)!r}" for name in change.columns
    )
    return f"{change.table}: changed {change.id}: {steps}"


def same_change(
    gold: RowChange,
    actual: RowChange,
    tables: Mapping[str, Table],
    context: frozenset[str] = frozenset(),
) -> bool:
    """Return whether a change is a gold change under the tables' match rules."""
    if gold.table != actual.table or gold.kind != actual.kind:
        return False
    if gold.kind != "added" and gold.id != actual.id:
        return False
    return gold.kind == "removed" or not _different(gold, actual, tables, context)


def _made_anew(
    gold: RowChange,
    left: Sequence[RowChange],
    tables: Mapping[str, Table],
    context: frozenset[str],
) -> tuple[RowChange, ...]:
    """The removal and the addition that together make a gold change; empty where none do."""
    if gold.kind != "changed":
        return ()
    same = [other for other in left if other.table == gold.table]
    removed = [c for c in same if c.kind == "removed" and c.id == gold.id]
    added = [c for c in same if c.kind == "added" and not _different(gold, c, tables, context)]
    return (removed[0], added[0]) if removed and added else ()


def _counts(change: RowChange, tables: Mapping[str, Table]) -> bool:
    if change.kind != "changed":
        return True
    rules = tables[change.table].columns
    return any(rules.get(name) is not Match.IGNORABLE for name in change.columns)


def _different(
    gold: RowChange, actual: RowChange, tables: Mapping[str, Table], context: frozenset[str]
) -> list[str]:
    rules = tables[gold.table].columns
    wanted, got = gold.after or {}, actual.after or {}
    return [
        name for name, rule in rules.items() if not same(rule, wanted[name], got[name], context)
    ]


def _with_difference(
    change: RowChange,
    candidates: Sequence[RowChange],
    tables: Mapping[str, Table],
    context: frozenset[str],
) -> str:
    """Describe a missing change, and how the likest change of the episode differs from it."""
    alike = [
        (other, _different(change, other, tables, context))
        for other in candidates
        if other.table == change.table
        and other.kind == change.kind
        and (change.kind == "added" or other.id == change.id)
    ]
    text = describe(change)
    if not alike:
        return text
    nearest, columns = min(alike, key=lambda item: len(item[1]))
    after = nearest.after or {}
    found = ", ".join(f"{name} is {after[name]!r}" for name in columns)
    return f"{text}; instead, in {nearest.id}, {found}"


def _asked(request: ServerRequest) -> str:
    told = [f"{name} {value!r}" for name, value in request.params.items() if name != "intent"]
    intent = request.intent or "for nothing"
    return intent + (f" with {', '.join(told)}" if told else "")


def _columns(row: Mapping[str, object]) -> str:
    shown = {
        name: value for name, value in row.items() if name != "id" and value not in ("", None, [])
    }
    return ", ".join(f"{name} {value!r}" for name, value in shown.items())
