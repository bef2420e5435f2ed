"""Writing a file whole or not at all."""

from __future__ import annotations

from pathlib import Path


def write_whole(path: Path, text: str) -> Path:
    """Write a text file; what is cut off leaves an earlier file as it was.

    Returns:
        The file.

    Raises:
        OSError: it cannot be written.
    """
    aside = path.with_name(path.name + ".part")
    aside.write_text(text, "utf-8")
    return aside.replace(path)
