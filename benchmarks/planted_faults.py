"""What a stressed run injected, as the truth that an attribution is compared with."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from ossia_evaluation.attribution.recording import Recording
from ossia_servers.stress.asked import Asked
from ossia_servers.stress.injected import NOT_ASKED, Injected
from ossia_servers.stress.model_faults import CHANGES, TeamRoles
from ossia_servers.trace import Trace
from ossia_servers.wire.answers import said

_DRAWS: Final = 40
"""So often a kind that draws is tried to make the same bytes."""


@dataclass(frozen=True)
class Struck:
    """One injection.

    Attributes:
        step: The attributor's name of the step that it hit; empty where it has none.
        same: The kinds that could have made what came of what would have come: nobody can tell them
            apart on the wire.
    """

    step: str
    same: frozenset[str]


def strikes(trace: Trace, bare: Trace, recording: Recording, team: TeamRoles) -> tuple[Struck, ...]:
    """Return what was injected into an episode, with the steps that it hit.

    Args:
        trace: the episode, as it was stored.
        bare: the same as the attributor saw it.
        recording: its steps.
        team: who is who.
    """
    places = {id(message): step.situation for step in recording.steps for message in step.messages}
    cuts = {cut.seq: cut.situation for cut in recording.cuts}
    found = []
    for hit in trace.injected:
        answer = bare.gateway.exchanges[hit.seq].response
        step = cuts.get(hit.seq, "") if answer is None else places.get(id(answer), "")
        found.append(Struck(step, frozenset(_same(trace, hit, team))))
    return tuple(found)


def _same(trace: Trace, hit: Injected, team: TeamRoles) -> Iterator[str]:
    yield hit.kind
    exchange = trace.gateway.exchanges[hit.seq]
    would = _answer(hit.would)
    if exchange.response is None or would is None:
        return
    came = exchange.response, exchange.finish_reason
    earlier = [(e.role, e.response) for e in trace.gateway.exchanges[: hit.seq] if e.response]
    asked = Asked(hit.role, exchange.request, team.manager, team.members, earlier)
    for kind, change in CHANGES.items():
        if any(change(would, asked, Random(n)) == came for n in range(_DRAWS)):
            yield kind


def _answer(would: str) -> Mapping[str, Any] | None:
    """The answer that would have come; None where the trace does not hold all of it."""
    if would == NOT_ASKED or would.endswith(" more characters)"):
        return None
    try:
        found = json.loads(would)
    except ValueError:
        return said(would)
    if not isinstance(found, dict) or "finish_reason" not in found:
        return said(would)
    return {"role": "assistant", **{k: v for k, v in found.items() if k != "finish_reason"}}
