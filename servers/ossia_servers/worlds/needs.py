"""What an intent needs, in words and as data, derived from its declaration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ossia_servers.worlds.domain import Domain, Intent
from ossia_servers.worlds.schema import Ask, Asked


def either(names: Sequence[str]) -> str:
    """Return the words for one of several parameters, such as "'time' or 'date'"."""
    *others, last = [f"'{name}'" for name in names]
    return f"{', '.join(others)} or {last}" if others else last


def needs_of(intent: Intent) -> str:
    """Return what an intent needs as one phrase; empty where it needs nothing."""
    groups = [*intent.required, *((name,) for name in intent.needed)]
    parts = [f"needs {' and '.join(map(either, groups))}"] if groups else []
    sure = [ask for ask in intent.asks if ask.when is not Asked.MAYBE]
    parts += [f"asks back unless {either(ask.any_of)} comes{_or_unless(ask)}" for ask in sure]
    maybe = [name for ask in intent.asks if ask not in sure for name in ask.missing or ask.any_of]
    if maybe:
        parts.append(f"may ask for {either(tuple(dict.fromkeys(maybe)))}")
    return "; ".join(parts)


def _or_unless(ask: Ask) -> str:
    return f" or the words of {either(ask.unless)} say enough" if ask.unless else ""


def needs_text(domains: Sequence[Domain]) -> str:
    """Return a line for each intent that needs something, for people."""
    return "\n".join(
        f"/{domain.name} {intent.name}: {needs}"
        for domain in domains
        for intent in domain.intents
        if (needs := needs_of(intent))
    )


def needs_data(intent: Intent) -> dict[str, Any]:
    """Return what an intent needs as JSON.

    Returns:
        `required`, groups of parameters of which one has to come each; `asks`, its questions, each
        with the parameters that answer it (`any_of`), those that may make it needless (`unless`)
        and whether it comes for sure (`always`).
    """
    return {
        "required": [*map(list, intent.required), *([name] for name in intent.needed)],
        "asks": [
            {
                "question": ask.question,
                "any_of": list(ask.any_of),
                "unless": list(ask.unless),
                "always": ask.when is not Asked.MAYBE,
            }
            for ask in intent.asks
        ],
    }
