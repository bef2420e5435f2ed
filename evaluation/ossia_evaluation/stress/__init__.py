"""What faults do to a team: recovery, failure outcomes, and what recovering costs."""

from ossia_evaluation.stress.figures import Cell, FaultAbout, Stress, StressLine
from ossia_evaluation.stress.measure import measure
from ossia_evaluation.stress.played import Outcome, Played, played

__all__ = [
    "Cell",
    "FaultAbout",
    "Outcome",
    "Played",
    "Stress",
    "StressLine",
    "measure",
    "played",
]
