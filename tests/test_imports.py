"""The one-way data flow, read from the code's own imports."""

import ast
import re
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from pkgutil import resolve_name

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = {
    "ossia": ROOT / "ossia",
    "ossia_servers": ROOT / "servers/ossia_servers",
    "ossia_dataset": ROOT / "dataset/ossia_dataset",
    "ossia_workflows": ROOT / "workflows/ossia_workflows",
    "ossia_evaluation": ROOT / "evaluation/ossia_evaluation",
    "ossia_adapter": ROOT / "adapters/sdk/ossia_adapter",
}
ALLOWED = {
    "ossia_dataset": set(),
    "ossia_workflows": set(),
    "ossia_servers": {"ossia_dataset", "ossia_workflows"},
    "ossia_evaluation": {"ossia_servers", "ossia_dataset", "ossia_workflows"},
    "ossia": {"ossia_evaluation", "ossia_servers", "ossia_dataset", "ossia_workflows"},
    "ossia_adapter": set(),
}
STANDARD_LIBRARY_AND = {"ossia_adapter": set()}


@cache
def nodes(path: Path) -> tuple[ast.stmt | ast.Constant, ...]:
    """All imports of a file, at any depth, and its constants; it is parsed once for all tests."""
    kinds = (ast.Import, ast.ImportFrom, ast.Constant)
    return tuple(node for node in ast.walk(parsed(path)) if isinstance(node, kinds))


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def imports(path: Path) -> Iterator[str]:
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""
        elif isinstance(node, ast.Constant) and (place := place_in(node.value)):
            yield place


def ours(name: str) -> str | None:
    top = name.split(".")[0]
    return top if top in PACKAGES or top.startswith("ossia_adapter_") else None


@pytest.mark.parametrize("package", PACKAGES)
def test_no_import_against_the_order(package):
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in PACKAGES[package].rglob("*.py")
        for name in imports(path)
        if (top := ours(name)) is not None and top not in {package, *ALLOWED[package]}
    ]
    assert wrong == []


def test_the_product_never_imports_the_benchmarks():
    files = [file for folder in PACKAGES.values() for file in folder.rglob("*.py")]
    adapters = [*(ROOT / "adapters").rglob("*.py")]
    assert files and adapters
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in (*files, *adapters)
        for name in names_a_module_of("benchmarks", path)
    ]
    assert wrong == []


SUITES = ("assistant", "workbench", "worfbench", "flowbench")


def suite_of(module: str) -> str | None:
    """The suite that a module is a part of: `ossia_servers.workbench.tool`, say."""
    parts = module.split(".")
    if parts[0] == "ossia":
        # These hold a room of each suite.
        parts = parts[1:] if parts[1:2] in (["suites"], ["cli"]) else parts
    return parts[1] if len(parts) > 1 and parts[1] in SUITES else None


def test_no_module_knows_a_suite_that_it_is_no_part_of():
    files = {
        module_name(path): path for folder in PACKAGES.values() for path in folder.rglob("*.py")
    }
    found = set()
    for module, path in files.items():
        for room in (*PACKAGES, "ossia.suites", "ossia.cli"):
            for suite in SUITES:
                inside = f"{room}.{suite}"
                if suite != suite_of(module) and any(names_a_module_of(inside, path)):
                    found.add((module, suite))
    assert found == set()


PLAYERS = ("ossia_servers.assistant.offline", "ossia_servers.flowbench.offline")
APART_FROM_THE_PLAYER = (
    PACKAGES["ossia_evaluation"],
    PACKAGES["ossia_servers"] / "wire",
)
"""What judges or replays episodes, and what it reads and forms them with."""


def names_a_module_of(package: str, path: Path) -> Iterator[str]:
    """The imports of a file, at any depth and for types too, that lead into a package."""
    yield from (name for name in names_imported(path) if f"{name}.".startswith(f"{package}."))


@cache
def names_imported(path: Path) -> tuple[str, ...]:
    """All that a file imports or names as a place, at any depth and for types too."""
    names: list[str] = []
    for node in nodes(path):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Constant) and (place := place_in(node.value)):
            names.append(place)
    return tuple(names)


