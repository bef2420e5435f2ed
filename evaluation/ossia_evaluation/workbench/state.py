"""Two offices compared: the state after a run against the state after the truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from ossia_servers.worlds.diff import Diff, RowChange
from ossia_servers.worlds.schema import Match, Table

_Key = tuple[str, str, tuple[tuple[str, Any], ...]]


def same_state(gold: Diff, actual: Diff, tables: Mapping[str, Table]) -> bool:
    """Return whether two runs from one start state left the same rows.

    Rows are compared as the tables' columns declare: in lower case but for list, board and status.
    Ids of added rows and the order of rows play no part.

    Args:
        gold: what the truth changed.
        actual: what the run changed.
        tables: declarations of all tables that occur.
    """
    return changed_rows(gold, tables) == changed_rows(actual, tables)


def changed_rows(diff: Diff, tables: Mapping[str, Table]) -> Counter[_Key]:
    """Return what a diff changes, without what no comparison sees (a change of case only)."""
    found: Counter[_Key] = Counter()
    for change in diff.changes:
        rules = tables[change.table].columns
        before, after = _plain(change.before, rules), _plain(change.after, rules)
        if change.kind == "changed" and before == after and _ids_kept(change, rules):
            continue
        row_id = "" if change.kind == "added" else change.id
        found[change.table, row_id, after] += 1
    return found


def _plain(
    row: Mapping[str, Any] | None, rules: Mapping[str, Match]
) -> tuple[tuple[str, Any], ...]:
    """The compared columns of a row; empty for no row."""
    if row is None:
        return ()
    return tuple(
        (name, row[name].lower() if rule is Match.LOWER and row[name] is not None else row[name])
        for name, rule in rules.items()
        if rule is not Match.IGNORABLE
    )


def _ids_kept(change: RowChange, rules: Mapping[str, Match]) -> bool:
    """Whether no column differs that is only left out because new rows get new ids."""
    return not any(rules.get(name) is Match.IGNORABLE for name in change.columns)
