"""Which step made which request of the domain servers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ossia_evaluation.steps import Step
from ossia_evaluation.urls import asked_urls, read_url
from ossia_servers.worlds.records import ServerRequest


@dataclass(frozen=True)
class Asked:
    """The requests of an episode by the step that made them.

    Attributes:
        by_step: for each step, its requests in order.
        untold: those that no step's call asks for, in order.
    """

    by_step: tuple[tuple[ServerRequest, ...], ...]
    untold: tuple[ServerRequest, ...]


def asked_by(steps: Sequence[Step], requests: Sequence[ServerRequest]) -> Asked:
    """Lay the servers' records to the steps whose calls ask for them.

    The servers do not know who asks. A call is taken for the first record of its address that no
    earlier call has taken; a call without a record was refused before it came to a server.

    Args:
        steps: the steps of an episode, in order.
        requests: the servers' records of it, in order.
    """
    left = list(requests)
    by_step = []
    for step in steps:
        mine = []
        for url in asked_urls(step):
            address = read_url(url)
            made = next((one for one in left if (one.domain, one.params) == address), None)
            if made is not None:
                left.remove(made)
                mine.append(made)
        by_step.append(tuple(mine))
    return Asked(tuple(by_step), tuple(left))
