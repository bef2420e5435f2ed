"""What each role is given: its prompt and the task once, and a manager what each member is for."""

from __future__ import annotations

from ossia.conformance.findings import words_of
from ossia.conformance.offers import plain
from ossia.conformance.scenes import text_of, texts_of
from ossia.conformance.stage import Played
from ossia_servers.gateway import Exchange
from ossia_servers.wire.conversation import read_conversation
from ossia_servers.wire.ledgers import asks
from ossia_servers.wire.routing import read_form

__all__ = ["misgiven"]


def misgiven(played: Played) -> str | None:
    """Return what roles were not given, or more often than once; None for nothing.

    Args:
        played: An episode of a team that a manager leads.
    """
    told = plain(texts_of(played.gateway, played.team.manager))
    unknown = [role.name for role in played.team.members if plain(role.description) not in told]
    if unknown:
        return f"the manager is not told the descriptions of {', '.join(unknown)}"
    missing = _no_choice(played)
    if missing:
        return f"the manager cannot choose {', '.join(missing)}"
    for exchange in played.gateway.exchanges:
        asked = text_of(exchange)
        prompt = next(role.prompt for role in played.team.roles if role.name == exchange.role)
        if asked.count(prompt) > 1:
            return f"{exchange.role} is given its prompt {asked.count(prompt)} times in a request"
        times = asked.count(played.part.utterance)
        if times > 1 + _keeps_ledgers(exchange) + _told_before(played, exchange):
            return f"{exchange.role} is given the task {times} times in a request"
    return None


def _no_choice(played: Played) -> list[str]:
    """Return the members that the manager's first request does not offer, where it names any."""
    members = [role.name for role in played.team.members]
    for exchange in played.of_role(played.team.manager)[:1]:
        offered = read_form(read_conversation(exchange.request, members)).names
        return [name for name in members if offered and name not in offered]
    return []


def _keeps_ledgers(exchange: Exchange) -> bool:
    """Say whether a manager's request asks for a ledger: both it and the question tell the task."""
    return asks(read_conversation(exchange.request, ()).prompt)


def _told_before(played: Played, exchange: Exchange) -> int:
    """Return how often models and servers had used the task's words before; roles see it again."""
    words = played.part.utterance
    said = sum(
        words_of(earlier.response).count(words)
        for earlier in played.gateway.exchanges
        if earlier.seq < exchange.seq and earlier.response is not None
    )
    return said + sum(asked.answer.count(words) for asked in played.asked)
