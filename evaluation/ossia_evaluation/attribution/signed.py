"""The steps of a recorded episode that show a sign of a model's fault, and its type otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ossia_evaluation.attribution.recording import Recording
from ossia_evaluation.model_signs import ModelSign, model_signs
from ossia_servers.trace import Trace

__all__ = ["ENDPOINT", "signed_steps"]

ENDPOINT: Final = "endpoint"
"""Who is at fault, in the place of a role, where a call got no answer."""


def signed_steps(trace: Trace, recording: Recording) -> Mapping[str, ModelSign]:
    """Return the first sign of each step that shows one, by situation, in order.

    What a client got over by itself, sending the same once more, is none of them.

    Args:
        trace: the episode.
        recording: its steps.
    """
    answers = {one.seq: one.response for one in trace.gateway.exchanges}
    # The steps hold the very messages of the trace; equal ones may be others'.
    places = {id(message): step.situation for step in recording.steps for message in step.messages}
    cuts = {cut.seq: cut.situation for cut in recording.cuts}
    found: dict[str, ModelSign] = {}
    # A simulated user's step has received nothing, and may come first.
    received = (each for step in recording.steps for each in step.received)
    team = next((each.conversation.team for each in received), ())
    for sign in model_signs(trace, team):
        answer = answers[sign.seq]
        if answer is None:
            situation = None if sign.answered else cuts.get(sign.seq)
        else:
            situation = places.get(id(answer))
        if situation is not None:
            found.setdefault(situation, sign)
    return found
