"""Failure attribution by intervention: correct a step, run on, and see whether the failure goes.

Pure: nothing here runs an episode. Who can run one gives the search a `Replay`.
"""

from ossia_evaluation.attribution.assemble import (
    Material,
    assemble,
    near_miss,
    of_a_service,
    unsupported,
)
from ossia_evaluation.attribution.ending import End, end_of
from ossia_evaluation.attribution.families import (
    Family,
    hitting_sets,
    minimal,
    necessary,
    responsibility,
    sufficient,
)
from ossia_evaluation.attribution.findings import Finding
from ossia_evaluation.attribution.received import Received, TalkTurns, Turn, Turns, role_in
from ossia_evaluation.attribution.recording import RecordedStep, Recording
from ossia_evaluation.attribution.records import (
    ATTRIBUTION_VERSION,
    Attribution,
    Cause,
    Deviation,
    NearMiss,
    StepShown,
    repair_text,
)
from ossia_evaluation.attribution.repairs import EVERYTHING, How, Played, Repair
from ossia_evaluation.attribution.search import (
    BUDGET,
    MAX_SIZE,
    Found,
    Replay,
    Rerun,
    Status,
    search,
)
from ossia_evaluation.attribution.sequential import MOST_PAIRS, Conclusion, conclude, fewest_more
from ossia_evaluation.attribution.signed import ENDPOINT, signed_steps
from ossia_evaluation.attribution.verification import (
    Again,
    Arm,
    Spent,
    Verification,
    causes_beside,
    family_to_verify,
    spent_text,
    verification_lines,
    verification_totals,
)

__all__ = [
    "ATTRIBUTION_VERSION",
    "BUDGET",
    "ENDPOINT",
    "EVERYTHING",
    "MAX_SIZE",
    "MOST_PAIRS",
    "Again",
    "Arm",
    "Attribution",
    "Cause",
    "Conclusion",
    "Deviation",
    "End",
    "Family",
    "Finding",
    "Found",
    "How",
    "Material",
    "NearMiss",
    "Played",
    "Received",
    "RecordedStep",
    "Recording",
    "Repair",
    "Replay",
    "Rerun",
    "Spent",
    "Status",
    "StepShown",
    "TalkTurns",
    "Turn",
    "Turns",
    "Verification",
    "assemble",
    "causes_beside",
    "conclude",
    "end_of",
    "family_to_verify",
    "fewest_more",
    "hitting_sets",
    "minimal",
    "near_miss",
    "necessary",
    "of_a_service",
    "repair_text",
    "responsibility",
    "role_in",
    "search",
    "signed_steps",
    "spent_text",
    "sufficient",
    "unsupported",
    "verification_lines",
    "verification_totals",
]
