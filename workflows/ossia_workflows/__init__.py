"""Teams: roles, prompts, tools and allowed order, the same for every framework."""

from ossia_workflows.order import (
    CHAT_DOMAIN,
    FINISH,
    NOTHING_LEFT,
    PLACE_SLOTS,
    TIME_SLOTS,
    allowed_next,
    allowed_next_in_round,
    stages,
)
from ossia_workflows.outputs import ROLE_KEYS, json_objects, role_output, text_slots
from ossia_workflows.team import PARAPHRASES, Role, Team, load_team

__all__ = [
    "CHAT_DOMAIN",
    "FINISH",
    "NOTHING_LEFT",
    "PARAPHRASES",
    "PLACE_SLOTS",
    "ROLE_KEYS",
    "TIME_SLOTS",
    "Role",
    "Team",
    "allowed_next",
    "allowed_next_in_round",
    "json_objects",
    "load_team",
    "role_output",
    "stages",
    "text_slots",
]
