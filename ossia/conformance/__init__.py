"""Does an adapter keep its word? Checks against the real framework, gateway and servers."""

from ossia.conformance.checks import CHECKS, Check, Finding, chosen_checks
from ossia.conformance.report import CheckResult, ConformanceReport
from ossia.conformance.run import check_adapter, run_checks, weak_table
from ossia.conformance.stage import Played, Stage, open_stage

__all__ = [
    "CHECKS",
    "Check",
    "CheckResult",
    "ConformanceReport",
    "Finding",
    "Played",
    "Stage",
    "check_adapter",
    "chosen_checks",
    "open_stage",
    "run_checks",
    "weak_table",
]
