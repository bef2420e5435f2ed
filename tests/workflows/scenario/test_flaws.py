"""What is wrong with a scenario is told in sentences that name the step."""

import pytest

from ossia_workflows.scenario import finding_lines, read_scenario, scenario_findings
from tests.workflows.scenario.scenarios import SMALL


def told(text: str) -> list[str]:
    found = scenario_findings(read_scenario(text, "file"))
    return [f"{finding.flaw}: {finding.sentence}" for finding in found]


def test_nothing_is_wrong_with_a_scenario_that_can_be_played():
    assert told(SMALL) == []


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            [('asks = ["card"]', 'asks = ["name"]')],
            "unknown name: step renew asks for name, which is no slot",
        ),
        (
            [('call = "renew"', 'call = "extend"')],
            "unknown name: step renew calls extend, which is no tool",
        ),
        (
            [("weeks = 2", "months = 2")],
            "unknown name: step renew calls renew with months, which is no parameter of it",
        ),
        (
            [('"renew.due", ', '"renew.day", "renew.due", ')],
            "unknown name: step told names renew.day, which is no slot and no field of a tool's"
            " result",
        ),
        (
            [('"refused"', '"nowhere"')],
            "unknown name: step renew leads to nowhere, which is no step",
        ),
        (
            [('"renew.state = reserved" = "refused"', '"renew.state = reserved" = "told"')],
            "unreachable: node refused is never reached: no way leads to it from START",
        ),
        (
            [('wait for the book."\nnext = "END"', 'wait for the book."\nnext = "refused"')],
            "dead end: node refused is a dead end: no way leads from it to END",
        ),
        (
            [('card = "$card", ', "")],
            "missing argument: step renew calls renew without card, which it requires",
        ),
        (
            [("weeks = 2", "weeks = -2")],
            "wrong type: step renew gives weeks of renew -2, which is no count",
        ),
        (
            [("weeks = 2", 'weeks = "$card"')],
            "wrong type: step renew gives weeks of renew '$card', which is no count",
        ),
        (
            [('asks = ["card"]\n', "")],
            "missing slot: step renew uses the slot card, and not every way to it has asked for it",
        ),
        (
            [("weeks = 2", 'weeks = "$renew.left"')],
            "missing slot: step renew uses renew.left, and not every way to it has called renew",
        ),
        (
            [('"renew.state = reserved" = "refused"', "")],
            "uncovered condition: step renew has no way for renew.state = reserved, and no"
            " otherwise",
        ),
        (
            [('"renew.state = renewed"', '"renew.state != refused"')],
            "wrong type: step renew has 'renew.state != refused', which renew.state of renewed or"
            " reserved cannot be",
        ),
        (
            [('"renew.state = renewed"', '"renew.state != renewed"')],
            "uncovered condition: step renew has two ways for renew.state = reserved:"
            " renew.state != renewed, renew.state = reserved",
        ),
        (
            [('"renew.state = renewed"', '"renew.left > 1"')],
            "uncovered condition: step renew decides by several things at once",
        ),
        (
            [
                ('"renew.state = renewed"', '"renew.left > 1"'),
                ('"renew.state = reserved"', '"renew.left < 1"'),
            ],
            "uncovered condition: step renew has no way for renew.left = 1, and no otherwise",
        ),
        (
            [
                ('"renew.state = renewed"', '"renew.due = monday"'),
                ('"renew.state = reserved"', "otherwise"),
            ],
            "wrong type: step renew has 'renew.due = monday', which renew.due of date cannot be",
        ),
        (
            [
                ('"renew.state = renewed"', '"user accepts"'),
                ('"renew.state = reserved"', '"user asks"'),
            ],
            "uncovered condition: step renew has no way for a user who declines, or none for one"
            " who does not, and no otherwise",
        ),
        (
            [('"renew.state = renewed" = "told"', ""), ('"renew.state = reserved"', "otherwise")],
            "uncovered condition: step renew has an otherwise beside no condition",
        ),
        (
            [
                ('"renew.state = renewed"', '"renew.left < 0"'),
                ('"renew.state = reserved"', "otherwise"),
            ],
            "unreachable: step renew has 'renew.left < 0', which is never met",
        ),
        (
            [('"renew.state = renewed" =', 'otherwise = "told"\n"renew.state = renewed" =')],
            "unreachable: step renew has an otherwise, and the conditions over renew.state leave"
            " nothing",
        ),
        (
            [("[slots.card]", '[slots.name]\ntype = "text"\nabout = "n"\n\n[slots.card]')],
            "unused slot: slot name is never asked for",
        ),
        (
            [('card = "$card"', 'card = "c-1"')],
            "unused slot: slot card is asked for and never used",
        ),
        (
            [('"renew.due", ', "")],
            "unused tool: renew.due is never told, used or decided by",
        ),
        (
            [("[slots.card]", '[tools.b]\nabout = "b"\ngives = { c = "text" }\n\n[slots.card]')],
            "unused tool: tool b is never called",
        ),
    ],
)
def test_flaws(changes, sentence):
    text = SMALL
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    assert sentence in told(text)


def test_a_circle_that_can_be_left_is_allowed_and_one_that_cannot_is_not():
    ask = 'Say that others wait for the book."\nnext = "END"'
    assert ask in SMALL
    again = SMALL.replace(
        ask, 'Ask."\n[steps.refused.next]\n"user changes" = "renew"\notherwise = "END"'
    )
    assert told(again) == []
    assert told(again.replace("otherwise =", '"user declines" =')) == []
    stuck = SMALL.replace(
        ask, 'Ask."\nnext = "again"\n\n[steps.again]\ntask = "Ask."\nnext = "refused"'
    )
    assert [line.split(":")[0] for line in told(stuck)] == ["dead end", "dead end"]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ('asks = ["card"]', 'asks = ["name"]', 20),
        ("weeks = 2", 'weeks = "$card"', 22),
        ('"renew.state = reserved" = "refused"', '"renew.state=reserved" = "nowhere"', 23),
        ('"renew.due", ', '"renew.day", "renew.due", ', 29),
        ('wait for the book."\nnext = "END"', 'wait for the book."\nnext = "refused"', 32),
        ("[slots.card]", '[slots.name]\ntype = "text"\nabout = "n"\n\n[slots.card]', 14),
        ('asks = ["card"]', 'asks = [\n  # who\n  "name",\n]', 20),
    ],
)
def test_the_line_of_a_flaw_is_told(old, new, line):
    assert old in SMALL
    for text in (SMALL.replace(old, new), SMALL.replace(old, new).replace("\n", "\r\n")):
        found = [*finding_lines(read_scenario(text, "file"), text, "a/file.toml")]
        assert found[0].startswith(f"a/file.toml:{line}: ")


def test_a_line_that_takes_long_to_find_is_left_out():
    text = SMALL.replace('"Renew a loan."', '"""\\\n' + "\n" * 5000 + 'Renew."""', 1)
    text = text.replace('asks = ["card"]', 'asks = ["name"]')
    (told, *_) = finding_lines(read_scenario(text, "file"), text, "file")
    assert told.startswith("file: unknown name: ")


def test_counts_are_covered_from_zero():
    text = SMALL.replace('"renew.state = renewed"', '"renew.left = 0"')
    text = text.replace('"renew.state = reserved"', '"renew.left > 0"')
    assert told(text) == ["unused tool: renew.state is never told, used or decided by"]
