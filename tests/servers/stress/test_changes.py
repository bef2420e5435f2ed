"""Changes of answers by themselves, without a gateway."""

from random import Random

import pytest

from ossia_servers.stress.asked import Asked
from ossia_servers.stress.model_faults import CHANGES
from tests.servers.stress.test_model_faults import TEAM


@pytest.mark.parametrize("kind", sorted(CHANGES))
@pytest.mark.parametrize(
    "message",
    [
        {},
        {"content": None, "tool_calls": None},
        {"content": [], "tool_calls": [{}]},
        {"content": "x", "tool_calls": [{"function": {"name": "http_request"}}]},
        {"tool_calls": [{"function": {"name": "http_request", "arguments": "[1]"}}, 7]},
        {"tool_calls": [{"function": {"name": "f", "arguments": '{"a": {"b": [1]}, "c": true}'}}]},
        {"content": "\ud800"},
    ],
)
def test_no_answer_breaks_a_change(kind, message):
    for role in ("manager", "request", ""):
        asked = Asked(role, {"messages": []}, "manager", TEAM.members, [("request", message)])
        changed = CHANGES[kind](message, asked, Random(0))
        assert changed is None or isinstance(changed[0], dict)
