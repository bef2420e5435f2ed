"""Writing a file whole or not at all."""

from __future__ import annotations

from pathlib import Path


def write_whole(path: Path, text: str) -> Path:
    """Write a text file; what is cut off leaves an earlier file as it was.

    A new file is for its owner alone, since reports and tapes hold prompts; an earlier one keeps
    who may read it.

    Returns:
        The file.

    Raises:
        OSError: it cannot be written.
    """
    aside = path.with_name(path.name + ".part")
    aside.touch(0o600)
    aside.chmod(path.stat().st_mode & 0o777 if path.is_file() else 0o600)
    try:
        aside.write_text(text, "utf-8")
    except OSError as error:
        aside.unlink()
        # A write tells no name, other than opening a file.
        raise OSError(error.errno, error.strerror, str(path)) from None
    return aside.replace(path)
