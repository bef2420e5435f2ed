"""The assistant's team: what it is made of stands beside, and which role may follow which."""

from ossia_workflows.assistant.order import (
    CHAT_DOMAIN,
    FINISH,
    NOTHING_LEFT,
    PLACE_SLOTS,
    TIME_SLOTS,
    allowed_next,
    allowed_next_in_round,
    stages,
)
from ossia_workflows.assistant.outputs import ROLE_KEYS, role_output

__all__ = [
    "CHAT_DOMAIN",
    "FINISH",
    "NOTHING_LEFT",
    "PLACE_SLOTS",
    "ROLE_KEYS",
    "TIME_SLOTS",
    "allowed_next",
    "allowed_next_in_round",
    "role_output",
    "stages",
]
