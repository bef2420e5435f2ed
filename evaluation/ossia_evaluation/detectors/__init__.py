"""Detectors that need no model: ways in which teams fail, by the names of MAST.

The modes are those of MAST (arXiv 2503.13657) in the numbering of its third version. A detection
says what happened, not what caused the failure: an episode that succeeds may show some.
"""

from ossia_evaluation.detectors.detect import DETECTORS, detect
from ossia_evaluation.detectors.found import Detection
from ossia_evaluation.detectors.modes import MODES, Coverage, Mode
from ossia_evaluation.detectors.table import ModeRow, ModeTable, mode_table

__all__ = [
    "DETECTORS",
    "MODES",
    "Coverage",
    "Detection",
    "Mode",
    "ModeRow",
    "ModeTable",
    "detect",
    "mode_table",
]
