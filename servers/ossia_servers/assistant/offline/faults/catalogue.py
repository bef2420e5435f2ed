"""The catalogue as faults need it: domains with their intents and the kinds of their slots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ossia_servers.worlds.domain import Domain
from ossia_servers.worlds.schema import Kind

_CHAT = "general"
_CHAT_INTENTS = ("general_greet", "general_joke", "general_quirky")


@dataclass(frozen=True, slots=True)
class DomainEntry:
    """One domain of the catalogue.

    Attributes:
        intents: Names of its intents.
        slots: Kind of each of its slots, by name.
    """

    intents: tuple[str, ...]
    slots: Mapping[str, Kind] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All domains, chit-chat included.

    Attributes:
        domains: Entry by the domain's name, in name order.
    """

    domains: Mapping[str, DomainEntry]

    @classmethod
    def of(cls, domains: Sequence[Domain]) -> Catalogue:
        """Return the catalogue of domain servers, with chit-chat added."""
        found = {
            domain.name: DomainEntry(
                tuple(intent.name for intent in domain.intents),
                {item.name: item.kind for item in domain.fields},
            )
            for domain in domains
        }
        found[_CHAT] = DomainEntry(_CHAT_INTENTS)
        return cls({name: found[name] for name in sorted(found)})

    def siblings(self, domain: str, intent: str) -> tuple[str, ...]:
        """Return the other intents of a domain."""
        entry = self.domains.get(domain)
        return tuple(name for name in entry.intents if name != intent) if entry else ()

    def neighbours(self, domain: str, slots: Sequence[str], most: int = 4) -> tuple[str, ...]:
        """Return the domains most easily taken for this one: those that share most of the slots.

        Args:
            domain: The right domain; never returned.
            slots: Names of the slots that were said.
            most: How many domains to return.
        """
        others = [name for name in self.domains if name != domain]

        def strangeness(name: str) -> tuple[int, str]:
            return (-len(self.domains[name].slots.keys() & set(slots)), name)

        return tuple(sorted(others, key=strangeness)[:most])

    def kind(self, domain: str, slot: str) -> Kind:
        """Return the kind of a slot; text where the catalogue does not know it."""
        entry = self.domains.get(domain)
        return entry.slots.get(slot, Kind.TEXT) if entry else Kind.TEXT
