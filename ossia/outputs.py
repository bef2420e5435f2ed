"""Files and folders that a user names to be written to: looked at before any work is done."""

from __future__ import annotations

from pathlib import Path

from ossia.errors import UserError
from ossia_dataset.files import write_whole
from ossia_dataset.marks import MarksError, replace_between_marks


def require_file(out: Path) -> None:
    """Refuse what no file can be written to.

    Raises:
        UserError: its folder is not there, or something else than a file is in its place.
    """
    if not out.parent.is_dir():
        raise UserError(f"there is no folder {out.parent}")
    if out.exists() and not out.is_file():
        raise UserError(f"{out} is not a file that can be written")


def require_new_file(out: Path, *, force: bool) -> None:
    """Refuse what no file can be written to, and what would replace a file unasked.

    Raises:
        UserError: as `require_file` does, or the file is there and `force` is not given.
    """
    require_file(out)
    if out.exists() and not force:
        raise UserError(f"{out} already exists; --force replaces it")


def require_folder(out: Path) -> None:
    """Refuse what can be no folder to write to.

    Raises:
        UserError: the folder above it is not there, or something else is in its place.
    """
    if not out.absolute().parent.is_dir():
        raise UserError(f"there is no folder {out.parent}")
    if out.exists() and not out.is_dir():
        raise UserError(f"{out} is not a folder")


def require_part(out: Path, begin: str, end: str) -> None:
    """Refuse a file that has no part between two marks.

    Raises:
        UserError: it is no text in UTF-8, or has not the marks.
    """
    _with_part(out, "", begin, end)


def write_part(out: Path, made: str, begin: str, end: str) -> None:
    """Replace the part of a file between two marks.

    Raises:
        UserError: as `require_part` does.
    """
    write_whole(out, _with_part(out, made, begin, end))


def _with_part(out: Path, made: str, begin: str, end: str) -> str:
    try:
        return replace_between_marks(out.read_text("utf-8"), made, begin=begin, end=end)
    except UnicodeDecodeError:
        raise UserError(f"{out}: the file is not in UTF-8") from None
    except MarksError as error:
        raise UserError(f"{out}: {error}") from None
