"""What Ossia logs, on standard error: warnings, and more where `OSSIA_LOG` names a level."""

from __future__ import annotations

import logging

from ossia.errors import UserError
from ossia_evaluation.visible import visible


class _VisibleFormatter(logging.Formatter):
    """Writes out what would steer a terminal: an error may quote a model or a server."""

    def format(self, record: logging.LogRecord) -> str:
        return visible(super().format(record))


def log_visibly() -> None:
    """Write out what would steer a terminal in the warnings that Python prints by itself."""
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(_VisibleFormatter())


def log_from(level: str) -> None:
    """Print what Ossia logs from a level on, with traces.

    Raises:
        UserError: there is no such level.
    """
    if level.upper() not in logging.getLevelNamesMapping():
        raise UserError(f"OSSIA_LOG is not a level such as DEBUG: {level!r}")
    handler = logging.StreamHandler()
    handler.setFormatter(_VisibleFormatter(logging.BASIC_FORMAT))
    logging.basicConfig(handlers=[handler])
    logging.getLogger("ossia").setLevel(level.upper())
