"""Cancelling an episode while a member waits for the model, and what it then leaves behind."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from ossia.conformance.leftovers import processes_of
from ossia.conformance.stage import Part, Played, Stage
from ossia.conformance.troubles import Trouble, TroubleModel
from ossia.worker import WorkerState
from ossia_servers.gateway import Model

__all__ = ["LONG_SECONDS", "Cancelled", "cancel_on", "hanging"]

LONG_SECONDS = 60.0
"""Seconds of a call in the cancelled episode: so long that no run ends by its own timeout."""

_LOOK_SECONDS = 0.05
_AFTERWARDS_SECONDS = 0.4
# How long a cancelled run may go on before it counts as one that does not end.
_END_SECONDS = 8.0


@dataclass(frozen=True)
class Cancelled:
    """What a cancelled episode left behind.

    Attributes:
        played: The episode, with the seconds until the cancelled run was answered.
        late_calls: Model calls after the cancellation.
        end_seconds: How long the adapter's own run went on; `None` where it did not end in time.
        state: The worker while the first member waited for the model.
        left: How many processes the worker left behind; `None` where they cannot be seen.
    """

    played: Played
    late_calls: int
    end_seconds: float | None
    state: WorkerState | None
    left: int | None


def hanging(base: Model, stage: Stage) -> TroubleModel:
    """Return a model that answers no member of the stage's team."""
    return TroubleModel(base, dict.fromkeys((r.name for r in stage.team.members), Trouble.HANG))


async def cancel_on(stage: Stage, part: Part, model: TroubleModel, seconds: float) -> Cancelled:
    """Cancel an episode while its first member waits for the model, then end the worker.

    Args:
        stage: Where it is played.
        part: What is played, with the model.
        model: What does not answer.
        seconds: How long is waited for a member's call.

    Raises:
        WorkerError: The worker ended.
    """
    clock = asyncio.get_running_loop().time
    wire = stage.open(part, episode="cancelled")
    running = asyncio.ensure_future(stage.worker.run(wire))
    waiting = asyncio.ensure_future(model.reached.wait())
    await asyncio.wait({running, waiting}, return_when=asyncio.FIRST_COMPLETED, timeout=seconds)
    reached = waiting.done()
    waiting.cancel()
    state = await stage.worker.inspect() if reached and stage.worker.alive else None
    before, started = model.calls, clock()
    await stage.worker.cancel(wire["id"])
    result = await running
    answered = clock() - started
    ended = None
    if state is not None and state.asynchronous:
        # A task ends by its cancellation alone. Once the gateway has closed, anything ends.
        ended = await _end_of_run(stage, wire["id"])
    # Who goes on at once is seen before the gateway closes, who goes on later after it.
    await asyncio.sleep(_AFTERWARDS_SECONDS)
    played = stage.close(part, wire, result, answered)
    if state is None or not state.asynchronous:
        ended = await _end_of_run(stage, wire["id"])
    await asyncio.sleep(_AFTERWARDS_SECONDS)
    late = stage.places.gateway.record(wire["api_key"]).late_calls + model.calls - before
    await stage.worker.shutdown()
    left = processes_of(stage.worker.home)
    return Cancelled(played, late, ended, state, left)


async def _end_of_run(stage: Stage, episode: str) -> float | None:
    """Wait for the end of the cancelled run itself; its answer has been given by the worker."""
    clock = asyncio.get_running_loop().time
    started = clock()
    while stage.worker.alive and clock() - started < _END_SECONDS:
        if episode not in (await stage.worker.inspect()).episodes:
            return clock() - started
        await asyncio.sleep(_LOOK_SECONDS)
    return None if stage.worker.alive else clock() - started
