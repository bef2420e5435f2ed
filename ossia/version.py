"""Which Ossia this is: its version and a hash of its code, read without loading the code."""

from __future__ import annotations

import hashlib
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

_PACKAGES = ("ossia", "ossia_servers", "ossia_dataset", "ossia_workflows", "ossia_evaluation")
_CODE = frozenset({".py", ".md", ".toml", ".json"})


def code_version() -> str:
    """Return Ossia's version with a hash of its installed code."""
    digest = hashlib.sha256()
    for folder in map(_folder, _PACKAGES):
        for path in sorted(folder.rglob("*")):
            if path.suffix in _CODE and "__pycache__" not in path.parts:
                digest.update(str(path.relative_to(folder)).encode())
                digest.update(path.read_bytes())
    return f"{version('ossia')}+{digest.hexdigest()[:10]}"


def _folder(package: str) -> Path:
    """Return a package's folder without importing it; imports are most of a command's start."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"no package {package}", name=package)
    return Path(spec.submodule_search_locations[0])
