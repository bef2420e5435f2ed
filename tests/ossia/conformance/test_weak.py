"""What adapters do with a weak model: the table, and the rules of strict servers."""

import re

import pytest

from ossia.conformance import weak_table
from ossia.conformance.players import fault_in_order
from ossia.conformance.weak import CASES, STRICT

from ...adapters.support.environments import ADAPTERS, ROOT, installed

README = ROOT / "adapters" / "README.md"


def rows(text):
    return [line.strip("| ").split(" | ") for line in text.splitlines()]


@pytest.fixture(scope="module")
def written():
    text = README.read_text("utf-8")
    return rows(re.search("<!-- weak:begin -->\n(.*?)\n<!-- weak:end -->", text, re.DOTALL)[1])


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.framework(name)) for name in ADAPTERS]
)
def test_the_table_is_what_is_generated(written, name):
    made = rows(weak_table([installed(name)]))
    column = written[0].index(name)
    assert [line[0] for line in made[2:]] == [*(case.name for case in CASES), STRICT]
    assert [[line[0], line[column]] for line in written[2:]] == made[2:]


def test_strict_servers_refuse_what_chat_templates_refuse():
    def fault(*kinds):
        return fault_in_order({"messages": [{"role": kind, "content": "x"} for kind in kinds]})

    assert fault("system", "user", "assistant", "user") is None
    assert fault("user", "system") == "a system message is not the first message"
    assert fault("user", "assistant", "assistant") == "two assistant messages at the end"
    assert fault("user", "tool") == "a tool message answers no tool call"
