"""Tasks of WorFBench: a request with its tools or actions, and the gold workflow graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from ossia_dataset.tasks import Task
from ossia_dataset.worfbench.published import HELD_OUT, read_worfbench

__all__ = [
    "KINDS",
    "SUCCESS",
    "SUITE",
    "Action",
    "Environment",
    "GoalChange",
    "PlanKind",
    "PlanTask",
    "executable_prompt",
    "prompt_of",
    "published_tasks",
]


SUITE: Final = "worfbench"
"""The folder of the built-in sets, which its suites share."""


class PlanKind(StrEnum):
    """The publication's four kinds of tasks."""

    FUNCTION_CALLS = "function-calls"
    PROBLEM_SOLVING = "problem-solving"
    EMBODIED = "embodied"
    OPEN_GROUNDED = "open-grounded"


class Action(BaseModel):
    """A tool that a plan may call."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[a-z_]+\.[a-z_]+$")
    """Domain and intent, such as `calendar.create_event`."""
    summary: str
    parameters: dict[str, str] = Field(default_factory=dict)
    """What each parameter is, by its name."""
    gives: str = ""
    """What its result holds, such as the fields of its rows; empty where nothing needs it."""
    takes: float = Field(default=1.0, gt=0)
    """How long a call takes, in any unit that is the same for all actions."""

    @property
    def line(self) -> str:
        """The action as a planner is told of it."""
        given = ", ".join(f"{name}: {what}" for name, what in self.parameters.items())
        gives = f" Gives {self.gives}." if self.gives else ""
        return f"{self.name}({given}) - {self.summary}{gives}"


class GoalChange(BaseModel):
    """One row of the world that differs at the end."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["added", "removed", "changed"]
    table: str
    id: str = ""
    """The row that is changed or removed; empty for one that is added."""
    values: dict[str, JsonValue] = Field(default_factory=dict)
    """What the row holds at the end, but for columns that may hold anything."""


class Environment(BaseModel):
    """The world on which a plan is carried out, and what it has to do there.

    The world starts from the task's `seed`, `now`, `home` and `setup`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    servers: str
    """The suite whose domain servers the actions belong to."""
    changes: tuple[GoalChange, ...] = ()
    """Every row that differs at the end; any other is a side effect."""
    reads: tuple[tuple[dict[str, JsonValue], ...], ...] = ()
    """What has to be read: each the rows, in any order, of the answer to one question."""


class PlanTask(Task):
    """A task whose answer is a workflow graph."""

    origin: str
    """What the publication took it from, such as `toolbench`; of a built-in task its kind."""
    workflow: str = Field(min_length=1)
    """The gold workflow graph, in the published form; steps of an executable task are calls."""
    kind: PlanKind | None = None
    """None where the publication's sources say it."""
    actions: tuple[Action, ...] = ()
    """What a plan may call; the utterance tells of them."""
    environment: Environment | None = None
    """Where a plan can be carried out; None for a plan that is compared with the gold alone."""

    @property
    def groups(self) -> Mapping[str, str]:
        """Results are told by the kind, or by what the tasks were taken from."""
        return {"origin": self.origin} if self.kind is None else {"kind": self.kind}

    @property
    def domains(self) -> frozenset[str]:
        """`--domain` chooses by what the tasks were taken from, and by `held-out`."""
        return frozenset({self.origin, *(("held-out",) if self.origin in HELD_OUT else ())})


KINDS: Final[Mapping[str, PlanKind]] = {
    **dict.fromkeys(("toolbench", "toolalpaca", "seal_tools"), PlanKind.FUNCTION_CALLS),
    **dict.fromkeys(("lumos", "intercodesql"), PlanKind.PROBLEM_SOLVING),
    **dict.fromkeys(("alfworld", "webshop", "os"), PlanKind.EMBODIED),
    "wikihow": PlanKind.OPEN_GROUNDED,
}
"""The kinds of what the publication's sources hold."""


SUCCESS: Final = (
    "A plan that can be carried out is a success where it reaches its goal in every order that it"
    " allows and changes nothing else; any other has the gold plan's nodes, no others, and their"
    " order."
)
"""What a success is, for the reader of a report."""


def prompt_of(request: str, actions: Iterable[Action]) -> str:
    """Return the utterance of a task: what is wanted, and the actions, one a line."""
    lines = "\n".join(f"- {action.line}" for action in actions)
    return f"Task: {request}\nThe actions you can take:\n{lines}"


_FORM = """\
Each step of the plan is one call of an action, such as 1: notes.add(title="Tea", text="Mint"). In
an argument, $1 stands for what step 1 answered, $1.title for a field of its result or of the first
of its rows, $1.1.title for that of its second row."""


def executable_prompt(request: str, actions: Iterable[Action], now: datetime) -> str:
    """Return the utterance of a task whose plan is carried out.

    Args:
        request: what is wanted.
        actions: what a plan may call.
        now: the clock of the world.
    """
    asked = f"{request}\nIt is {now:%A, %Y-%m-%d, %H:%M}."
    return f"{prompt_of(asked, actions)}\n{_FORM}"


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
