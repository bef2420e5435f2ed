"""Which Ossia this is: its version and a hash of its code, read without loading the code."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

_PACKAGES = ("ossia", "ossia_servers", "ossia_dataset", "ossia_workflows", "ossia_evaluation")
_CODE = frozenset({".py", ".md", ".toml", ".json"})


@cache
def code_version() -> str:
    """Return Ossia's version with a hash of its installed code, as it was at the first call."""
    return f"{version('ossia')}+{_hash(*map(_folder, _PACKAGES))}"


def version_with(distribution: str, module: str) -> str:
    """Return a distribution's version with a hash of the code of one of its modules.

    Args:
        distribution: its name and version.
        module: the module; of one in a package the whole package counts.

    Raises:
        ImportError: the module is not there.
    """
    top = module.partition(".")[0]
    spec = find_spec(top)
    if spec is not None and not spec.submodule_search_locations and spec.origin:
        return f"{distribution}+{hashlib.sha256(Path(spec.origin).read_bytes()).hexdigest()[:10]}"
    return f"{distribution}+{_hash(_folder(top))}"


def _hash(*folders: Path) -> str:
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix in _CODE and "__pycache__" not in path.parts:
                digest.update(str(path.relative_to(folder)).encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:10]


def _folder(package: str) -> Path:
    """Return a package's folder without importing it; imports are most of a command's start."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"no package {package}", name=package)
    return Path(spec.submodule_search_locations[0])
