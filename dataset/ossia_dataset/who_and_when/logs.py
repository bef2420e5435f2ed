"""A failure log with its label, whichever of the two published layouts it came in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt

LOG_VERSION: Final = 1
"""Version of our own JSON Lines form and of what we add to a log that we write."""

_SUFFIX: Final = re.compile(r"\s*\([^()]*\)\s*$")
_ENVIRONMENT: Final = frozenset({"computerterminal", "human", "user"})


class Collection(StrEnum):
    """The two parts of the published data, which lay out their logs differently."""

    ALGORITHM = "algorithm-generated"
    """Speakers are in `name`; `role` is `assistant` or `user` and says nothing."""
    HAND = "hand-crafted"
    """Speakers are in `role`, with what they are doing in brackets."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Message(_Frozen):
    """One message of a log; its place in the history is its step."""

    speaker: str = Field(min_length=1)
    """As recorded, such as `Orchestrator (-> WebSurfer)`."""
    content: str

    @property
    def agent(self) -> str:
        """The speaker's name as labels give it."""
        return agent_of(self.speaker)


class Origin(_Frozen):
    """Where a log that Ossia wrote comes from; published logs have none."""

    version: Literal[1] = LOG_VERSION
    episode: str
    framework: str
    model: str
    source: Literal["intervention", "rules"]
    """What named the label: attribution by intervention, or the published criteria as rules."""


class Log(_Frozen):
    """One failed run of a team, with the agent and the step that annotators hold decisive."""

    collection: Collection
    name: str
    """Its file's name, by which predictions refer to it."""
    question: str
    question_id: str = ""
    level: str = ""
    ground_truth: str = ""
    succeeded: bool = False
    history: tuple[Message, ...] = Field(min_length=1)
    mistake_agent: str = Field(min_length=1)
    mistake_step: NonNegativeInt
    """From 0. Some snapshots of the data hold labels beyond the end of their history."""
    mistake_reason: str = ""
    mistake_type: str = ""
    system_prompts: Mapping[str, str] = {}
    origin: Origin | None = None

    @property
    def agents(self) -> tuple[str, ...]:
        """Every agent that speaks, each once, in the order of its first message."""
        return tuple(dict.fromkeys(message.agent for message in self.history))

    @property
    def model_agents(self) -> tuple[str, ...]:
        """The agents behind which a language model stands: neither a person nor a terminal."""
        return tuple(agent for agent in self.agents if not is_environment(agent))

    @property
    def speaker_at_label(self) -> str | None:
        """The agent that speaks at the label's step; None where the step is beyond the end."""
        if self.mistake_step >= len(self.history):
            return None
        return self.history[self.mistake_step].agent


def agent_of(speaker: str) -> str:
    """Return an agent's name without the brackets that say what it is doing."""
    return _SUFFIX.sub("", speaker.strip()) or speaker.strip()


def is_environment(agent: str) -> bool:
    """Return whether an agent is a person or a terminal rather than a language model."""
    return re.sub(r"[\W_]", "", agent).casefold() in _ENVIRONMENT
