"""The quick injection protocol, over the real frameworks."""

import pytest

from ossia import loop
from ossia.attribution.attempts import DOUBLE, QUICK, SINGLE, TRIPLE
from ossia.attribution.figures import INTERVENTION
from ossia.attribution.validate import FRAMEWORKS, validate
from ossia.tasks import find_tasks
from ossia_servers.faults import FaultType
from tests.adapters.support.environments import installed

SEED = 0
UNJUDGED = {FaultType.RESPONSE_WRONG_CONTENT}
"""What the response role says is no part of a verdict."""


@pytest.fixture
def home(tmp_path):
    """A home of its own with the installed environments."""
    infos = [installed(name) for name in FRAMEWORKS]
    (tmp_path / "envs").symlink_to(infos[0].home / "envs")
    return tmp_path


@pytest.mark.timeout(900)
def test_the_attributor_finds_planted_faults_in_every_framework(home):
    tasks = find_tasks("test", "assistant")
    told = []
    run = validate(home, tasks, name="quick", size=QUICK, seed=SEED, watch=told.append)
    result = loop.run(run)

    cases = {s.cell: s.cases for s in result.scores if s.method == INTERVENTION}
    assert cases[SINGLE] >= 60
    assert cases[DOUBLE] >= 20
    assert cases[TRIPLE] >= 4
    assert set(result.by_framework) == set(FRAMEWORKS)
    assert all(score.cases >= 20 for score in result.by_framework.values())
    assert len(result.by_fault) >= len(set(FaultType) - UNJUDGED) - 6

    single = next(s for s in result.scores if (s.cell, s.method) == (SINGLE, INTERVENTION))
    assert single.agent_top1.value >= 0.95, result.missed
    blame = {control.cell: control.false_blame for control in result.controls}
    assert len(blame) == 7
    assert blame["all controls"].of >= 40
    assert blame["all controls"].count == 0
    assert next(r for r in result.replays if r.cell == "all").mean <= 6
    assert any(each.planted and each.natural for each in result.leakage)
    assert set(told[-1]) == set(FRAMEWORKS)
    assert list(home.glob("validation/quick-0-*/result.json"))
