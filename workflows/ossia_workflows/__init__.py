"""Teams: roles, prompts and tools, the same for every framework."""

from ossia_workflows.outputs import json_objects, text_slots
from ossia_workflows.team import PARAPHRASES, Role, Team, load_team

__all__ = [
    "PARAPHRASES",
    "Role",
    "Team",
    "json_objects",
    "load_team",
    "text_slots",
]
