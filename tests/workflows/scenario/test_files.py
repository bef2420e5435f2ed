"""A scenario file is read, or refused in one line that says where and why."""

import pytest

from ossia_workflows.scenario import ScenarioError, load_scenario, read_scenario
from tests.workflows.scenario.scenarios import SMALL


def test_a_file_is_a_scenario(tmp_path):
    path = tmp_path / "renewal.toml"
    path.write_text(SMALL)
    scenario = load_scenario(str(path))
    assert list(scenario.steps) == ["renew", "told", "refused"]
    assert scenario.steps["renew"].references == ("card",)


@pytest.mark.parametrize(
    ("old", "new", "said", "line"),
    [
        ("version = 1", "version = 2", "version", 1),
        ("version = 1", "version = ", "line 1", None),
        ('role = "desk"', 'role = "desk"\nmood = "good"', "mood", 4),
        ('due = "date"', 'due = "day"', "tools.renew.gives.due: a type is one of", 11),
        ('["renewed", "reserved"]', '["renewed"]', "tools.renew.gives.state: a type", 11),
        ('optional = ["weeks"]', 'optional = ["days"]', "optional names days", 7),
        (
            '"renew.state = renewed"',
            '"renew.state is renewed"',
            "steps.renew.next: 'renew.state is",
            23,
        ),
        ('"renew.state = renewed"', '"user shouts"', "steps.renew.next: 'shouts' is no act", 23),
        (
            '"renew.state = renewed"',
            '"renew.state=reserved"',
            "steps.renew.next: the condition 'renew.state = reserved' is there twice",
            23,
        ),
        ('"$card"', '"$Card"', "'$Card' is no $SLOT", 22),
        ("weeks = 2", 'weeks = ["$card"]', "steps.renew.with.weeks: '['$card']' is no $SLOT", 22),
        ("weeks = 2", 'weeks = { a = "$card" }', "steps.renew.with.weeks: an argument is", 22),
        ("weeks = 2", "weeks = 10:30:00", "steps.renew.with.weeks: an argument is", 22),
        ("weeks = 2", "weeks = nan", "steps.renew.with.weeks", 22),
        ('"Renewal"', '"Rene\\u202ewal"', "name: this is one line", 4),
        (
            "[slots.card]",
            "\n".join(f'[steps.s{n}]\ntask = "a"\nnext = "END"' for n in range(200))
            + "\n[slots.card]",
            "steps: ",
            14,
        ),
        (
            'next = "END"\n\n[steps.refused]',
            "next = []\n\n[steps.refused]",
            "steps.told.next: the",
            30,
        ),
        ('call = "renew"\n', "", "steps.renew: there are arguments and no call", 18),
        ('"Tell the day."', '"Tell\\nthe day."', "steps.told.task: this is one line", 28),
        ("[steps.told]", "[steps.END]", "steps.END", 27),
    ],
)
def test_what_is_no_scenario_is_refused(old, new, said, line):
    assert old in SMALL
    with pytest.raises(ScenarioError) as error:
        read_scenario(SMALL.replace(old, new), "file.toml")
    told = str(error.value)
    at = "file.toml" if line is None else f"file.toml:{line}"
    assert told.startswith(f"{at}: ") and said in told and "\n" not in told
    assert len(told) < 400


def test_a_scenario_that_cannot_be_played_is_not_loaded(tmp_path):
    path = tmp_path / "renewal.toml"
    path.write_text(SMALL.replace('"refused"', '"nowhere"'))
    with pytest.raises(ScenarioError, match=r"renewal\.toml:25: unknown name: step renew leads to"):
        load_scenario(str(path))


@pytest.mark.parametrize("wanted", ["no-such-scenario", "/", "a\0b", ""])
def test_what_is_not_there_is_said(wanted):
    with pytest.raises(ScenarioError):
        load_scenario(wanted)


def test_no_text_and_a_huge_file_are_refused(tmp_path):
    path = tmp_path / "x.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ScenarioError, match="the file is not in UTF-8"):
        load_scenario(str(path))
    path.write_text("#" * 1_000_001)
    with pytest.raises(ScenarioError, match="at most"):
        load_scenario(str(path))
    path.write_text("a = " + "[" * 100_000)
    with pytest.raises(ScenarioError, match="not valid TOML"):
        load_scenario(str(path))
