"""What domains are declared with: parameters, tables, replies, questions and refusals."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

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
