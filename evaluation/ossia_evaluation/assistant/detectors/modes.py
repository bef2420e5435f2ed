"""The failure modes of MAST, and how much of each can be told of the assistant without a model."""

from __future__ import annotations

from typing import Final

from ossia_evaluation.detectors import Coverage, Mode

_FULL, _PARTIAL = Coverage.FULL, Coverage.PARTIAL

MODES: Final[tuple[Mode, ...]] = (
    Mode("1.1", "Disobey task specification", _FULL, "an answer without the agreed form"),
    Mode("1.2", "Disobey role specification", _FULL, "a role does the work of another"),
    Mode("1.3", "Step repetition", _FULL, "a role says or asks the same again"),
    Mode("1.4", "Loss of conversation history", _FULL, "a role is not told an earlier result"),
    Mode("1.5", "Unaware of termination conditions", _FULL, "work goes on after the reply"),
    Mode("2.1", "Conversation reset", _FULL, "the work restarts halfway"),
    Mode(
        "2.2",
        "Fail to ask for clarification",
        Coverage.NONE,
        "the domain servers ask back, no role does",
    ),
    Mode("2.3", "Task derailment", _PARTIAL, "work in a domain that the task is not about"),
    Mode("2.4", "Information withholding", _PARTIAL, "a report without the server's answer"),
    Mode(
        "2.5", "Ignored other agent's input", _PARTIAL, "an output that departs from what was given"
    ),
    Mode("2.6", "Reasoning-action mismatch", _PARTIAL, "what is said was not what was done"),
    Mode("3.1", "Premature termination", _FULL, "the end while a role is still due"),
    Mode(
        "3.2", "No or incomplete verification", _PARTIAL, "success reported, but no server answered"
    ),
    Mode(
        "3.3",
        "Incorrect verification",
        _PARTIAL,
        "success reported, but the server's answer was an error",
    ),
)
"""In the order of their numbers."""
