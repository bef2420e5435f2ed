"""Tasks that change or ask a world: their gold run is a list of requests to its servers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ossia_dataset.tasks import Request, Task

CHAT_DOMAIN = "general"
"""The domain of chit-chat, which no server answers."""

_FEWEST_PARTS = 2

SUCCESS: Final = (
    "the world after the episode is the world after the gold run, nothing else has changed, and"
    " what the user was told is true and tells what was asked"
)
"""What carrying out such a task is, for the readers of reports."""


class GoldKind(StrEnum):
    """What a correct run leaves behind."""

    CHANGE = "change"
    """The world's state is changed as the gold requests change it."""
    ANSWER = "answer"
    """The state stays; the answer rests on the rows that the gold requests return."""
    CHAT = "chat"
    """No server is involved; the user gets a reply."""
    CLARIFICATION = "clarification"
    """The server needs more information, and the user is asked for it."""
    NONE = "none"
    """Nothing is to be done, since no condition holds; the requests that tell so are made."""


class _Frame(BaseModel):
    """What one request is made of: domain, intent and slots with their normal forms."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    domain: str
    intent: str
    slots: dict[str, str] = Field(default_factory=dict)
    """Raw slots: words of the utterance, by slot name."""
    time: dict[str, str] = Field(default_factory=dict)
    """Normal forms of the time slots."""
    place: dict[str, str] = Field(default_factory=dict)
    """Normal forms of the place slots."""


def _compose(frame: _Frame, dropped: Collection[str]) -> Request:
    """Return the request whose parameters are the slots, overridden by the normal forms."""
    exact = {**frame.time, **frame.place}
    params = {"intent": frame.intent}
    for name, value in frame.slots.items():
        if name not in dropped:
            params[name] = exact.get(name, value)
    for name, value in exact.items():
        params.setdefault(name, value)
    return Request(domain=frame.domain, params=params)


class Part(_Frame):
    """One wish among several of a task: a frame of its own, perhaps under a condition."""

    dropped: tuple[str, ...] = ()
    """Slots that the gold request leaves out because they have no normal form."""
    condition: str | None = None
    """The user's words for when this is to be done; None where it is to be done anyway."""
    holds: bool | None = None
    """Whether the condition holds when its turn comes; None where there is none."""
    taken: dict[str, str] = Field(default_factory=dict)
    """Slots whose value is in an earlier answer: by slot, the user's words that point there."""

    @model_validator(mode="after")
    def _is_whole(self) -> Part:
        if (self.condition is None) != (self.holds is None):
            raise ValueError("a condition and whether it holds come together")
        if stray := sorted(self.taken.keys() - self.slots.keys()):
            raise ValueError(f"taken from an answer, but no slot: {', '.join(stray)}")
        return self

    @property
    def due(self) -> bool:
        """Whether a correct run does this part."""
        return self.holds is not False

    @property
    def is_chat(self) -> bool:
        """Whether no server is involved."""
        return self.domain == CHAT_DOMAIN

    def gold(self) -> Gold:
        """Return the part as the gold run of a task of its own."""
        names = (*_Frame.model_fields, "dropped")
        kind = GoldKind.CHAT if self.is_chat else GoldKind.CHANGE
        return Gold(kind=kind, **{name: getattr(self, name) for name in names})


class AskedFact(BaseModel):
    """One thing that the user asks to be told, with the forms that tell it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    any_of: tuple[str, ...] = Field(min_length=1)
    """Values in normal form, or words; one of them tells the fact. `yes`, `no` and `none` stand for
    a reply that affirms, that denies, and that says that there is nothing."""
    rivals: tuple[str, ...] = ()
    """What tells something else in its place, in the same forms; a reply may name none of them."""


class Gold(_Frame):
    """The gold run of a task. Workers and models never see it."""

    kind: GoldKind
    dropped: tuple[str, ...] = ()
    """Slots that the gold request leaves out because they have no normal form."""
    requests: tuple[Request, ...] | None = None
    """Only where the gold requests are not the composition of intent, slots, time and place."""
    parts: tuple[Part, ...] = ()
    """Of a compound task: its parts in order; `domain` and `intent` are then the first part's."""
    facts: tuple[str, ...] = ()
    """The few values that a correct reply tells, in normal form; `when?` stands for a question."""
    asked: tuple[AskedFact, ...] = ()
    """What the user asks to be told, each of which a reply must tell; derived from the gold run
    where nothing is declared."""
    alternatives: tuple[tuple[Request, ...], ...] = ()
    """Other requests that serve the user as well, where the sentence leaves a choice."""
    looks: tuple[Request, ...] = ()
    """Of a conditional task whose gold requests act only: questions that tell whether the condition
    holds; they come before the first action."""

    @model_validator(mode="after")
    def _chat_asks_no_server(self) -> Gold:
        if self.kind is GoldKind.CHAT and self.requests:
            raise ValueError("a chat task has no gold request")
        return self

    @model_validator(mode="after")
    def _parts_say_all(self) -> Gold:
        if not self.parts:
            if self.kind is GoldKind.NONE and self.requests is None:
                raise ValueError("a task with one frame always has something to do")
            return self
        if len(self.parts) < _FEWEST_PARTS:
            raise ValueError("a compound task has two parts or more")
        if self.slots or self.time or self.place or self.dropped or self.requests is not None:
            raise ValueError("a compound task has slots and requests in its parts only")
        first = self.parts[0]
        if (self.domain, self.intent) != (first.domain, first.intent):
            raise ValueError("domain and intent are not those of the first part")
        if not first.due or any(part.is_chat for part in self.parts[:-1]):
            raise ValueError("the first part is always done, and only the last may be chit-chat")
        return self

    def gold_requests(self) -> tuple[Request, ...]:
        """Return the requests that a correct run makes, in order.

        Without an explicit list this is one request whose parameters are the slots, overridden by
        the normal forms of time and place. A compound task has one for each part that is due.
        """
        if self.kind is GoldKind.CHAT:
            return ()
        if self.parts:
            return tuple(
                _compose(part, part.dropped) for part in self.parts if part.due and not part.is_chat
            )
        if self.requests is not None:
            return self.requests
        return (_compose(self, self.dropped),)


class WorldTask(Task):
    """A task that is held against the gold run of its requests."""

    gold: Gold

    @property
    def groups(self) -> Mapping[str, str]:
        """Its gold domain and intent; of a compound task those of its first part."""
        return {"domain": self.gold.domain, "intent": self.gold.intent}

    @property
    def domains(self) -> frozenset[str]:
        """Every domain that the task speaks of."""
        return frozenset({self.gold.domain, *(part.domain for part in self.gold.parts)})

    def due(self) -> tuple[WorldTask, ...]:
        """Return what is to be done as tasks with one frame each: the parts, or the task itself."""
        if not self.gold.parts:
            return (self,)
        return tuple(
            self.model_copy(update={"gold": part.gold()}) for part in self.gold.parts if part.due
        )


def by_domain(tasks: Iterable[WorldTask]) -> Mapping[str, tuple[WorldTask, ...]]:
    """Group tasks by the domain of their gold intent, in name order."""
    groups: dict[str, list[WorldTask]] = {}
    for task in tasks:
        groups.setdefault(task.gold.domain, []).append(task)
    return {name: tuple(groups[name]) for name in sorted(groups)}
