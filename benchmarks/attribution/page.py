"""The result of `python -m benchmarks.attribution` as a page in Markdown.

python -m benchmarks.attribution.page FOLDER/result.json > page.md
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from pydantic import ValidationError

from benchmarks.attribution.figures import CELLS, HARMLESS, INTERVENTION, Validation
from benchmarks.attribution.metrics import MethodScore
from benchmarks.attribution.tables import number_text, share_text
from benchmarks.attribution.targets import checked

__all__ = ["main", "page"]

_STRUCTURES = ("independent", "masking", "joint")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the page of one result.

    Args:
        arguments: The command line without the program's name; the process's own by default.

    Returns:
        The exit code: 0, or 2 where the file is no result.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks.attribution.page")
    parser.add_argument("file", type=Path, help="result.json below `validation/` in Ossia's home")
    file: Path = parser.parse_args(arguments).file
    try:
        result = Validation.model_validate_json(file.read_bytes())
    except (OSError, ValidationError) as error:
        reason = str(error).splitlines()[0]
        print(f"{file} holds no result of a validation: {reason}", file=sys.stderr)
        return 2
    print(page(result))
    return 0


def page(result: Validation) -> str:
    """Return every figure of a result, as sections of Markdown without a title.

    Args:
        result: A finished protocol.
    """
    sections = {
        "Targets": _targets(result),
        "The attributor": _attributor(result),
        "Other methods on the same cases": _methods(result),
        "Controls": _controls(result),
        "Leakage": _leakage(result),
        "Not kept": _not_kept(result),
        "Missed": _missed(result),
    }
    return "\n\n".join(f"## {title}\n\n{text}" for title, text in sections.items())


def _targets(result: Validation) -> str:
    rows = [
        (
            row.name,
            number_text(row.value),
            "-" if row.low is None or row.high is None else f"{row.low:.1f} to {row.high:.1f}",
            row.target,
            row.result,
        )
        for row in checked(result)
    ]
    missing = [f"* missing: {m.kind}, {m.made} of {m.wanted}" for m in result.missing]
    if result.pairs_without_cases:
        pairs = ", ".join(result.pairs_without_cases)
        missing.append(f"* no case in which both faults do harm: {pairs}")
    table = _table(("", "figure", "interval", "target", ""), rows)
    return "\n\n".join([table, *(["\n".join(missing)] if missing else [])])


def _attributor(result: Validation) -> str:
    told = [score for score in result.scores if score.method == INTERVENTION]
    rows = [_score(score.cell, score) for score in told]
    rows.append(_score(f"**{HARMLESS}**", result.harmless))
    rows += [_score(f"double: {name}", score) for name, score in result.by_structure.items()]
    rows += [_score(f"{name}, all", score) for name, score in result.by_framework.items()]
    head = ("cases", "n", "agent", "step", "step ±1", "F1 of roles", "families exact", "says")
    pairs = [
        (roles, *(str(found.get(each, 0)) for each in _STRUCTURES))
        for roles, found in result.pairs_of_roles.items()
    ]
    faults = [(f, str(s.of), share_text(s)) for f, s in sorted(result.by_fault.items())]
    replays = [
        (each.cell, number_text(each.mean), number_text(each.p95)) for each in result.replays
    ]
    kept = result.calibration
    return "\n\n".join(
        [
            _table(head, rows),
            "Double cases by pair of roles:",
            _table(("roles", *_STRUCTURES), pairs),
            "Single faults by type, step told first:",
            _table(("fault", "n", "step"), faults),
            f"Calibration of responsibility: Brier score {number_text(kept.brier, 4)}, expected"
            f" calibration error {number_text(kept.ece, 4)}.",
            _table(("replays", "mean", "95th percentile"), replays),
        ]
    )


def _methods(result: Validation) -> str:
    cells = [cell for cell in CELLS if any(score.cell == cell for score in result.scores)]
    scores = {(score.method, score.cell): score for score in result.scores}
    pairs = {(pair.second, pair.cell): pair for pair in result.against}
    methods = tuple(dict.fromkeys(score.method for score in result.scores))

    def first(method: str, cell: str) -> str:
        score, pair = scores.get((method, cell)), pairs.get((method, cell))
        told = "-" if score is None else _percent(score.agent_top1.value)
        if pair is None:
            return told
        return f"{told} ({pair.only_first}:{pair.only_second}, p {pair.p:.1g})"

    def f1(method: str, cell: str) -> str:
        score = scores.get((method, cell))
        return "-" if score is None else _percent(score.f1)

    return "\n\n".join(
        [
            "Role named first, percent; in brackets the cases in which only intervention is right,"
            " and only the other method, with the p-value of the exact McNemar test.",
            _table(("method", *cells), [(m, *(first(m, c) for c in cells)) for m in methods]),
            "F1 of the set of roles:",
            _table(("method", *cells), [(m, *(f1(m, c) for c in cells)) for m in methods]),
        ]
    )


def _controls(result: Validation) -> str:
    rows = [
        (
            each.cell,
            str(each.false_blame.of),
            share_text(each.false_blame),
            str(each.nothing_to_blame),
            str(each.invalid),
            _counts(each.statuses),
        )
        for each in result.controls
    ]
    return _table(("", "counted", "blamed", "nothing to blame", "invalid", "statuses"), rows)


def _leakage(result: Validation) -> str:
    rows = [
        (
            leak.against,
            f"{number_text(leak.auc, 2)} [{number_text(leak.low, 2)}, {number_text(leak.high, 2)}]",
            str(leak.injected),
            str(leak.natural),
            str(leak.pairs),
        )
        for leak in result.leakage
    ]
    return _table(("injected single faults against", "AUC", "injected", "natural", "pairs"), rows)


def _not_kept(result: Validation) -> str:
    rows = [(cell, _counts(reasons)) for cell, reasons in result.discarded.items()]
    return _table(("", "reasons"), rows)


def _missed(result: Validation) -> str:
    cases = sum(score.cases for score in result.by_framework.values())
    causes = Counter(miss.cause for miss in result.missed)
    rows = [
        (
            f"{miss.framework} {miss.task}",
            miss.cell,
            ", ".join(miss.faults),
            _families(miss.known),
            f"{_families(miss.told)}" + ("" if miss.told else f" ({miss.status})"),
        )
        for miss in result.missed
    ]
    return "\n\n".join(
        [
            f"{len(result.missed)} of {cases} cases" + (", by cause:" if causes else "."),
            *(
                ["\n".join(f"* {cause}: {n}" for cause, n in causes.most_common())]
                if causes
                else []
            ),
            *([_table(("episode", "cell", "faults", "known", "told"), rows)] if rows else []),
        ]
    )


def _score(name: str, score: MethodScore) -> tuple[str, ...]:
    f1 = "-"
    if score.f1 is not None and score.f1_low is not None and score.f1_high is not None:
        f1 = f"{score.f1 * 100:.1f} [{score.f1_low * 100:.0f}, {score.f1_high * 100:.0f}]"
    shares = (score.agent_top1, score.step_exact, score.step_near)
    return (
        name,
        str(score.cases),
        *(share_text(each) for each in shares),
        f1,
        share_text(score.family_exact),
        share_text(score.coverage),
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _families(families: tuple[tuple[str, ...], ...]) -> str:
    return " or ".join(" + ".join(family) for family in families) or "nothing"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value * 100:.1f}"


if __name__ == "__main__":
    raise SystemExit(main())
