"""Writing a tuned model, whole or not at all."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from ossia.errors import UserError
from ossia_servers.local import CARD_FILE, ModelCard, write_card


def require_free(folder: Path, *, force: bool) -> None:
    """Refuse to write over what a user may need.

    Args:
        folder: where a model is to be written.
        force: write over an earlier model.

    Raises:
        UserError: the folder above it is not there, or something is there already, and it is no
            model or may not be written over.
    """
    if not folder.absolute().parent.is_dir():
        raise UserError(f"there is no folder {folder.parent}")
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not (folder / CARD_FILE).is_file():
        raise UserError(f"{folder} is there already and holds no tuned model; choose another --out")
    if not force:
        raise UserError(f"{folder} holds a tuned model already; write over it with --force")


def write_model(folder: Path, card: ModelCard, save: Callable[[Path], None]) -> None:
    """Write a model beside its place and move it there when it is whole.

    Args:
        folder: its place; an earlier model there is replaced.
        card: what it is.
        save: writes the weights and the tokenizer into a folder.

    Raises:
        OSError: it cannot be written.
    """
    aside = folder.with_name(folder.name + ".part")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir()
    save(aside)
    write_card(aside, card)
    shutil.rmtree(folder, ignore_errors=True)
    aside.rename(folder)
