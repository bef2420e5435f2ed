"""Reports of a comparison for people and for programs."""

from ossia_evaluation.report.blame import Blame
from ossia_evaluation.report.detail import EpisodeDetail, episode_detail
from ossia_evaluation.report.page import report_html
from ossia_evaluation.report.table import episodes_csv

__all__ = ["Blame", "EpisodeDetail", "episode_detail", "episodes_csv", "report_html"]
