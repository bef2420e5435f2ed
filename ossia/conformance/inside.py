"""The checks of the worker's process: the framework is at work, and a cancelled run ends."""

from __future__ import annotations

from ossia.conformance.findings import Finding, ending
from ossia.conformance.scenes import Scenes

__all__ = ["cancellation", "framework"]

CANCEL_SECONDS = 5.0
# A thread cannot be stopped: it may try a few calls, which are refused, before it gives up.
MOST_LATE_CALLS = 10


async def framework(scenes: Scenes) -> Finding:
    """The distribution that the adapter names is imported and has a part in the calls."""
    await scenes.happy()
    info, stage = scenes.info, await scenes.stage()
    if info.distribution == info.package:
        return Finding(True, "no framework is named: the adapter works without one")
    named = f"{info.distribution} {scenes.version}"
    if not (await stage.worker.inspect()).loaded:
        return Finding(False, f"{named} is named, but the framework is never imported")
    state = (await scenes.cancelled()).state
    if state is None:
        return Finding(False, f"{named} is imported, but no member was ever asked")
    if not state.working:
        detail = f"{named} is imported, but none of its code runs while a member is asked"
        return Finding(True, detail, noted=True)
    return Finding(True, f"code of {named} runs while a member is asked")


async def cancellation(scenes: Scenes) -> Finding:
    """A cancelled run is answered at once and really ends; no process is left."""
    found = await scenes.cancelled()
    played = found.played
    error = played.result.error if played.result is not None else None
    cancelled = error is not None and error.type == "Cancelled"
    allowed = 0 if found.state is None or found.state.asynchronous else MOST_LATE_CALLS
    ended = found.end_seconds is not None
    detail = f"answered after {played.seconds:.2f} s; "
    detail += "its run ended" if ended else "its run continues"
    detail += f"; {found.late_calls} calls afterwards"
    detail += (
        f"; processes left: {found.left}"
        if found.left is not None
        else "; processes cannot be seen"
    )
    if not cancelled:
        detail += f"; {ending(played)}"
    passed = cancelled and played.seconds <= CANCEL_SECONDS and not found.left
    return Finding(passed and ended and found.late_calls <= allowed, detail, trace=(played,))
