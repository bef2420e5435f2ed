"""`ossia compare --with`: stored runs beside a run, on the same dataset or by force."""

import json

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
