"""The types of faults, by the role that commits them."""

from __future__ import annotations

from enum import StrEnum


class Form(StrEnum):
    """What of a role's output a fault is made from."""

    ANSWER = "answer"
    """The role's answer in the wire form, such as the JSON object of the time role."""
    ADDRESS = "address"
    """The address that the request role is about to call with its tool."""
    CHOICE = "choice"
    """The name of the role that the manager calls next, or `finish`."""


class FaultType(StrEnum):
    """A way in which one role errs; the value is `role.kind`."""

    INTENT_WRONG_DOMAIN = "intent.wrong_domain"
    """An intent of another domain."""
    INTENT_SIBLING = "intent.sibling_intent"
    """Another intent of the right domain."""
    INTENT_DROPPED_SLOT = "intent.dropped_slot"
    INTENT_ALTERED_SLOT = "intent.altered_slot"
    """A slot with other words: a span cut or stretched, or a neighbour's value."""
    INTENT_EXTRA_SLOT = "intent.extra_slot"
    """A slot of the domain that the user did not fill."""
    INTENT_MALFORMED = "intent.malformed"
    """An answer that cannot be read."""
    TIME_WRONG = "time.wrong"
    """A normal form of another day or hour."""
    TIME_UNCONVERTED = "time.unconverted"
    """The user's words in place of the normal form."""
    TIME_DROPPED = "time.dropped"
    TIME_MALFORMED = "time.malformed"
    LOCATION_WRONG = "location.wrong"
    """Another place."""
    LOCATION_UNRESOLVED = "location.unresolved"
    """The user's words in place of the exact place."""
    LOCATION_MALFORMED = "location.malformed"
    URL_WRONG_ENDPOINT = "url.wrong_endpoint"
    """The path of another domain."""
    URL_DROPPED_PARAM = "url.dropped_param"
    URL_RENAMED_PARAM = "url.renamed_param"
    """A parameter under the name of another one."""
    URL_ALTERED_PARAM = "url.altered_param"
    URL_STALE_VALUE = "url.stale_value"
    """The user's words where the time or location role had given a value."""
    URL_MALFORMED = "url.malformed"
    REQUEST_NO_CALL = "request.no_call"
    """Success is claimed and nothing was called."""
    REQUEST_ALTERED_CALL = "request.altered_call"
    """The call goes to another address than the url role gave."""
    REQUEST_DUPLICATE_CALL = "request.duplicate_call"
    """The right call, made twice."""
    MANAGER_SKIP = "manager.skip"
    """A role is passed over."""
    MANAGER_WRONG_AGENT = "manager.wrong_agent"
    """A role that is not due."""
    MANAGER_PREMATURE_FINISH = "manager.premature_finish"
    MANAGER_REPEAT = "manager.repeat"
    """The role that has just worked is called again."""
    RESPONSE_WRONG_CONTENT = "response.wrong_content"
    """The user is told something else than the server said."""

    @property
    def role(self) -> str:
        """The role that commits it."""
        return self.value.partition(".")[0]

    @property
    def form(self) -> Form:
        """What it is made from."""
        return {"manager": Form.CHOICE, "request": Form.ADDRESS}.get(self.role, Form.ANSWER)


def fault_types(role: str) -> tuple[FaultType, ...]:
    """Return the types of a role in a fixed order; none for a role that is not the team's."""
    return tuple(fault for fault in FaultType if fault.role == role)
