"""What grades the episodes of a suite."""

from __future__ import annotations

from typing import Any, Protocol

from ossia_evaluation.grade import Grade
from ossia_servers.trace import Trace


class Grader(Protocol):
    """Grades episodes; tasks are of the suite's own type."""

    def check(self, task: Any) -> None:
        """Make sure that a task can be graded, before anything is run.

        Raises:
            TaskError: it cannot; the message says why.
        """
        ...

    def score(self, task: Any, trace: Trace) -> Grade:
        """Grade one episode of a task."""
        ...
