"""The checks by name, in the order in which they are made."""

from __future__ import annotations

from collections.abc import Collection

from ossia.conformance import basics, conversations, inside, leading, manners, suites, texts, weak
from ossia.conformance.findings import Check, Finding
from ossia.errors import UserError

__all__ = ["CHECKS", "Check", "Finding", "chosen_checks"]

CHECKS: tuple[Check, ...] = (
    Check("every-role", "Every role is heard and the team answers.", basics.every_role),
    Check("framework", "The framework that is named does the work.", inside.framework),
    Check("prompts", "Every role's prompt arrives word for word.", basics.prompts),
    Check("added-text", "Requests contain nothing that was not given.", texts.added_text),
    Check("calls", "The models are asked no more often than the team needs.", manners.calls),
    Check("order", "The manager leads: whoever it names works, in its order.", leading.order),
    Check("answer", "The answer is made of the roles' own words.", leading.answer),
    Check("suites", "Tasks of every suite are done.", suites.suites),
    Check("tool-call", "Tool calls are really made and their results are seen.", basics.tool_call),
    Check(
        "tool-error",
        "A tool's error goes back to the model and does not end the episode.",
        basics.tool_error,
    ),
    Check("model-error", "A model that fails is not asked again and again.", basics.model_error),
    Check("model-timeout", "A model that never answers is given up in time.", basics.model_timeout),
    Check("tool-rounds", "A role that never stops calling tools is stopped.", basics.tool_rounds),
    Check("turns", "A manager that never finishes is stopped.", basics.turns),
    Check(
        "weak-model", "A model's unusable answers end in an answer or a reason.", weak.weak_model
    ),
    Check("strict-order", "A strict server's refusal ends the episode.", weak.strict_order),
    Check("overlap", "A slow answer in one episode holds up no other.", basics.overlap),
    Check("concurrency", "Episodes that are played at once do not mix.", basics.concurrency),
    Check("memory", "An episode leaves nothing behind for the next one.", basics.memory),
    Check(
        "conversation",
        "What was said two turns ago, and what a tool returned, is remembered.",
        conversations.remembered,
    ),
    Check(
        "conversations",
        "Conversations do not mix; a cancelled one leaves nothing.",
        conversations.apart,
    ),
    Check(
        "history",
        "Turns that a task gives are part of the conversation.",
        conversations.given_history,
    ),
    Check("determinism", "Another process sends the same prompts.", basics.determinism),
    Check(
        "cancellation", "A cancelled episode ends at once; nothing is left.", inside.cancellation
    ),
    # Last, as they look back on all the others.
    Check("parameters", "Requests carry temperature 0 and nothing like it.", manners.parameters),
    Check("tools-used", "Servers are asked through the episode's tools alone.", manners.tools_used),
    Check("network", "Nothing but the gateway and the servers is contacted.", basics.network),
)
"""All checks, in the order in which they are made."""


def chosen_checks(names: Collection[str]) -> tuple[Check, ...]:
    """Return the checks of these names, in the order in which they are made; all without a name.

    Raises:
        UserError: there is none of a name.
    """
    known = [check.name for check in CHECKS]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UserError(f"there is no check {unknown[0]!r}; there are {', '.join(known)}")
    return tuple(check for check in CHECKS if not names or check.name in names)
