"""Comparisons as earlier versions stored them.

In version 5 all suites had the same metrics; in version 6 seconds were called latency, however many
episodes were played at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ossia_dataset.world_tasks import SUCCESS
from ossia_evaluation.assistant.metrics import METRICS
from ossia_evaluation.workbench.metrics import METRICS as OFFICE_METRICS

_OFFICE: Final = "workbench"
"""Names of the office's suites begin so; all others were the assistant's."""

_SHARES: Final = ("acted", "slots_correct", "side_effects")
_OF_INTENTS: Final = {"frame_exact": "exact", "frame_unnamed": "unnamed"}
_RENAMED: Final = {
    "latency_s": "wall_s",
    "latency_p50_s": "wall_p50_s",
    "latency_p95_s": "wall_p95_s",
}
_GONE: Final = ("unread", "facts", "clarifications", "by_domain", *_SHARES)


def from_version_5(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stored comparison in the form of version 6.

    Args:
        data: the comparison, as it was stored.

    Raises:
        LookupError: something is missing.
        TypeError: something is of another kind.
        AttributeError: likewise.
    """
    metrics = OFFICE_METRICS if data["facts"].get("suite", "").startswith(_OFFICE) else METRICS
    shown = [metric.info for metric in metrics]
    names = {metric.name for metric in shown if metric.aggregate}
    accuracy = {(line["framework"], line["model"]): line for line in data.get("intents", ())}
    lines = [
        _line(line, accuracy.get((line["framework"], line["model"])), names)
        for line in data["frameworks"]
    ]
    kept = {name: value for name, value in data.items() if name not in ("intents", "domains")}
    return {
        **kept,
        "success": SUCCESS,
        "metrics": [metric.model_dump() for metric in shown],
        "group": "domain",
        "groups": data["domains"],
        "frameworks": lines,
    }


def _line(
    line: Mapping[str, Any], accuracy: Mapping[str, Any] | None, names: set[str]
) -> dict[str, Any]:
    valid, none = line["success"]["of"], {"count": 0, "of": 0, "low": 0.0, "high": 1.0, "tasks": 0}
    found: dict[str, Any] = {name: line[name] for name in _SHARES}
    found["unread"] = {"total": line["unread"], "of": valid}
    found["clarification"] = {"total": line["clarifications"], "of": valid}
    facts = line.get("facts")
    found["facts"] = {"mean": facts, "of": 0 if facts is None else None}
    by_group = {}
    for name, kind in _OF_INTENTS.items():
        found[name] = none if accuracy is None else accuracy[kind]
        by_group[name] = {} if accuracy is None else accuracy[f"{kind}_by_domain"]
    return {
        **{name: value for name, value in line.items() if name not in _GONE},
        "metrics": {name: value for name, value in found.items() if name in names},
        "by_group": line["by_domain"],
        "metrics_by_group": {name: by for name, by in by_group.items() if name in names},
    }


def from_version_6(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a comparison of version 6 in the present form, but for its version.

    Args:
        data: the comparison, as it was stored.

    Raises:
        LookupError: something is missing.
        TypeError: something is of another kind.
        AttributeError: likewise.
    """
    lines = [
        {**_named(line), "turns": [_named(turn) for turn in line.get("turns", ())]}
        for line in data["frameworks"]
    ]
    pairs = [{**pair, "costs": _named(pair.get("costs", {}))} for pair in data["pairs"]]
    return {**data, "frameworks": lines, "pairs": pairs}


def _named(values: Mapping[str, Any]) -> dict[str, Any]:
    return {_RENAMED.get(name, name): value for name, value in values.items()}
