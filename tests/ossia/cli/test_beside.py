"""`ossia compare --with`: stored runs beside a run, on the same dataset or by force."""

import json

from ossia.runner.store import RunStore

SMALL = ("compare", "-f", "control", "--task", "general-001")


def test_a_stored_run_is_laid_beside_another(ossia):
    first = json.loads(ossia(*SMALL, "--json").stdout)
    done = ossia(*SMALL, "--max-calls", "50", "--with", first["run"], "--json")
    found = json.loads(done.stdout)
    mark = first["run"].rpartition("-")[2]
    assert [line["framework"] for line in found["frameworks"]] == ["control", f"control @{mark}"]
    assert [line["episodes"] for line in found["frameworks"]] == [1, 1]
    assert (found["planned"], found["finished"]) == (2, 2)
    assert found["facts"]["beside"] == first["run"]
    assert found["facts"]["dataset"].startswith("version ")
    (pair,) = found["pairs"]
    assert pair["both"] == 1

    itself = ossia(*SMALL, "--with", first["run"])
    assert itself.returncode == 2
    assert "cannot be compared with itself" in itself.stderr


def test_a_run_of_another_release_is_told(ossia, home):
    first = json.loads(ossia(*SMALL, "--json").stdout)["run"]
    with RunStore(home / "runs" / first, write=True) as store:
        (episode,) = store.episodes()
        made = store.config().ossia
        store.set_meta("config", store.meta("config").replace(made, "0.0.1+aaaa"))
        old = store.score(episode).model_copy(update={"version": 1})
        store.put_scores(iter([(episode, old, None)]))
    beside = (*SMALL, "--max-calls", "50", "--with", first)
    found = json.loads(ossia(*beside, "--json").stdout)
    told = found["facts"]["outdated"]
    assert f"was made with Ossia 0.0.1+aaaa, {found['run']} with {made}; " in told
    assert ": verdicts were given by the scorer's version 1, now " in told
    assert told in " ".join(ossia(*beside).stdout.split())


def test_other_datasets_are_refused_before_anything_runs_unless_forced(ossia, home):
    first = json.loads(ossia(*SMALL, "--json").stdout)["run"]
    other = ("compare", "-f", "control", "--tasks", "train", "--task", "train-general-001")
    refused = ossia(*other, "--with", first)
    assert refused.returncode == 2
    assert "were made with different datasets" in refused.stderr
    assert len(refused.stderr.strip().splitlines()) == 1
    assert [path.name for path in (home / "runs").iterdir()] == [first]
    forced = ossia(*other, "--with", first, "--force", "--json")
    assert json.loads(forced.stdout)["finished"] == 2
