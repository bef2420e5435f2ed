"""Attributions as JSON and CSV: everything that is known, for programs and spreadsheets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ossia.attribution.run import Result
from ossia_evaluation.attribution import Attribution, Verification, verification_lines
from ossia_evaluation.attribution.columns import FailureTable, RoleColumns
from ossia_evaluation.csv_text import csv_text
from ossia_evaluation.detectors import ModeTable
from ossia_evaluation.report.table import PARTS, share_cells, share_columns
from ossia_evaluation.stats import wilson

JSON_VERSION = 4

_SHARES = ("rules", "but_for", "causes", "given_opportunity")


def as_json(result: Result) -> dict[str, object]:
    """Return a run's attributions as one JSON object."""
    return {
        "version": JSON_VERSION,
        "failures": result.failures,
        "unreadable": list(result.unreadable),
        "damaged": list(result.damaged),
        "cpu_ratio": result.summary.cpu_ratio,
        "summary": result.summary.model_dump(mode="json"),
        "attributions": [item.model_dump(mode="json") for item in result.attributions],
        "near_misses": [item.model_dump(mode="json") for item in result.near_misses],
        "modes": result.modes.model_dump(mode="json"),
        "detections": {
            episode: [sign.model_dump(mode="json") for sign in signs]
            for episode, signs in result.detections.items()
        },
        "verifications": [verification_json(item) for item in result.verifications.values()],
    }


def verification_json(item: Verification) -> dict[str, object]:
    """Return a verification as a JSON object: as stored, with what it shows in numbers and words.

    Each arm has its successes, its samples and the 95 % Wilson interval of their quotient; so have
    the recurrences of the fault, of those asked anew.
    """
    arms = {arm.value: _counts(found) for arm, found in item.successes.items()}
    return {
        **item.model_dump(mode="json"),
        "conclusion": item.conclusion.value,
        "pairs": len(item.pairs),
        "arms": arms,
        "recurrence": _counts(item.recurrences),
        "words": list(verification_lines(item)),
    }


def _counts(samples: Sequence[bool]) -> dict[str, object]:
    low, high = wilson(sum(samples), len(samples))
    return {"count": sum(samples), "of": len(samples), "low": low, "high": high}


def attributions_csv(result: Result) -> str:
    """Return the attributions as CSV, one line for each cause; without one, for each episode."""
    header = (
        *("episode", "framework", "task", "domain", "intent", "status", "role", "step"),
        *("situation", "responsibility", "necessary", "sufficient", "families", "rules"),
        *("missed_recovery", "harmless", "absorbed_by", "replays", "complete", "modes"),
        *("verified", "repaired", "fault_held", "fault_recurred", "evidence"),
        *("sign", "differs"),
    )
    return csv_text(header, _attribution_lines(result))


def failures_csv(tables: Sequence[FailureTable]) -> str:
    """Return failures by group and role as CSV, one line for each role of each group."""
    header = (
        *("by", "group", "label", "failures", "role"),
        *("mass", "mass_low", "mass_high", "published_percent"),
        *share_columns(*_SHARES),
    )
    return csv_text(header, (_role_line(table, role) for table in tables for role in table.roles))


def modes_csv(table: ModeTable) -> str:
    """Return the failure modes as CSV, one line for each mode and framework."""
    header = ("mode", "name", "coverage", "framework", "label", *PARTS)
    lines = (
        (
            *(row.mode, row.name, row.coverage.value, name, table.name(name)),
            *share_cells(row.episodes.get(name)),
        )
        for row in table.rows
        for name in table.frameworks
    )
    return csv_text(header, lines)


def _attribution_lines(result: Result) -> Iterable[Sequence[object]]:
    for item in result.attributions:
        head = (item.episode, item.framework, item.task, item.domain, item.intent, item.status)
        families = " | ".join(" + ".join(family) for family in item.families)
        signs = result.detections.get(item.episode, ())
        modes = "+".join(dict.fromkeys(sign.mode for sign in signs))
        tail = (
            *(families, "+".join(item.rules), item.missed_recovery, *_harmless(item)),
            *(item.replays, item.complete, modes),
            *(*_verified(result.verifications.get(item.episode)), item.evidence),
        )
        if not item.causes:
            yield (*head, "", "", "", "", "", "", *tail, "+".join(item.service), "")
        for cause in item.causes:
            step = cause.step + 1 if cause.step >= 0 else ""
            own = (cause.role, step, cause.situation, f"{cause.responsibility:.4f}")
            kinds = cause.sign, cause.differs
            yield (*head, *own, cause.necessary, cause.sufficient, *tail, *kinds)


def _verified(item: Verification | None) -> tuple[str, ...]:
    """The conclusion, and the counts that it rests on; the last is the fault's recurrence."""
    if item is None:
        return ("",) * 4
    arms = (item.repaired, item.held, item.recurrences)
    counts = (f"{sum(found)} of {len(found)}" for found in arms)
    return (item.conclusion.value, *counts)


def _harmless(item: Attribution) -> tuple[str, str]:
    """The deviations that did no harm, and of these which step absorbed which."""
    found = [deviation for deviation in item.deviations if not deviation.cause]
    absorbed = (f"{one.situation} by {one.absorbed_by}" for one in found if one.absorbed_by)
    return " | ".join(one.situation for one in found), " | ".join(absorbed)


def _role_line(table: FailureTable, role: RoleColumns) -> Sequence[object]:
    published = "" if role.published is None else role.published
    shares = (role.rules, role.but_for, role.causes, role.given_opportunity)
    masses = (role.mass, role.mass_low, role.mass_high)
    mass = ("" if value is None else f"{value:.4f}" for value in masses)
    figures = [part for share in shares for part in share_cells(share)]
    return (
        *(table.by, table.group, table.name, table.failures, role.role, *mass, published),
        *figures,
    )
