"""What the office's suites tell of an episode beside its verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ossia_evaluation.metrics import Metric
from ossia_evaluation.worlds.metrics import ACTED, FACTS, REPLY, SIDE_EFFECTS, UNREAD

METRICS: Final[Sequence[Metric]] = (ACTED, FACTS, UNREAD, SIDE_EFFECTS, REPLY)
