"""`ossia workflow`: a scenario is shown and checked."""

import pytest

from ossia.cli import main
from ossia_workflows.scenario import FORMS, load_scenario
from tests.workflows.scenario.scenarios import SMALL


@pytest.fixture
def ossia(capsys):
    """Carries a command out; returns its exit code, its output and its errors."""

    def call(*arguments):
        with pytest.raises(SystemExit) as done:
            main(["workflow", *arguments])
        return done.value.code or 0, *capsys.readouterr()

    return call


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "renewal.toml"
    path.write_text(SMALL)
    return path


@pytest.mark.parametrize("form", FORMS)
def test_a_workflow_is_shown_in_each_format(ossia, form):
    code, told, wrong = ossia("show", "ride-inquiry", "--format", form)
    assert (code, wrong) == (0, "")
    assert FORMS[form].read(told.rstrip("\n")) == load_scenario("ride-inquiry").graph


def test_a_file_is_checked(ossia, file):
    assert ossia("check", str(file)) == (0, f"{file}: 3 steps, 1 tools, no findings\n", "")


def test_findings_are_a_line_each(ossia, file):
    file.write_text(SMALL.replace('"renew.due", ', "").replace('asks = ["card"]\n', ""))
    code, told, wrong = ossia("check", str(file))
    assert (code, wrong) == (1, "")
    lines = file.read_text("utf-8").splitlines()
    used, asked, given = (
        next(number for number, line in enumerate(lines, 1) if line.startswith(begin))
        for begin in ("with = ", "[slots.card]", "gives = ")
    )
    assert told.splitlines() == [
        f"{file}:{used}: missing slot: step renew uses the slot card, and not every way to it has"
        " asked for it",
        f"{file}:{asked}: unused slot: slot card is never asked for",
        f"{file}:{given}: unused tool: renew.due is never told, used or decided by",
    ]
    code, told, wrong = ossia("show", str(file))
    assert (code, told) == (2, "")
    assert "missing slot: step renew" in wrong and wrong.count("\n") == 1


@pytest.mark.parametrize("command", ["show", "check"])
@pytest.mark.parametrize(
    ("text", "said"),
    [("version = 3", "version"), ("\0", "not valid TOML"), (SMALL + "x = 1", "steps.refused.x")],
)
def test_bad_input_is_one_line(ossia, file, command, text, said):
    file.write_text(text)
    code, told, wrong = ossia(command, str(file))
    assert (code, told) == (2, "")
    assert said in wrong and wrong.count("\n") == 1


def test_an_unknown_name_is_said(ossia):
    wrong = "ossia: there is no scenario or file 'restaurant'\n"
    assert ossia("show", "restaurant") == (2, "", wrong)
