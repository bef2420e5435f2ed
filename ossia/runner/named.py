"""Names that users give their runs; a run's own id stays what its configuration makes it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from ossia.errors import UserError

_FILE: Final = "name"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def name_of(folder: Path) -> str | None:
    """Return the name that a run was given, or None."""
    try:
        text = (folder / _FILE).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return text if _NAME.fullmatch(text) else None


def require_name(name: str) -> None:
    """Refuse what is no name for a run.

    Raises:
        UserError: it is none.
    """
    if not _NAME.fullmatch(name):
        raise UserError(
            f"{name!r} is not a valid run name: use up to 64 letters, digits, '.', '_' and '-',"
            " starting with a letter or a digit"
        )


def taken(name: str, run: str) -> str:
    """Say why a name cannot be given: another run, of this id, has it for a name or an id."""
    if name == run:
        return f"'{name}' is the id of another run"
    return f"another run is called '{name}': {run}"


def give_name(folder: Path, name: str) -> None:
    """Name a run; its own id takes the name away.

    Raises:
        UserError: the name is no name, or another run's name or id.
    """
    if name == folder.name:
        (folder / _FILE).unlink(missing_ok=True)
        return
    require_name(name)
    for other in folder.parent.glob("*/run.sqlite"):
        if other.parent != folder and name in (other.parent.name, name_of(other.parent)):
            raise UserError(taken(name, other.parent.name))
    aside = folder / (_FILE + ".part")
    aside.write_text(name + "\n", "utf-8")
    aside.replace(folder / _FILE)
