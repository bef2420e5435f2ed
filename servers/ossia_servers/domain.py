"""What a domain server declares: its parameters, its tables, its intents and its start state.

A domain is one module in `ossia_servers.domains` with one attribute `DOMAIN`. Everything else
(routes, validation, OpenAPI, catalogue, match rules of the scorer) is derived from it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ossia_servers.params import Params
    from ossia_servers.worlds.state import World

Row = Mapping[str, Any]
"""One row of a table: `id` and its columns, JSON values only. Never changed in place."""


class Kind(StrEnum):
    """What a parameter's text means; decides how it is checked and parsed."""

    TEXT = "text"
    """Free words, such as a message."""
    NAME = "name"
    """The name of a thing, such as a song or a list."""
    PERSON = "person"
    """A person, by name or by relation ("my sister")."""
    PLACE = "place"
    """A city or another place outside the house."""
    DATE = "date"
    """A date in normal form: day, range or recurrence."""
    TIME = "time"
    """A time in normal form: clock time or range."""
    NUMBER = "number"
    """A number in digits or words, with or without a unit ("fifty percent")."""
    VERBATIM = "verbatim"
    """A text that is taken as it is: line breaks and surplus space count, and it may be empty."""


class Match(StrEnum):
    """When two values count as the same for the scorer."""

    EXACT = "exact"
    NUMBER = "number"
    """Equal as numbers."""
    DATETIME = "datetime"
    """Equal after parsing as normal forms."""
    CASEFOLD = "casefold"
    """Equal without case, punctuation, articles and surplus space."""
    ALIAS = "alias"
    """Equal after the kind's canonical form (places: the city without its state or country)."""
    FREE_TEXT = "free text"
    """A message: the same content, in other words and with politeness if need be."""
    THING = "thing"
    """The name of an item, an event or a list: the same content words, whatever the quantity."""
    OPTIONAL = "optional"
    """Equal where the gold holds a value; where it holds none, anything may stand."""
    LOWER = "lower"
    """Equal in lower case, and otherwise to the letter."""
    IGNORABLE = "ignorable"
    """Never compared."""


DEFAULT_MATCH: Mapping[Kind, Match] = {
    Kind.TEXT: Match.FREE_TEXT,
    Kind.NAME: Match.CASEFOLD,
    Kind.PERSON: Match.CASEFOLD,
    Kind.PLACE: Match.ALIAS,
    Kind.DATE: Match.DATETIME,
    Kind.TIME: Match.DATETIME,
    Kind.NUMBER: Match.NUMBER,
    Kind.VERBATIM: Match.EXACT,
}
"""The match rule of a parameter that declares none."""


@dataclass(frozen=True, slots=True)
class Field:
    """One request parameter of a domain."""

    name: str
    kind: Kind
    description: str
    """One phrase for the catalogue, the OpenAPI description and the prompt."""
    match: Match | None = None
    """How the scorer compares it; None means the kind's default."""
    example: str = ""
    schema: Mapping[str, Any] = field(default_factory=dict)
    """JSON Schema of its values beyond what the kind says, for the OpenAPI description."""

    @property
    def rule(self) -> Match:
        """The match rule in force."""
        return self.match or DEFAULT_MATCH[self.kind]


@dataclass(frozen=True, slots=True)
class Table:
    """One table of the world that the domain owns."""

    name: str
    """`domain.things`, unique over all domains."""
    prefix: str
    """Ids of its rows are `prefix-1`, `prefix-2`, ..."""
    columns: Mapping[str, Match]
    """Match rule of every column but `id`."""


@dataclass(frozen=True, slots=True)
class Clarification:
    """What the server has to be told before it can act."""

    question: str
    missing: tuple[str, ...]
    """Parameters that would answer the question."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a handler answers."""

    response: str
    """A sentence for the user."""
    result: Any = None
    """JSON value: the rows or facts that the answer rests on."""
    clarification: Clarification | None = None

    @classmethod
    def ask(cls, question: str, *missing: str) -> Reply:
        """Ask for parameters instead of acting. The handler must not have changed anything."""
        return cls(question, None, Clarification(question, missing))


