"""Teams: roles, prompts and tools, the same for every framework."""

from ossia_workflows.outputs import ROLE_KEYS, json_objects, role_output, text_slots
from ossia_workflows.team import PARAPHRASES, Role, Team, load_team

__all__ = [
    "PARAPHRASES",
    "ROLE_KEYS",
    "Role",
    "Team",
    "json_objects",
    "load_team",
    "role_output",
    "text_slots",
]
