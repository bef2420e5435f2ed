"""Which names mean roles, and which the end."""

import pytest

from ossia_servers.assistant.members import MEMBERS
from ossia_servers.wire.names import is_finish, role_of


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("intent", "intent"),
        ("IntentAgent", "intent"),
        ("url_agent", "url"),
        ("URLAgent", "url"),
        ("transfer_to_location", "location"),
        ("request", "request"),
        ("http_request", None),
        ("Finish", None),
        ("intent_and_time", None),
    ],
)
def test_names_mean_roles(name, role):
    assert role_of(name, MEMBERS) == role


def test_names_that_end_the_work():
    assert is_finish("FINISH") and is_finish("__end__") and not is_finish("intent")
