"""Faults as they are drawn and written down, and cases as they are kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from benchmarks.attribution.attempts import SINGLE, Attempt, Case, WrongStep
from benchmarks.attribution.baselines import told
from benchmarks.attribution.cases import Clean, Injected, Noisy, Structure
from benchmarks.attribution.injection import InjectedFault
from ossia_evaluation.attribution import Attribution, Recording
from ossia_evaluation.attribution.assemble import shown_text
from ossia_servers.assistant.offline.faults import FaultType

BENIGN = 0.3
"""Chance that a role with a known harmless fault gets it beside the faults of a case."""


def draw_faults(clean: Clean, roles: Sequence[str], draw: Random) -> tuple[InjectedFault, ...]:
    """Draw one fault for each of some roles that have a place in an episode."""
    faults = []
    for wanted in roles:
        role, at, kind = draw.choice(
            [each for each in clean.possible_faults() if each[0] == wanted]
        )
        faults.append(InjectedFault(role, kind, at, draw.randrange(1000)))
    return tuple(faults)


def faults_of(attempt: Attempt) -> tuple[InjectedFault, ...]:
    """Return the faults of an attempt, as its key tells them."""
    _, _, texts = attempt.key.split("|", 2)
    found = []
    for text in texts.split("+"):
        name, at, seed = text.split("@")
        kind = FaultType(name)
        found.append(InjectedFault(kind.role, kind, int(at), int(seed)))
    return tuple(found)


def first_fault(attempt: Attempt) -> InjectedFault:
    """Return the first fault of an attempt."""
    return faults_of(attempt)[0]


def faults_text(faults: Iterable[InjectedFault]) -> str:
    """Return faults as the key of an attempt tells them; `faults_of` reads it."""
    return "+".join(f"{fault.type.value}@{fault.at}@{fault.seed}" for fault in faults)


def harmless_faults(attempts: Iterable[Attempt]) -> dict[str, list[InjectedFault]]:
    """Return the faults that did no harm alone, by task."""
    found: dict[str, list[InjectedFault]] = {}
    for attempt in attempts:
        if attempt.cell == SINGLE and attempt.outcome == "harmless":
            found.setdefault(attempt.task, []).append(first_fault(attempt))
    return found


def drawn_beside(
    pool: Iterable[InjectedFault], busy: set[str], draw: Random
) -> tuple[InjectedFault, ...]:
    """Draw harmless faults to be put beside others; two at most.

    Args:
        pool: faults that did no harm alone.
        busy: roles that have a fault already.
        draw: decides on each role, and on its fault.
    """
    by_role: dict[str, list[InjectedFault]] = {}
    for fault in pool:
        if fault.role not in busy:
            by_role.setdefault(fault.role, []).append(fault)
    drawn = [draw.choice(by_role[role]) for role in sorted(by_role) if draw.random() < BENIGN]
    return tuple(drawn[:2])


def case_of(
    known: frozenset[frozenset[str]], found: Attribution, structure: Structure | None = None
) -> Case:
    """Return what is kept of an attributed episode.

    Args:
        known: its minimal families; none for a control.
        found: what the attributor says.
        structure: how two faults depend on each other.
    """
    return Case(
        known=tuple(sorted(tuple(sorted(family)) for family in known)),
        told=found.families,
        ranked=told(found).steps,
        deviations=tuple(deviation.situation for deviation in found.deviations),
        decisive=found.decisive,
        rules=found.rules,
        status=found.status,
        replays=found.replays,
        structure="" if structure is None else structure.value,
    )


def said_in(recording: Recording) -> tuple[tuple[str, str], ...]:
    """Return the moments of an episode in their order, with what was said."""
    return tuple((step.situation, shown_text(step)) for step in recording.steps)


def injected_steps(made: Injected) -> tuple[WrongStep, ...]:
    """Return the steps that faults were injected into."""
    said = dict(said_in(made.recording))
    return tuple(
        WrongStep(
            source="injected",
            role=fault.role,
            fault=fault.type.value,
            situation=situation,
            text=said.get(situation, ""),
        )
        for fault, situation in zip(made.faults, made.situations, strict=True)
    )


def noise_steps(noisy: Noisy | None) -> tuple[WrongStep, ...]:
    """Return the steps that noise got wrong; none of an episode without noise."""
    if noisy is None:
        return ()
    said = dict(said_in(noisy.recording))
    return tuple(
        WrongStep(
            source="noise",
            role=error.fault.role,
            fault=error.fault.type.value,
            situation=error.situation,
            text=said.get(error.situation, ""),
        )
        for error in noisy.errors
    )


def own_steps(recording: Recording) -> tuple[WrongStep, ...]:
    """Return the steps that the model got wrong by itself."""
    return tuple(
        WrongStep(
            source="model",
            role=step.role,
            fault="",
            situation=step.situation,
            text=shown_text(step),
        )
        for step in recording.deviations
    )