def place_in(value: object) -> str | None:
    """The name behind a place such as `ossia_servers.worfbench:open_planner`."""
    named = isinstance(value, str) and re.fullmatch(r"ossia\w*(\.\w+)+:\w+", value)
    return value.replace(":", ".") if named else None


def test_every_place_that_a_suite_names_is_there():
    places = [
        node.value
        for path in (PACKAGES["ossia"] / "suites").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and place_in(node.value)
    ]
    assert places
    for place in places:
        assert resolve_name(place) is not None


@pytest.mark.parametrize("apart", APART_FROM_THE_PLAYER, ids=lambda path: path.stem)
def test_the_instrument_shares_no_code_with_the_player(apart):
    files = [apart] if apart.is_file() else [*apart.rglob("*.py")]
    assert files
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in files
        for player in PLAYERS
        for name in names_a_module_of(player, path)
    ]
    assert wrong == []


def test_nothing_that_the_instrument_loads_is_the_players():
    files = {
        module_name(path): path for folder in PACKAGES.values() for path in folder.rglob("*.py")
    }
    instrument = (
        "ossia_evaluation",
        "ossia_servers.wire",
        "ossia.attribution.attributor",
        "ossia.attribution.replayer",
        "ossia.attribution.run",
        "ossia.attribution.verify",
    )
    waiting = [name for name in files if name.startswith(instrument)]
    assert waiting
    loaded: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in loaded:
            continue
        loaded.add(name)
        # Whoever loads a module loads the packages around it.
        around = [name.rsplit(".", depth)[0] for depth in range(1, name.count(".") + 1)]
        named = (*eager_imports(files[name]), *around)
        waiting += [target for target in named if target in files]
    players = tuple(f"{player}." for player in PLAYERS)
    assert [name for name in sorted(loaded) if f"{name}.".startswith(players)] == []


def test_the_player_of_flowbench_knows_its_prompt_alone():
    files = [*(PACKAGES["ossia_servers"] / "flowbench/offline").glob("*.py")]
    assert files
    of_its_suite = {
        name.removeprefix("ossia_servers.flowbench.").split(".")[0]
        for path in files
        for name in names_imported(path)
        if name.startswith(("ossia_servers.flowbench.", "ossia_dataset."))
    }
    assert of_its_suite == {"offline", "parts", "reports"}


def test_adapters_import_only_the_sdk_of_ours():
    folders = [path for path in (ROOT / "adapters").iterdir() if path.name != "sdk"]
    assert folders
    for folder in folders:
        for path in folder.rglob("*.py"):
            used = {top for name in imports(path) if (top := ours(name)) is not None}
            own = f"ossia_adapter_{folder.name.replace('-', '_')}"
            assert used <= {"ossia_adapter", own}, path


def test_the_sdk_needs_the_standard_library_and_requests_only():
    import sys

    known = sys.stdlib_module_names | {"requests", "ossia_adapter"}
    used = {
        name.split(".")[0]
        for path in PACKAGES["ossia_adapter"].rglob("*.py")
        for name in imports(path)
    }
    assert used <= known


def module_name(path: Path) -> str:
    for package, folder in PACKAGES.items():
        if path.is_relative_to(folder):
            parts = [package, *path.relative_to(folder).with_suffix("").parts]
            return ".".join(part for part in parts if part != "__init__")
    raise AssertionError(path)


def eager_imports(path: Path) -> Iterator[str]:
    """Imports that run when the module is loaded, with names resolved to modules."""
    for node in parsed(path).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
            yield node.module


def all_imports(path: Path, files: Collection[str]) -> Iterator[str]:
    """The modules that a file imports anywhere: inside functions and for types, too."""
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in files)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield name if name in files else node.module


def test_no_module_imports_itself_in_a_circle():
    files = {
        module_name(path): path for folder in PACKAGES.values() for path in folder.rglob("*.py")
    }
    graph = {
        name: {target for target in all_imports(path, files) if target in files} - {name}
        for name, path in files.items()
    }
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join([*trail[trail.index(name) :], name])
        if name in done:
            return
        for target in sorted(graph[name]):
            visit(target, (*trail, name))
        done.add(name)

    for name in sorted(graph):
        visit(name, ())
    assert len(done) == len(files)
