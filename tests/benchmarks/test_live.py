"""What the live test takes for wrong, and its table."""

import sys

import pytest

from benchmarks.live import main, problems, table, talk_problems, talk_text


def line(framework="control", **changed):
    return {
        "framework": framework,
        "version": f"{framework} 1.0",
        "episodes": 2,
        "invalid": 0,
        "success": {"count": 1},
        "refused": 0,
        "calls": 3.5,
        "tokens": 1234.0,
        "tokens_estimated": False,
        **changed,
    }


def result(*lines, **invalid):
    return {"frameworks": list(lines), "invalid": invalid}


def test_valid_verdicts_with_reported_tokens_are_right():
    assert problems(result(line(), line("camel")), ["control", "camel"]) == []


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({"episodes": 1}, "control: 1 episodes, not 2"),
        ({"calls": None}, "control: the model was never asked"),
        ({"tokens": 0.0}, "control: tokens that the endpoint did not report"),
        ({"tokens_estimated": True}, "control: tokens that the endpoint did not report"),
    ],
)
def test_what_is_wrong_is_named(changed, found):
    assert problems(result(line(**changed)), ["control"]) == [found]


def test_an_invalid_episode_and_an_absent_adapter_are_wrong():
    found = problems(result(line(), a="the model failed"), ["control", "camel"])
    assert found == ["camel: it did not play", "a: invalid: the model failed"]


def test_the_table_has_a_line_for_each_framework():
    rows = table(result(line(), line("camel", calls=None, tokens=None))).splitlines()
    assert rows[2] == "| control | control 1.0 | 2 | 0 | 1 | 0 | 3.5 | 1,234 |"
    assert rows[3].endswith("| 0.0 | 0 |")
    assert len({row.count("|") for row in rows}) == 1


USELESS = "the episode broke off: 3 times nothing that could be used; Your last try was empty."


def talk(*, calls=7, tokens=900, marks=(None, 3), spent=400, invalid=0, **why):
    found = {**result(line(invalid=invalid), **why), "finished": 2}
    found["user"] = {"calls": calls, "tokens": tokens} if calls else None
    given = {str(number): mark for number, mark in enumerate(marks)}
    return found, {"marks": given, "spent": {"tokens": spent}} if marks else {}


def test_a_user_and_a_judge_that_were_asked_are_right():
    assert talk_problems(*talk()) == []
    assert talk_problems(*talk(invalid=1, marks=(7,), a=USELESS)) == []
    assert talk_problems(*talk(invalid=2, marks=(), a=USELESS, b=USELESS)) == []
    assert "asked 7 times (900 tokens), and 2 came" in talk_text(*talk())
    assert talk_text(*talk()).endswith("as their judge it gave 1 mark.")


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({"calls": 0}, "user: the model was never asked, or the endpoint reported no tokens"),
        ({"tokens": 0}, "user: the model was never asked, or the endpoint reported no tokens"),
        ({"spent": 0}, "judge: tokens that the endpoint did not report"),
        ({"marks": (4,)}, "judge: 1 replies for 2 valid sessions"),
        ({"invalid": 1, "marks": (4,), "a": "HTTP 500"}, "a: invalid: HTTP 500"),
    ],
)
def test_what_is_wrong_with_a_user_or_a_judge_is_named(changed, found):
    assert talk_problems(*talk(**changed)) == [found]


def test_an_environment_without_the_server_is_told():
    with pytest.raises(SystemExit, match="the server did not start; run"):
        main(["--server", sys.executable])


def test_a_document_without_a_place_is_refused_before_anything_is_played(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("<!-- live: begin -->", "utf-8")
    for path in (page, tmp_path / "none.md"):
        assert main(["--server", sys.executable, "--write", str(path)]) == 2
        assert str(path) in capsys.readouterr().err
