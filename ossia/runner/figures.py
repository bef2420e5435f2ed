"""Episodes in numbers, kept with a run, so that a report need not read every trace."""

from __future__ import annotations

import hashlib
from typing import Final

from pydantic import TypeAdapter, ValidationError

from ossia.errors import UserError
from ossia.runner.config import RunConfig
from ossia.suites import find_suite, suite_version
from ossia.version import code_version
from ossia_dataset.tasks import Task
from ossia_evaluation.grade import Grade
from ossia_evaluation.metrics import Metric, checked
from ossia_evaluation.report import TAKEN_COLUMNS
from ossia_evaluation.rows import episode_row
from ossia_evaluation.stress import Played, played
from ossia_servers.trace import Trace

_RECORD: Final = TypeAdapter(Played)


def metrics_of(suite: str) -> tuple[Metric, ...]:
    """Return what a suite tells of its episodes beside the verdict.

    Raises:
        UserError: there is no such suite, or tables cannot hold what it declares.
    """
    try:
        return checked(find_suite(suite).metrics(), TAKEN_COLUMNS)
    except ValueError as error:
        raise UserError(f"the metrics of the suite '{suite}': {error}") from None


class Figures:
    """Puts the episodes of a run in numbers, and reads what was kept of them.

    Attributes:
        made_by: A hash of the code that they are made by, Ossia's and the suite's. What other code
            has made is made anew from the traces.
    """

    def __init__(self, config: RunConfig) -> None:
        """Begin for a run.

        Raises:
            UserError: its suite is not there, or tables cannot hold what it declares.
        """
        self._metrics = metrics_of(config.suite)
        self._stressed = config.stress is not None
        code = f"{code_version()} {suite_version(config.suite)}"
        self.made_by = hashlib.sha256(code.encode()).hexdigest()[:16]

    def of(self, task: Task, trace: Trace, grade: Grade) -> Played:
        """Return an episode in numbers, with what stress asks for in a run with faults.

        Raises:
            ValueError: a metric's value cannot be counted as the suite declares it.
        """
        row = episode_row(task, trace, grade, self._metrics)
        return played(row, trace) if self._stressed else Played(row)

    def record(self, task: Task, trace: Trace, grade: Grade) -> tuple[str, str] | None:
        """Return an episode's figures as they are kept, with `made_by`.

        None where they cannot be counted: a run is not lost by that, and its report says so.
        """
        try:
            found = self.of(task, trace, grade)
        except ValueError:
            return None
        return self.made_by, _RECORD.dump_json(found, exclude_defaults=True).decode()

    def read(self, episode: str, kept: tuple[str, str] | None) -> Played | None:
        """Return kept figures; None where there are none, or they are to be made anew."""
        if kept is None or kept[0] != self.made_by:
            return None
        try:
            found = _RECORD.validate_json(kept[1])
        except ValidationError:
            return None
        return found if found.row.episode == episode else None
