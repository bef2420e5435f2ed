"""Verifications in the terminal: the estimate, what was spent, and what was shown."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from ossia.attribution.verify import Outcome
from ossia.attribution.verify_plan import Plan
from ossia_evaluation.attribution import (
    Spent,
    Verification,
    spent_text,
    verification_lines,
    verification_totals,
)


def plan_lines(plan: Plan) -> tuple[str, ...]:
    """Return what a verification is about to do, and about what that costs."""
    lines = [f"repairs to verify with the live model: {len(plan.items)}"]
    if plan.unheld:
        lines.append(
            f"left out: {plan.unheld}, since no repair set consists only of recorded steps"
        )
    if plan.items:
        lines.append(f"estimate, by the run's own account: {estimate_text(plan.least, plan.most)}")
        lines.append(f"no more than {plan.most_calls:,} model calls are made")
    return tuple(lines)


def estimate_text(least: Spent, most: Spent) -> str:
    """Return a range of calls, tokens (`~` where some are estimated) and money."""
    price = "unknown"
    if least.price_usd is not None and most.price_usd is not None:
        price = f"{least.price_usd:.4f} to {most.price_usd:.4f} USD"
    mark = "~" if most.estimated else ""
    return (
        f"{least.calls:,} to {most.calls:,} model calls,"
        f" {mark}{least.tokens:,} to {mark}{most.tokens:,} tokens, price {price}"
    )


def outcome_lines(outcome: Outcome) -> tuple[str, ...]:
    """Return what a session spent, and what is left to be done."""
    lines = [f"spent: {spent_text(outcome.spent)}"]
    if outcome.lost:
        lines.append(f"samples lost: {outcome.lost}, the last because {outcome.why}")
    if outcome.open:
        why = " (the allowed model calls were not enough)" if outcome.cut else ""
        lines.append(f"not finished: {outcome.open}{why}; run the same command again to resume")
    return tuple(lines)


def verification_text(items: Mapping[str, Verification]) -> RenderableType:
    """Return what the live model made of repair sets: how many are decided, and each."""
    parts: list[RenderableType] = [
        Text("\nVerified with the live model (shares with 95 % intervals)", style="bold"),
        Text(verification_totals(items.values())),
    ]
    for item in items.values():
        parts.append(Text(f"{item.episode}: {item.conclusion}"))
        lines = map(Text, verification_lines(item))
        parts += [Padding(line, (0, 0, 0, 2), expand=False) for line in lines]
    return Group(*parts)
