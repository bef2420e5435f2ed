"""In which order the roles of the assistant work on a task, for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ossia_dataset.world_tasks import Gold
from ossia_workflows.assistant import CHAT_DOMAIN, FINISH, allowed_next


def role_order(domain: str, slots: Mapping[str, str]) -> Sequence[str]:
    """Return the allowed order of roles; those that may work in either order are one entry.

    Args:
        domain: the domain of a frame.
        slots: its raw slots.
    """
    done: list[str] = []
    order: list[str] = []
    while (options := allowed_next(domain, slots, done)) != {FINISH}:
        order.append(" and ".join(sorted(options)))
        done += sorted(options)
    return order


def role_orders(gold: Gold) -> Iterator[Sequence[str]]:
    """Yield the orders of roles: one, or one for each round of a compound task and its end."""
    if not gold.parts:
        yield role_order(gold.domain, gold.slots)
        return
    due = [part for part in gold.parts if part.due]
    for part in due:
        order = role_order(part.domain, part.slots)
        yield order if part.is_chat else order[:-1]
    if not due[-1].is_chat:
        yield role_order(CHAT_DOMAIN, {})
