"""How a manager is asked who works next, and how it answers: the one place that knows.

`read_form` says in which form a request wants the choice and which names it offers,
`present_choice` puts a choice into that form, and `read_choice` reads it from an answer.
"""

from ossia_servers.wire.handover import handover
from ossia_servers.wire.routing.forms import Form, Routing, read_form
from ossia_servers.wire.routing.present import (
    ends_with_answer,
    hands_over,
    heard,
    present_choice,
)
from ossia_servers.wire.routing.read import FINISH, GARBAGE, read_choice

__all__ = [
    "FINISH",
    "GARBAGE",
    "Form",
    "Routing",
    "ends_with_answer",
    "handover",
    "hands_over",
    "heard",
    "present_choice",
    "read_choice",
    "read_form",
]
