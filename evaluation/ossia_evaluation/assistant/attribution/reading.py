"""Reading an episode of the assistant into steps, and judging each by its contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ossia_evaluation.assistant.attribution.judging import judge
from ossia_evaluation.assistant.attribution.oracles import Oracle
from ossia_evaluation.assistant.attribution.received import Heard, heard_in
from ossia_evaluation.attribution.cuts import read_cuts
from ossia_evaluation.attribution.received import Turns
from ossia_evaluation.attribution.recording import Recording, recorded_step
from ossia_servers.assistant.members import MEMBERS
from ossia_servers.trace import Trace


def read_recording(
    trace: Trace,
    oracle: Oracle,
    *,
    to_the_letter: bool = False,
    heard: Sequence[tuple[Mapping[str, Any], Heard]] = (),
) -> Recording:
    """Read a trace into steps and judge each by its contract.

    Calls that got no answer say nothing about the role. Those that the endpoint refused, or that
    were cut by the end of the episode, are kept apart; the framework's own malformed calls and a
    spent budget of calls come about again by themselves.

    Args:
        trace: the episode.
        oracle: the contracts of its task.
        to_the_letter: take every difference for a deviation, not only those of meaning.
        heard: the calls as they have been read already; used where they are those of the trace.
    """
    turns = Turns(MEMBERS)
    answered = [(e, e.response) for e in trace.gateway.exchanges if e.response is not None]
    asked = [(exchange.role, exchange.request) for exchange, _ in answered]
    same = asked == [(received.role, request) for request, received in heard]
    found: dict[str, list[tuple[Heard, Mapping[str, Any]]]] = {}
    for number, (role, request) in enumerate(asked):
        received = heard[number][1] if same else Heard.of(role, request, turns)
        found.setdefault(received.turn.situation, []).append((received, answered[number][1]))
    steps = tuple(recorded_step(calls) for calls in found.values())
    findings = {}
    for step in steps:
        finding = judge(heard_in(step), step.messages, oracle, to_the_letter=to_the_letter)
        if finding is not None:
            findings[step.situation] = finding
    return Recording(steps, findings, tuple(read_cuts(trace, Heard, Turns(MEMBERS))))
