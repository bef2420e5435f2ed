"""Tasks of WorFBench: a request with its tools or actions, and the gold workflow graph."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import Field

from ossia_dataset.tasks import Task
from ossia_dataset.worfbench.published import HELD_OUT, read_worfbench

__all__ = ["PlanTask", "published_tasks"]


class PlanTask(Task):
    """A task whose answer is a workflow graph."""

    origin: str
    """What the publication took it from, such as `toolbench`."""
    workflow: str = Field(min_length=1)
    """The gold workflow graph, in the published form."""

    @property
    def groups(self) -> Mapping[str, str]:
        """Results are told by what the tasks were taken from."""
        return {"origin": self.origin}

    @property
    def domains(self) -> frozenset[str]:
        """`--domain` chooses by what the tasks were taken from, and by `held-out`."""
        return frozenset({self.origin, *(("held-out",) if self.origin in HELD_OUT else ())})


def published_tasks(path: Path, suite: str) -> tuple[PlanTask, ...]:
    """Read a user's copy of the published golds as tasks.

    Args:
        path: as for `read_worfbench`.
        suite: the suite that plays them.

    Raises:
        WorFBenchError: there are no golds, or one cannot be read.
    """
    return tuple(
        PlanTask(
            id=gold.id,
            suite=suite,
            utterance=gold.prompt,
            origin=gold.source,
            workflow=gold.workflow,
            source=f"worfbench/{gold.id}",
        )
        for gold in read_worfbench(path)
    )
