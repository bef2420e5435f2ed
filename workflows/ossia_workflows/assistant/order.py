"""Which role may follow which in the assistant team, given what is known so far."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

TIME_SLOTS = frozenset({"date", "time", "time2", "from_time", "to_time"})
"""Slots that the time role turns into normal form."""

PLACE_SLOTS = frozenset({"place_name", "from_place_name", "to_place_name"})
"""Slots that the location role turns into normal form."""

CHAT_DOMAIN = "general"
"""The domain of chit-chat, which no server answers."""

NOTHING_LEFT = "none"
"""What the intent role of a team that works in rounds answers when nothing is left to do."""

FINISH = "finish"
"""What the manager decides when nothing is left to do."""


def allowed_next(
    domain: str | None, slots: Mapping[str, str], done: Collection[str]
) -> frozenset[str]:
    """Return the roles that the manager may call next.

    Time and location commute, so the answer is a set.

    Args:
        domain: domain of the intent, or None before the intent role has worked.
        slots: the intent's raw slots.
        done: roles that have worked.

    Returns:
        Names of roles, or only `finish` once `response` has worked.
    """
    if "response" in done:
        return frozenset({FINISH})
    if domain is None or "intent" not in done:
        return frozenset({"intent"})
    if domain == CHAT_DOMAIN:
        return frozenset({"response"})
    open_stages = {
        role
        for role, names in (("time", TIME_SLOTS), ("location", PLACE_SLOTS))
        if role not in done and names & slots.keys()
    }
    if open_stages:
        return frozenset(open_stages)
    for role in ("url", "request"):
        if role not in done:
            return frozenset({role})
    return frozenset({"response"})


def stages(domain: str, slots: Mapping[str, str]) -> Sequence[str]:
    """Return the roles that a task needs, in the order of the contracts, time before location."""
    done: list[str] = []
    while True:
        options = allowed_next(domain, slots, done)
        if options == {FINISH}:
            return tuple(done)
        done.append("time" if "time" in options else sorted(options)[0])


def allowed_next_in_round(
    domain: str | None, slots: Mapping[str, str], done: Collection[str]
) -> frozenset[str]:
    """Return the roles that the manager of a team that works in rounds may call next.

    A round is one wish of the user: intent to request. After it `intent` names the next wish. The
    intent `none` and chit-chat end the rounds.

    Args:
        domain: domain of the round's intent, or None before the intent role has worked in it.
        slots: that intent's raw slots.
        done: roles that have worked since the round began, its intent role included.

    Returns:
        Names of roles; `intent` where the next round begins; only `finish` after `response`.
    """
    if domain == NOTHING_LEFT:
        domain = CHAT_DOMAIN
    options = allowed_next(domain, slots, done)
    if "request" in done and options == {"response"}:
        return frozenset({"intent"})
    return options
