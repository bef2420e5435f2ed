"""The experiment's command line: its exit codes, what it prints and what it refuses."""

import json

import pytest

from benchmarks.attribution import __main__ as command
from tests.benchmarks.attribution.support import case as injected_case
from tests.benchmarks.attribution.support import result_of as injection_result
from tests.benchmarks.attribution.support import single
from tests.benchmarks.attribution.wild.support import attempt, case, result_of


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Run the command in a home of its own; returns exit code, output and errors."""
    monkeypatch.setenv("OSSIA_HOME", str(tmp_path))

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            command.main(arguments)
        return ended.value.code, *capsys.readouterr()

    return run


def in_place_of(monkeypatch, name, made):
    """Put a protocol in place of a real one; returns the arguments that it is called with."""
    given = {}

    async def protocol(*_, **more):
        given.update(more)
        if isinstance(made, BaseException):
            raise made
        return made

    monkeypatch.setattr(command, name, protocol)
    return given


@pytest.mark.parametrize(("good", "code"), [(True, 0), (False, 1)])
def test_wild_ends_with_1_where_a_gate_is_missed(run, monkeypatch, good, code):
    told = {"told": (("time#1",),)} if good else {"told": (), "status": "flaky"}
    attempts = [attempt(str(n), task=str(n), found=case(**told)) for n in range(5)]
    given = in_place_of(monkeypatch, "validate_wild", result_of(*attempts))
    ended, printed, _ = run("--wild", "--quick", "--json", "--seed", "7")
    assert ended == code
    assert json.loads(printed)["overall"]["cases"] == 5
    assert (given["name"], given["seed"], given["jobs"]) == ("quick", 7, 8)


@pytest.mark.parametrize(("good", "code"), [(True, 0), (False, 1)])
def test_ends_with_1_where_a_target_is_missed(run, monkeypatch, good, code):
    told = (("time#1",),) if good else (("url#1",),)
    made = injection_result(*(single(str(n), case=injected_case(told=told)) for n in range(5)))
    given = in_place_of(monkeypatch, "validate", made)
    ended, printed, _ = run("-f", "camel,langgraph", "-f", "autogen")
    assert ended == code
    assert "Targets of intervention" in printed
    assert given["frameworks"] == ("camel", "langgraph", "autogen")
    assert given["name"] == "full"


def test_an_interrupted_experiment_says_how_to_resume(run, monkeypatch):
    in_place_of(monkeypatch, "validate", KeyboardInterrupt())
    assert run() == (130, "", "stopped; run the same command again to resume\n")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--csv"], "no such option: --csv; see `python -m benchmarks.attribution --help`"),
        (["-f", "nobody"], "no adapter 'nobody'"),
        (["--jobs", "0"], "invalid value for '--jobs'"),
        (["--quick", "-f", "camel"], "not installed: camel; run `"),
    ],
)
def test_bad_input_ends_with_one_line(run, arguments, line):
    code, printed, said = run(*arguments)
    assert (code, printed) == (2, "")
    assert line in said
    assert said.startswith("ossia: ") and said.count("\n") == 1