class Asked(StrEnum):
    """When an intent asks a question back."""

    FIRST = "first"
    """Before anything else is looked at: the server asks, and the handler is not run."""
    LATER = "later"
    """By the handler, in words of its own, unless it finds something that forbids the request."""
    MAYBE = "maybe"
    """By the handler, where the world or the values of other parameters leave it open."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A question that an intent asks back where none of some parameters comes."""

    question: str
    any_of: tuple[str, ...]
    """Parameters each of which answers the question."""
    missing: tuple[str, ...] = ()
    """Those that the clarification names; all of `any_of` where none are told."""
    unless: tuple[str, ...] = ()
    """Parameters whose words may make the question needless, such as "reply" that of the receiver.

    Where one of them comes, it is for the handler to read it.
    """
    when: Asked = Asked.FIRST

    def is_open(self, given: Container[str]) -> bool:
        """Return whether no parameter came that answers the question or makes it needless."""
        return not any(name in given for name in (*self.any_of, *self.unless))

    def reply(self) -> Reply:
        """Return the answer that asks the question."""
        return Reply.ask(self.question, *(self.missing or self.any_of))


class Refusal(Exception):
    """The request cannot be served; nothing is changed.

    Args:
        message: one clear sentence.
        code: machine-readable reason, such as `NOT_FOUND`.
        status: HTTP status, 400 to 499.
    """

    def __init__(self, message: str, *, code: str = "BAD_REQUEST", status: int = 400) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.status = status

    @classmethod
    def not_found(cls, message: str) -> Refusal:
        """Nothing in the world fits the request."""
        return cls(message, code="NOT_FOUND", status=404)

    @classmethod
    def conflict(cls, message: str) -> Refusal:
        """The world's state forbids the request, for example because the thing exists already."""
        return cls(message, code="CONFLICT", status=409)


Handler = Callable[["World", "Params"], Reply]
"""Reads and changes the world; raises `Refusal`; must not touch clock, random state or network."""


@dataclass(frozen=True, slots=True)
class Intent:
    """One thing that a user can want of a domain."""

    name: str
    summary: str
    handler: Handler
    writes: bool
    """Whether a successful request may change the world."""
    required: tuple[tuple[str, ...], ...] = ()
    """Groups of parameters; the request is refused where none of a group comes.

    For what a client cannot have been told to leave out. Prefer asking back what a user may have
    left open.
    """
    asks: tuple[Ask, ...] = ()
    """Questions that it asks back where parameters do not come, in order."""
    fields: tuple[Field, ...] | None = None
    """Its own parameters, where each intent declares some; None where all of the domain's may come.

    For the OpenAPI description; what a request may hold is for the handler to say.
    """
    needed: tuple[str, ...] = ()
    """Of its own parameters those that the handler refuses to do without, in words of its own."""

    def answer(self, world: World, params: Params) -> Reply:
        """Serve a checked request: ask what is to be asked first, else run the handler.

        Raises:
            Refusal: the handler cannot serve it.
        """
        for ask in self.asks:
            if ask.when is Asked.FIRST and ask.is_open(params):
                return ask.reply()
        return self.handler(world, params)


@dataclass(frozen=True, slots=True)
class SeedContext:
    """What a start state may depend on."""

    name: str
    """Name of the seed, such as `home`."""
    now: datetime
    home: str

    def random(self, *parts: object) -> random.Random:
        """Return a random stream that depends on the seed's name and `parts` alone."""
        return seeded_random(self.name, *parts)


Seed = Callable[[SeedContext], Mapping[str, Sequence[Row]]]
"""Start rows by table name, without ids."""


def _no_rows(context: SeedContext) -> Mapping[str, Sequence[Row]]:
    return {}


@dataclass(frozen=True, slots=True)
class Domain:
    """A domain server.

    Raises:
        ValueError: an intent declares to need a parameter that the domain does not have.
    """

    name: str
    description: str
    fields: tuple[Field, ...]
    intents: tuple[Intent, ...]
    tables: tuple[Table, ...] = ()
    seed: Seed = field(default=_no_rows)
    _fields: Mapping[str, Field] = field(init=False, repr=False, compare=False)
    _intents: Mapping[str, Intent] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_fields", {item.name: item for item in self.fields})
        object.__setattr__(self, "_intents", {item.name: item for item in self.intents})
        for intent in self.intents:
            groups = [*intent.required]
            groups += [(*ask.any_of, *ask.missing, *ask.unless) for ask in intent.asks]
            for name in (name for group in groups for name in group):
                if name not in self._fields:
                    raise ValueError(f"{intent.name} needs '{name}', which {self.name} lacks")

    def field(self, name: str) -> Field | None:
        """Return the parameter called `name`, or None."""
        return self._fields.get(name)

    def intent(self, name: str) -> Intent | None:
        """Return the intent called `name`, or None."""
        return self._intents.get(name)


def seeded_random(*parts: object) -> random.Random:
    """Return a random stream that is the same for the same parts on every machine."""
    text = "\x1f".join(str(part) for part in parts)
    return random.Random(int.from_bytes(sha256(text.encode()).digest()[:8], "big"))
