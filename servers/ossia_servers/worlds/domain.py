"""What a domain server declares: its parameters, its tables, its intents and its start state.

A domain is one module in a suite's `domains` with one attribute
`DOMAIN`. Everything else (routes, validation, OpenAPI, catalogue, match rules of the scorer) is
derived from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ossia_servers.worlds.params import Params
from ossia_servers.worlds.schema import Ask, Asked, Field, Reply, Row, Table
from ossia_servers.worlds.seeds import Seed, SeedContext
from ossia_servers.worlds.world import World

Handler = Callable[[World, Params], Reply]
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
