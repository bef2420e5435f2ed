"""What an adapter is: the types, the tools of the roles and the worker loop.

An adapter is one small project that builds a team in one framework. It imports this package and
the framework, nothing else of Ossia, and names its adapter object in its ``pyproject.toml``.
"""

from ossia_adapter.types import (
    Adapter,
    Answer,
    ConversationAdapter,
    Episode,
    Limits,
    Reported,
    Role,
    Team,
    UnknownRoleError,
    UnknownToolError,
    UserTurn,
    WireError,
    WorkflowStep,
)

__all__ = [
    "Adapter",
    "Answer",
    "ConversationAdapter",
    "Episode",
    "Limits",
    "Reported",
    "Role",
    "Team",
    "UnknownRoleError",
    "UnknownToolError",
    "UserTurn",
    "WireError",
    "WorkflowStep",
]
