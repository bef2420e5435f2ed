"""What the report shows of a run's attributions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ossia_evaluation.attribution import Attribution, NearMiss, Verification
from ossia_evaluation.attribution.columns import AttributionSummary
from ossia_evaluation.detectors import Detection, ModeTable


@dataclass(frozen=True)
class Blame:
    """A run's attributions, ready to be shown.

    Attributes:
        failures: failed episodes, those included that are not attributed yet.
        summary: the attributions in numbers.
        modes: how often each failure mode shows, by framework.
        attributions: by episode.
        detections: the failure modes that show, by episode.
        verifications: repair sets tried with the live model, by episode.
        near_misses: successes in which some step left its contract.
        unreadable: failed episodes whose stored attribution cannot be read.
        published: where the figures of others are from; empty where there are none.
    """

    failures: int
    summary: AttributionSummary
    modes: ModeTable
    attributions: Mapping[str, Attribution]
    detections: Mapping[str, Sequence[Detection]] = field(default_factory=dict)
    verifications: Mapping[str, Verification] = field(default_factory=dict)
    near_misses: Sequence[NearMiss] = ()
    unreadable: Sequence[str] = ()
    published: str = ""
