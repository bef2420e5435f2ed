"""The quick protocol of wild faults over the control: what holds whoever attributes.

`make validate` runs the full one, over all frameworks.
"""

import os

import pytest
import uvloop

from benchmarks.attribution.attempts import KEPT
from benchmarks.attribution.record_log import read_records
from benchmarks.attribution.wild.changes import FAMILIES, KINDS, family_of
from benchmarks.attribution.wild.figures import Told, WildValidation
from benchmarks.attribution.wild.gates import gates
from benchmarks.attribution.wild.records import CLEAN, QUICK, WildAttempt
from benchmarks.attribution.wild.validate import validate_wild
from ossia.tasks import find_tasks
from tests.adapters.support.environments import installed

SEED = int(os.environ.get("OSSIA_TEST_SEED", "0"))
CHOSEN = ("control",)


@pytest.fixture
def home(tmp_path):
    """A home of its own with the installed environments."""
    infos = [installed(name) for name in CHOSEN]
    (tmp_path / "envs").symlink_to(infos[0].home / "envs")
    return tmp_path


def quick(home):
    """Play the quick protocol; returns its result and all progress that was told."""
    told = []
    protocol = validate_wild(
        home,
        find_tasks("test", "assistant"),
        name="quick",
        size=QUICK,
        frameworks=CHOSEN,
        seed=SEED,
        jobs=2,
        watch=told.append,
    )
    return uvloop.run(protocol), told


@pytest.mark.timeout(300)
def test_the_quick_protocol_makes_cases_and_tells_its_figures(home):
    result, told = quick(home)
    assert set(told[-1]) == set(CHOSEN)
    (folder,) = home.glob(f"validation/wild-quick-{SEED}-*")
    stored = WildValidation.model_validate_json((folder / "result.json").read_text("utf-8"))
    assert stored == result
    attempts = [a for n in CHOSEN for a in read_records(folder / f"{n}.jsonl", WildAttempt)]
    kept = [a for a in attempts if a.outcome == KEPT and a.cell != CLEAN]

    assert len(kept) == result.overall.cases >= 20
    assert result.tried == sum(attempt.cell != CLEAN for attempt in attempts)
    assert list(result.versions) == list(CHOSEN)
    assert {each.name for each in result.by_framework} == set(CHOSEN)
    assert len(result.by_family) >= len(FAMILIES) - 2
    assert len(result.by_role) >= 4
    for attempt in kept:
        steps = {change.situation for change in attempt.changes}
        assert attempt.case.known
        assert {step for family in attempt.case.known for step in family} <= steps
        if len(attempt.changes) == 1:
            assert attempt.case.known == ((attempt.changes[0].situation,),)

    overall = result.overall
    assert sum(overall.told_as.values()) == overall.cases
    assert overall.told_as.get(Told.EXACT.value, 0) == overall.exact.count
    assert overall.cases - overall.exact.count == len(result.missed)
    assert sum(each.cases for each in result.by_cell) == overall.cases
    single = sum(len(attempt.changes) == 1 for attempt in kept)
    for rows in (result.by_family, result.by_kind, result.by_role):
        assert sum(row.cases for row in rows) == single
    with_cases = {row.name for row in result.by_kind}
    assert with_cases.isdisjoint(result.kinds_without_cases)
    assert with_cases | set(result.kinds_without_cases) == set(KINDS)
    assert {family_of(name) for name in with_cases} == {row.name for row in result.by_family}

    assert overall.model_calls == 0
    assert overall.replays_mean.value >= 1
    assert {row.name: row.result for row in gates(result)}["model calls"] == "met"
    assert all(row.value is not None for row in gates(result))
