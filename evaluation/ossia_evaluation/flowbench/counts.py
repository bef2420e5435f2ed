"""What a set of sessions holds, by domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ossia_dataset.flowbench.sessions import SessionTask
from ossia_evaluation.flowbench.gold import GoldRuns
from ossia_evaluation.flowbench.proof import coverage
from ossia_servers.flowbench.script import gold_turns

__all__ = ["count_sessions"]


def count_sessions(
    sessions: Sequence[SessionTask], golds: GoldRuns
) -> Mapping[str, Mapping[str, int]]:
    """Count sessions, turns of users, and the ways of scenarios that are taken, by domain."""
    fields = dict.fromkeys(each.domain for each in golds.scenarios.values())
    found = {
        field: _counted(
            [each for each in sessions if each.field == field],
            GoldRuns(
                {name: each for name, each in golds.scenarios.items() if each.domain == field},
                golds.visits,
            ),
        )
        for field in fields
    }
    columns = next(iter(found.values()))
    return found | {"all": {name: sum(row[name] for row in found.values()) for name in columns}}


def _counted(sessions: Sequence[SessionTask], golds: GoldRuns) -> dict[str, int]:
    turns = {False: 0, True: 0}
    for session in sessions:
        gold = gold_turns(session, golds.scenarios, golds.visits(session))
        turns[session.is_cross] += len(gold)
    known, taken = coverage(sessions, golds)
    cross = sum(session.is_cross for session in sessions)
    return {
        "scenarios": len(golds.scenarios),
        "single": len(sessions) - cross,
        "cross": cross,
        "turns single": turns[False],
        "turns cross": turns[True],
        "ways": known,
        "ways taken": taken,
    }
