"""The quick injection protocol over the control, whose episodes are cheap.

`make validate` runs the full one, over all frameworks.
"""

import os
import socket

import pytest
import uvloop

from benchmarks.attribution.attempts import DOUBLE, QUICK, SINGLE, TRIPLE
from benchmarks.attribution.figures import ABSORBED, ALL_CONTROLS, INTERVENTION
from benchmarks.attribution.validate import validate
from ossia.tasks import find_tasks
from tests.adapters.support.environments import installed

CHOSEN = ("control",)
SEED = int(os.environ.get("OSSIA_TEST_SEED", "0"))


@pytest.fixture
def home(tmp_path):
    """A home of its own with the installed environments."""
    infos = [installed(name) for name in CHOSEN]
    (tmp_path / "envs").symlink_to(infos[0].home / "envs")
    return tmp_path


@pytest.fixture
def outside(monkeypatch):
    """A proxy that all calls to other machines, and so to models, would go to; it never answers."""
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        proxy.setblocking(False)
        address = f"http://127.0.0.1:{proxy.getsockname()[1]}"
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, address)
            monkeypatch.setenv(name.lower(), address)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
        monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")
        yield proxy


@pytest.mark.timeout(900)
def test_the_attributor_finds_injected_faults(home, outside):
    tasks = find_tasks("test", "assistant")
    told = []
    # Each of the episodes at once is a lane that makes a case beside a harmless fault.
    run = validate(
        home,
        tasks,
        name="quick",
        size=QUICK,
        frameworks=CHOSEN,
        seed=SEED,
        jobs=2,
        watch=told.append,
    )
    result = uvloop.run(run)
    with pytest.raises(BlockingIOError):
        outside.accept()

    scores = {s.cell: s for s in result.scores if s.method == INTERVENTION}
    assert scores[SINGLE].cases >= 6
    assert scores[DOUBLE].cases >= 2
    assert scores[TRIPLE].cases >= 1
    assert set(result.by_framework) == set(CHOSEN)
    assert all(score.cases >= 10 for score in result.by_framework.values())
    assert len(result.by_fault) >= 6

    assert scores[SINGLE].agent_top1.value >= 0.98, result.missed
    assert scores[SINGLE].step_exact.value >= 0.98, result.missed
    several = [scores[cell] for cell in (DOUBLE, ABSORBED, TRIPLE) if cell in scores]
    exact = sum(score.family_exact.count for score in several)
    cases = sum(score.cases for score in several)
    assert exact / cases >= 0.9, result.missed
    assert sum(score.f1 * score.cases for score in several) / cases >= 0.95, result.missed

    blame = {control.cell: control.false_blame for control in result.controls}
    assert len(blame) == 11
    assert blame[ALL_CONTROLS].of >= 4, result.controls
    assert blame[ALL_CONTROLS].count == 0, result.controls
    assert next(r for r in result.replays if r.cell == "all").mean <= 6
    assert any(each.injected and each.natural for each in result.leakage)
    assert set(told[-1]) == set(CHOSEN)
    assert list(home.glob(f"validation/quick-{SEED}-*/result.json"))
