"""Families of repair sets: minimality, hitting sets, responsibility. Pure set arithmetic."""

from __future__ import annotations

from collections.abc import Collection, Iterable

Family = frozenset[str]
"""A set of steps, by situation, whose repair turns the failure into a success."""


def minimal(sets: Iterable[Family]) -> tuple[Family, ...]:
    """Return the inclusion-minimal sets, in their order, each once."""
    kept: list[Family] = []
    every = list(dict.fromkeys(sets))
    for candidate in every:
        if not any(other < candidate for other in every):
            kept.append(candidate)
    return tuple(kept)


def hitting_sets(families: Collection[Family]) -> tuple[Family, ...]:
    """Return the minimal sets that share a step with every family.

    Leaving out such a set leaves no known family whole, so it tells whether there are others
    (R. Reiter, "A theory of diagnosis from first principles", 1987).

    Args:
        families: known repair sets; without any, the empty set hits them all.
    """
    found: list[Family] = [frozenset()]
    for family in families:
        grown: list[Family] = []
        for hitting in found:
            if hitting & family:
                grown.append(hitting)
            else:
                grown += [hitting | {step} for step in sorted(family)]
        found = list(minimal(grown))
    return tuple(found)


def responsibility(families: Collection[Family]) -> dict[str, float]:
    """Return each cause's responsibility: one by the size of the smallest family it is in.

    Source: H. Chockler and J. Halpern, "Responsibility and blame" (2004).
    """
    found: dict[str, float] = {}
    for family in families:
        for step in family:
            found[step] = max(found.get(step, 0.0), 1.0 / len(family))
    return found


def necessary(step: str, families: Collection[Family]) -> bool:
    """PN: whether repairing this step alone turns the failure."""
    return frozenset({step}) in families


def sufficient(step: str, families: Collection[Family]) -> bool:
    """PS: whether the failure stays when everything but this step is repaired.

    Told from a complete list of families: every way to success repairs this step.
    """
    return bool(families) and all(step in family for family in families)
