"""WorkBench: what it costs to score 690 recorded runs, servers included."""

from __future__ import annotations

import os
from collections.abc import Sequence

from benchmarks.measure import Spread, cpu_seconds
from benchmarks.tables import Goal, Row, Table
from ossia_dataset.workbench.generated import generated_database, office_seed
from ossia_dataset.workbench.generator import DEFAULT_SEED, generate_tasks
from ossia_evaluation.workbench.actions import write_action
from ossia_evaluation.workbench.replay import Replayer

__all__ = ["workbench"]

PUBLISHED_SECONDS = 49.0
"""CPU seconds that the published evaluator takes for 690 tasks, reading its tables anew each time;
measured once with the release of 2024."""

GOAL_SHARE = 0.1


def workbench(*, quick: bool) -> Table:
    """Measure scoring: both action lists replayed on fresh worlds, and the states compared.

    Args:
        quick: One round, for a first look.

    Returns:
        The table.
    """
    logs = _logs()
    taken, correct = [], 0
    for _ in range(1 if quick else 5):
        started = _cpu()
        correct = _score(logs)
        taken.append(_cpu() - started)
    spread = Spread.of(taken)
    goal = Goal(spread.median, PUBLISHED_SECONDS * GOAL_SHARE, "less", " s", 1)
    row = Row(
        (str(len(logs)), spread.text(2), f"{PUBLISHED_SECONDS / spread.median:.0f}"),
        goal,
        None if correct == len(logs) else f"only {correct} of {len(logs)} gold runs are correct",
    )
    return Table(
        "WorkBench: scoring recorded runs",
        ("runs", "CPU s", "times faster than the published evaluator"),
        (row,),
        (
            "The gold runs of the generated office, as recorded action lists: parsed, carried out"
            " by the servers' handlers on a fresh world with its request log, and compared with"
            " the truth's state. Every round makes its office and its worlds anew.",
        ),
    )


def _cpu() -> float:
    return cpu_seconds([os.getpid()])


def _logs() -> Sequence[tuple[str, ...]]:
    """The gold runs in the published notation."""
    return [
        tuple(
            write_action(
                f"{request.domain}.{request.params['intent']}",
                {name: text for name, text in request.params.items() if name != "intent"},
            )
            for request in task.gold.gold_requests()
        )
        for task in generate_tasks("test")
    ]


def _score(logs: Sequence[tuple[str, ...]]) -> int:
    """Score every run against itself, from making the office on; returns how many are correct."""
    generated_database.cache_clear()
    replayer = Replayer(generated_database, office_seed(DEFAULT_SEED))
    return sum(replayer.score(actions, actions).correct for actions in logs)
