"""The catalogue: which domains there are, and how it is shown to people and to agents."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from functools import cache

from ossia_servers.assistant import domains as domains_package
from ossia_servers.worlds.domain import Domain

EXAMPLE = "/calendar?intent=calendar_query&date=2026-03-13"
"""A request that any world of the domain servers answers."""

CHAT_LINE = "general: general_greet, general_joke, general_quirky | (no slots)"
"""The catalogue line of chit-chat, which no server answers."""


@cache
def load_domains() -> tuple[Domain, ...]:
    """Return every domain of `ossia_servers.assistant.domains`, in name order.

    Raises:
        TypeError: a module has no `DOMAIN`, or two domains claim one name or table.
    """
    found: dict[str, Domain] = {}
    tables: set[str] = set()
    for module_info in pkgutil.iter_modules(domains_package.__path__):
        if module_info.name.startswith("_"):
            continue
        module = importlib.import_module(f"{domains_package.__name__}.{module_info.name}")
        domain = getattr(module, "DOMAIN", None)
        if not isinstance(domain, Domain):
            raise TypeError(f"{module.__name__} has no attribute DOMAIN of type Domain")
        names = {table.name for table in domain.tables}
        if domain.name in found or names & tables:
            raise TypeError(f"{module.__name__} claims a name that another domain has")
        found[domain.name] = domain
        tables |= names
    return tuple(found[name] for name in sorted(found))


def catalogue_text(domains: Sequence[Domain]) -> str:
    """Return the catalogue for the intent role's prompt: one line a domain, chit-chat included."""
    lines = {
        domain.name: (
            f"{domain.name}: {', '.join(intent.name for intent in domain.intents)}"
            f" | {', '.join(item.name for item in domain.fields)}"
        )
        for domain in domains
    }
    lines["general"] = CHAT_LINE
    return "\n".join(lines[name] for name in sorted(lines))
