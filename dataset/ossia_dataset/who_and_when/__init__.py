"""The published failure logs Who&When (arXiv 2505.00212): their shape, reading and writing."""

from ossia_dataset.who_and_when.logs import (
    LOG_VERSION,
    Collection,
    Log,
    Message,
    Origin,
    agent_of,
    is_environment,
)
from ossia_dataset.who_and_when.reader import (
    Import,
    Note,
    WhoAndWhenError,
    read_log,
    read_who_and_when,
)
from ossia_dataset.who_and_when.writer import dump_log, write_lines, write_log

__all__ = [
    "LOG_VERSION",
    "Collection",
    "Import",
    "Log",
    "Message",
    "Note",
    "Origin",
    "WhoAndWhenError",
    "agent_of",
    "dump_log",
    "is_environment",
    "read_log",
    "read_who_and_when",
    "write_lines",
    "write_log",
]
