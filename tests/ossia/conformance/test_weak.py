"""What adapters do with a weak model: the table, and the rules of strict servers."""

import pytest

from ossia.conformance import weak_table
from ossia.conformance.players import fault_in_order
from ossia.conformance.weak import CASES, STRICT

from ...adapters.support.environments import installed
from .weak_rows import rows, written


@pytest.mark.framework("control")
def test_the_table_is_what_is_generated():
    # The other columns are held against the check `weak-model` in `test_conformance.py`.
    made = rows(weak_table([installed("control")]))
    assert [line[0] for line in made[2:]] == [*(case.name for case in CASES), STRICT]
    assert written("control") == [tuple(line) for line in made[2:]]


def test_strict_servers_refuse_what_chat_templates_refuse():
    def fault(*kinds):
        return fault_in_order({"messages": [{"role": kind, "content": "x"} for kind in kinds]})

    assert fault("system", "user", "assistant", "user") is None
    assert fault("user", "system") == "a system message is not the first message"
    assert fault("user", "assistant", "assistant") == "two assistant messages at the end"
    assert fault("user", "tool") == "a tool message answers no tool call"
