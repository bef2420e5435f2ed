"""A workflow of the task, for frameworks that can run its steps as a graph of their own."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ossia_adapter import wire
from ossia_adapter.wire import WireError

__all__ = ["WorkflowStep", "read_workflow"]


@dataclass(frozen=True, slots=True)
class WorkflowStep:
    """One step of a workflow.

    Attributes:
        id: The step's id in its workflow.
        task: What is to be done, in words.
        after: The ids of the steps that have to be finished before it begins; all of them come
            earlier in the workflow.
    """

    id: str
    task: str
    after: tuple[str, ...]

    @classmethod
    def from_wire(cls, value: object) -> "WorkflowStep":
        """Read a step from its mapping.

        Raises:
            WireError: A key is missing, unknown or of the wrong kind.
        """
        fields = wire.mapping(value, "step")
        wire.keys(fields, ("id", "task", "after"), "step")
        after = wire.items(fields, "after", "step")
        if not all(isinstance(each, str) for each in after):
            raise WireError("step.after must hold texts")
        return cls(
            id=wire.text(fields, "id", "step", empty=False),
            task=wire.text(fields, "task", "step"),
            after=tuple(after),
        )

    def told(self, results: Mapping[str, str]) -> str:
        """Return what a team is told that does this step and no other.

        Args:
            results: What came of the finished steps, by id; those that it comes after are told.
        """
        lines = [f"Step {self.id} of a workflow, and nothing else, is to be done now: {self.task}"]
        if self.after:
            lines.append("What came of the steps before it:")
            lines += [
                f"{each}: {json.dumps(results[each], ensure_ascii=False)}" for each in self.after
            ]
        return "\n".join(lines)


def read_workflow(values: Sequence[object]) -> tuple[WorkflowStep, ...]:
    """Read the steps of a workflow.

    Raises:
        WireError: One is malformed, has another's id, or comes after one that is not before it.
    """
    steps: dict[str, WorkflowStep] = {}
    for value in values:
        step = WorkflowStep.from_wire(value)
        if step.id in steps:
            raise WireError(f"the workflow has the step {step.id!r} twice")
        if not steps.keys() >= set(step.after):
            raise WireError(f"the step {step.id!r} comes after one that is not before it")
        steps[step.id] = step
    return tuple(steps.values())
