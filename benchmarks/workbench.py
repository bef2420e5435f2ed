"""WorkBench: what it costs to score 690 recorded runs, servers included."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from benchmarks.measure import Spread, cpu_seconds
from benchmarks.tables import Goal, Row, Table
from ossia_dataset.workbench.generated import generated_database, office_seed
from ossia_dataset.workbench.generator import DEFAULT_SEED, generate_tasks
from ossia_dataset.workbench.published import find_data, read_published
from ossia_evaluation.workbench.actions import write_action
from ossia_evaluation.workbench.agreement import score_logs
from ossia_evaluation.workbench.replay import Replayer

__all__ = ["workbench"]

PUBLISHED_SECONDS = 49.0
"""CPU seconds that the published evaluator takes for 690 tasks, reading its tables anew each time;
measured once with the release of 2024."""

RUNS = 690
GOAL_SHARE = 0.1

_GENERATED = (
    "Gold runs of the generated office, written as recorded runs are, since no published logs were"
    " named (`--workbench-data`): parsed, carried out by the servers' handlers on a fresh world"
    " with its request log, and compared with the truth's state. Every round makes its office and"
    " its worlds anew."
)
_PUBLISHED = (
    "Runs of models from the published logs: files read, actions parsed, carried out by the"
    " servers' handlers on a fresh world with its request log, and compared with the truth's"
    " state. Every round reads the databases, truths and logs anew. CPU seconds are those of 690"
    " runs."
)

_Round = Callable[[], tuple[int, str | None]]
"""Scores every run; returns how many there are, and what is wrong with the verdicts."""


def workbench(*, quick: bool, data: Path | None = None) -> Table:
    """Measure scoring: both action lists replayed on fresh worlds, and the states compared.

    Args:
        quick: One round, for a first look.
        data: The published data with its `results`; gold runs of the generated office stand in
            when left out.

    Returns:
        The table.

    Raises:
        TaskError: The published data cannot be read.
    """
    score: _Round
    if data is None:
        score = partial(_score_generated, _logs())
    else:
        score = partial(_score_published, find_data(data))
    taken, runs, wrong = [], 0, None
    for _ in range(1 if quick else 5):
        started = _cpu()
        runs, wrong = score()
        taken.append((_cpu() - started) * RUNS / max(runs, 1))
    spread = Spread.of(taken)
    goal = Goal(spread.median, PUBLISHED_SECONDS * GOAL_SHARE, "less", " s", 1)
    row = Row(
        (str(runs), spread.text(2), f"{PUBLISHED_SECONDS / spread.median:.0f}"),
        goal,
        wrong,
    )
    return Table(
        "WorkBench: scoring recorded runs",
        ("runs", "CPU s", "times faster than the published evaluator"),
        (row,),
        (_GENERATED if data is None else _PUBLISHED,),
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


def _score_generated(logs: Sequence[tuple[str, ...]]) -> tuple[int, str | None]:
    """Score every gold run against itself, from making the office on."""
    generated_database.cache_clear()
    replayer = Replayer(generated_database, office_seed(DEFAULT_SEED))
    correct = sum(replayer.score(actions, actions).correct for actions in logs)
    return len(logs), _unless(correct == len(logs), f"only {correct} gold runs are correct")


def _score_published(data: Path) -> tuple[int, str | None]:
    """Score every published run, and hold it against the published verdicts where they are."""
    oracle = data / "oracle"
    found = score_logs(data / "results", oracle if oracle.is_dir() else None, read_published(data))
    differences = 0 if found.oracle is None else len(found.oracle.differences)
    return len(found.runs), _unless(differences == 0, f"{differences} differences from the oracle")


def _unless(well: bool, said: str) -> str | None:
    return None if well else said
