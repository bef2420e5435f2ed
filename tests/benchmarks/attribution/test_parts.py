"""What a protocol is divided into depends on all that may change a result."""

import shutil
from pathlib import Path

import pytest

import ossia_dataset
import ossia_workflows
from benchmarks import attribution
from benchmarks.attribution.attempts import FULL
from benchmarks.attribution.parts import program_digest
from ossia import runner


@pytest.mark.parametrize(
    ("package", "source"),
    [
        (ossia_dataset, "normalise/days.py"),
        (ossia_dataset, "normalise/gazetteer.txt"),
        (ossia_workflows, "__init__.py"),
        (runner, "pool.py"),
        (attribution, "record_log.py"),
    ],
)
def test_a_changed_program_makes_other_attempts(package, source, tmp_path, monkeypatch):
    before = program_digest(FULL, 0, (), {})
    copy = shutil.copytree(Path(package.__file__).parent, tmp_path / "copy")
    monkeypatch.setattr(package, "__file__", str(copy / "__init__.py"))
    assert program_digest(FULL, 0, (), {}) == before
    with (copy / source).open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert program_digest(FULL, 0, (), {}) != before
