"""A session: the wishes of a user, each a scenario's, with what the user knows and does.

A session holds no gold run. It follows from the scenario, the session and the services' answers:
`ossia_servers.flowbench.walk`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints

from ossia_dataset.tasks import Task

__all__ = ["SUITE", "Answer", "Aside", "AsideKind", "Move", "SessionTask", "Wish"]

SUITE: Final = "flowbench"
"""The folder of the built-in sets, which its suites share."""

Word = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Answer(_Part):
    """What a service answers to a call with these arguments; nobody can know it without the call.

    A call for which a session has no answer gets one of the service's own.
    """

    tool: Word
    arguments: dict[Word, JsonValue] = Field(default_factory=dict)
    result: dict[Word, JsonValue]
    after: Word | None = None
    """The tool that has to have changed something before this is the answer; it then stands in for
    the one without."""


class Move(_Part):
    """What the user does when a step waits for it."""

    step: Word
    act: Word
    """One of `ossia_workflows.scenario.Act`; one that no way of the step names is `otherwise`."""
    slots: dict[Word, JsonValue] = Field(default_factory=dict)
    """Slots with the values that they have from now on, which the user tells at once."""


class Wish(_Part):
    """One scenario of a session: what the user knows, and does in its course."""

    scenario: str
    """The name of one that ships with Ossia, such as `ride-booking`."""
    slots: dict[Word, JsonValue] = Field(default_factory=dict)
    """What the user tells when asked for it, by slot."""
    moves: tuple[Move, ...] = ()
    """In the order in which they come about."""


class AsideKind(StrEnum):
    """What a user says that leads nowhere, so that the agent has to keep its place."""

    OFF_TOPIC = "off_topic"
    """Asks for something that is none of the agent's business."""
    REFUSES = "refuses"
    """Does not want to tell what is asked for, yet."""
    IMPATIENT = "impatient"
    """Asks how long it will take."""


class Aside(_Part):
    """One more turn of the user's, before the one that leads on."""

    turn: int = Field(ge=1)
    """The number of this turn in the conversation; the opening is 0."""
    kind: AsideKind


class SessionTask(Task):
    """A conversation with one agent; its utterance opens it with the first wish."""

    role: Word
    """Who is talked with, such as `ride_service`; all wishes are scenarios of this role."""
    field: str
    """The publication's domain of the role, such as `Travel&Transportation`."""
    wishes: tuple[Wish, ...] = Field(min_length=1)
    answers: tuple[Answer, ...] = ()
    asides: tuple[Aside, ...] = ()
    """In the order of their turns."""

    @property
    def is_cross(self) -> bool:
        """Whether it goes across scenarios."""
        return len(self.wishes) > 1

    @property
    def groups(self) -> Mapping[str, str]:
        """Sessions are grouped as the publication's tables have them."""
        kind = "cross" if self.is_cross else "single"
        return {"domain": self.field, "session": kind}

    @property
    def domains(self) -> frozenset[str]:
        """The service that the agent calls."""
        return frozenset({self.role})
