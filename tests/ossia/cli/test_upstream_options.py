"""Options that only upstream models heed, where a run asks none."""

import pytest

from ossia.cli import main, run

GIVEN = {
    "--base-url": "http://127.0.0.1:9/v1",
    "--api-key-env": "HOME",
    "--model-param": "temperature=0",
    "--call-seconds": "5",
    "--max-cost": "1",
    "--rpm": "9",
    "--tpm": "9",
    "--cache": None,
}


@pytest.fixture
def asked(monkeypatch, tmp_path):
    """What `ossia compare` would run, as it is asked for; nothing is run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run, "_compare", lambda _, wanted, *rest, **more: found.append(wanted))
    found = []
    return found


@pytest.mark.parametrize("option", GIVEN)
def test_such_an_option_is_refused_without_an_upstream_model(asked, capsys, option):
    value = GIVEN[option]
    given = [option] if value is None else [option, value]
    for model in ([], ["--model", "intent=scripted:x,*=offline"]):
        with pytest.raises(SystemExit) as ended:
            main(["compare", *model, *given])
        said = capsys.readouterr().err
        assert (ended.value.code, said.count("\n")) == (2, 1)
        assert said.startswith(f"ossia: {option} has no effect here: only upstream models")
    with pytest.raises(SystemExit) as ended:
        main(["run", "control", "--model", "intent=tuned,*=offline", *given])
    assert ended.value.code == 0
    assert len(asked) == 1


def test_what_the_environment_or_the_file_sets_is_for_other_runs(asked, monkeypatch, tmp_path):
    (tmp_path / "ossia.toml").write_text("[compare]\nrpm = 9\ncache = true\n", "utf-8")
    monkeypatch.setenv("OSSIA_MAX_COST", "1")
    monkeypatch.setenv("OSSIA_BASE_URL", GIVEN["--base-url"])
    for model in ("offline", "openai/gpt-4o"):
        with pytest.raises(SystemExit) as ended:
            main(["compare", "--model", model])
        assert ended.value.code == 0
    offline, live = asked
    assert (offline.rpm, offline.max_cost, offline.base_url) == (None, None, None)
    assert offline.cache is False
    assert (live.rpm, live.cache, live.max_cost) == (9, True, 1.0)
