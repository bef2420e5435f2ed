"""What adapters declare of the defaults that they change, and how it is measured."""

import ast
from pathlib import Path

import pytest

from benchmarks.defaults import Figures, brought_back, moved
from benchmarks.signatures import passed
from ossia.adapters import find_adapters
from ossia.adapters.told import Default, Edit

INFOS = find_adapters(Path("nowhere"))


@pytest.mark.parametrize("info", INFOS, ids=lambda info: info.name)
def test_every_default_can_be_brought_back(info, tmp_path):
    for number, default in enumerate(info.defaults):
        folder = tmp_path / str(number)
        played = brought_back(info, default, folder)
        assert played.switches["PYTHONPATH"] == str(folder)
        for path in folder.rglob("*.py"):
            ast.parse(path.read_text("utf-8"))
        changed = [path for path in folder.rglob("*.py") if is_changed(info, folder, path)]
        assert bool(changed) is bool(default.edits)


def is_changed(info, folder, path):
    return path.read_text("utf-8") != (info.project / path.relative_to(folder)).read_text("utf-8")


def test_an_edit_that_fits_nowhere_is_told(tmp_path):
    edit = Edit(file="router.py", ours="no such words", theirs="")
    default = Default(what="a(b)", theirs="1", ours="2", why="x", edits=[edit])
    info = next(info for info in INFOS if info.name == "control")
    with pytest.raises(ValueError, match="control, a\\(b\\): 'no such words' is not once in"):
        brought_back(info, default, tmp_path)


@pytest.mark.parametrize(
    ("without", "text"),
    [
        (Figures(10, 1000, 50, 0), "nothing"),
        (Figures(10, 1000, 60, 0), "nothing"),
        (Figures(20, 800, 100, 0), "-50.0% calls, +25.0% tokens, -50% CPU"),
        (Figures(20, 800, 100, 3), "without it 3 more episodes fail"),
    ],
)
def test_the_size_of_a_change_is_what_it_moves(without, text):
    assert moved(without, Figures(10, 1000, 50, 0)) == text


def test_what_a_package_passes_for_a_default_is_found(tmp_path, monkeypatch):
    package = tmp_path / "changing_adapter"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "team.py").write_text(
        "import json\nfrom rich.console import Console\nfrom rich.text import Text\n"
        "def own(a=1): ...\n"
        "def play(): Console(width=3, **{}); Text('x'); own(a=2); json.dumps(1, indent=2)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert passed("changing_adapter") == ["Console(width)"]
