"""Defaults of options from a configuration file, as a user meets them."""

import json

import pytest


def test_a_configuration_file_sets_defaults(ossia, tmp_path):
    (tmp_path / "ossia.toml").write_text("[compare]\nlimit = 1\nframework = ['control']\n")
    done = ossia("compare", "--json")
    assert json.loads(done.stdout)["planned"] == 1
    (tmp_path / "ossia.toml").write_text("limit = 1\n")
    wrong = ossia("compare")
    assert wrong.returncode == 2
    assert "'limit' is not a table" in wrong.stderr


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("[compare]\nlimitt = 1\n", "'compare' has no option 'limitt'"),
        ("[compare]\nbeside = 'x'\n", "'compare' has no option 'beside'"),
        ("[compare]\nwith = 'no-such-run'\n", "has no runs yet"),
        ("[comparee]\nlimit = 1\n", "no command 'comparee'"),
        ("[adapter.instal]\nall = true\n", "'adapter' has no command 'instal'"),
        ("[adapter]\nlist = 1\n", "'list' in [adapter] is not a table"),
    ],
)
def test_what_a_configuration_file_misspells_is_said(ossia, tmp_path, content, sentence):
    (tmp_path / "ossia.toml").write_text(content)
    command = ("adapter", "list") if "adapter" in content else ("compare", "-f", "control")
    done = ossia(*command)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("limit = 'x'", "'--limit' (env var: 'OSSIA_LIMIT'): "),
        ("limit = true", "'--limit' (env var: 'OSSIA_LIMIT'): "),
        ("suite = 'chess'", "no suite is called 'chess'"),
        ("tasks = 'chess'", "no task set or file is called 'chess'"),
        ("max-seconds = inf", "--max-seconds is not a number of seconds"),
    ],
)
def test_a_wrong_value_of_a_configuration_file_is_told_with_file_and_key(
    ossia, tmp_path, line, said
):
    (tmp_path / "own.toml").write_text(f"[compare]\nrepeats = 1\n{line}\n")
    done = ossia("compare", "-f", "control", OSSIA_CONFIG="own.toml")
    assert done.returncode == 2
    assert said in done.stderr
    assert f"(own.toml sets {line.split()[0]} in [compare])" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    same = ossia("compare", "-f", "chess", *("--suite", "assistant", "--limit", "1"))
    assert "no adapter 'chess'" in same.stderr and "toml" not in same.stderr


@pytest.mark.parametrize("value", ["[1, 2]", "{a = 1}"])
def test_several_values_for_an_option_that_takes_one_are_refused(ossia, tmp_path, value):
    (tmp_path / "ossia.toml").write_text(f"[compare]\nlimit = {value}\n")
    done = ossia("compare", "-f", "control")
    assert done.returncode == 2
    assert "ossia.toml: 'limit' of 'compare' takes a single value, not " in done.stderr


def test_one_value_will_do_for_an_option_that_takes_several(ossia, tmp_path):
    (tmp_path / "ossia.toml").write_text("[compare]\nlimit = 1\nframework = 'control'\n")
    assert json.loads(ossia("compare", "--json").stdout)["planned"] == 1
