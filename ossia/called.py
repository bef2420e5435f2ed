"""Commands as the user can run them as printed, on the path or in an environment of its own."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from functools import cache
from pathlib import Path
from typing import Final

_QUOTED: Final = re.compile(r"(?<!<!-- made by )`ossia(?= )")
"""A command in the words of an error or a help line; a file's marker stays as the file has it."""


@cache
def program() -> str:
    """Return what runs this Ossia from the present folder.

    Returns:
        `ossia` where the path leads to it, else the path of its script, such as
        `.venv/bin/ossia`, else this Python with the module.
    """
    script = Path(sys.executable).with_name("ossia")
    found = shutil.which("ossia")
    if found is not None and script.is_file() and Path(found).samefile(script):
        return "ossia"
    if script.is_file():
        return shlex.quote(_from_here(script))
    return f"{shlex.quote(_from_here(Path(sys.executable)))} -m ossia"


def command(*words: str) -> str:
    """Return a command of Ossia that runs as printed, such as `.venv/bin/ossia report`."""
    return " ".join((program(), *map(shlex.quote, words)))


def as_called(text: str) -> str:
    """Return a text with the commands that it quotes, such as `ossia report`, as they run here."""
    here = program()
    return _QUOTED.sub(lambda _: f"`{here}", text) if here != "ossia" else text


def _from_here(path: Path) -> str:
    """A path below the present folder without the folder; it may be a link to elsewhere."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
