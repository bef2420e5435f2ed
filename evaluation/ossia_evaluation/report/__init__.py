"""Reports of a comparison for people and for programs."""

from ossia_evaluation.report.blame import Blame
from ossia_evaluation.report.detail import EpisodeDetail, episode_detail
from ossia_evaluation.report.page import report_html
from ossia_evaluation.report.stress_table import stress_csv, stress_pairs_csv
from ossia_evaluation.report.table import (
    TAKEN_COLUMNS,
    by_group_csv,
    by_role_csv,
    comparison_csv,
    episodes_csv,
    pairs_csv,
)

__all__ = [
    "TAKEN_COLUMNS",
    "Blame",
    "EpisodeDetail",
    "by_group_csv",
    "by_role_csv",
    "comparison_csv",
    "episode_detail",
    "episodes_csv",
    "pairs_csv",
    "report_html",
    "stress_csv",
    "stress_pairs_csv",
]
