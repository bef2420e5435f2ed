"""Tasks from the published Auto-SLURP benchmark, read from a copy that the user brings."""

from ossia_dataset.assistant.auto_slurp.catalogue import CHANGING, DOMAIN_OF, PARAMETERS
from ossia_dataset.assistant.auto_slurp.importer import (
    AutoSlurpError,
    Import,
    Note,
    Rejected,
    read_auto_slurp,
)
from ossia_dataset.assistant.auto_slurp.labels import LabelError, Labels, parse_labels

__all__ = [
    "CHANGING",
    "DOMAIN_OF",
    "PARAMETERS",
    "AutoSlurpError",
    "Import",
    "LabelError",
    "Labels",
    "Note",
    "Rejected",
    "parse_labels",
    "read_auto_slurp",
]
