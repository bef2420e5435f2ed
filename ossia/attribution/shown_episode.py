"""What `ossia show` tells of an episode's stored attribution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ossia.attribution.fault_table import fault_text
from ossia.attribution.store import AttributionStore, digest_of
from ossia.errors import UserError
from ossia.storage.place import Place, place_of
from ossia.suites import find_suite
from ossia_dataset.tasks import Task
from ossia_evaluation.attribution import Attribution, Status
from ossia_evaluation.attribution.shared import culprits, told
from ossia_evaluation.grade import FRAMEWORK, SERVICE, Fault
from ossia_servers.trace import Trace

_AGAIN = "run `ossia blame` on it again"


def stored_lines(
    source: Place | Path, task: Task, trace: Trace, faults: Sequence[Fault]
) -> list[str]:
    """Return what is stored of an episode's attribution, as lines; nothing where none is.

    Args:
        source: the run.
        task: the episode's task.
        trace: the episode.
        faults: what the rules say of it.
    """
    place = place_of(source)
    if not place.has_attributions():
        return []
    episode, digest = trace.episode.id, digest_of(task, trace)
    try:
        with AttributionStore(place, write=False) as kept:
            found, digests = kept.find(episode, digest), kept.digests(episode)
    except UserError as error:
        return [f"attribution: cannot be read: {error}"]
    if found is not None:
        return attribution_lines(found, faults, find_suite(task.suite).role_titles)
    if digest in digests:
        return [f"attribution: 1 attribution could not be read: {episode}; {_AGAIN}"]
    if digests:
        return [f"attribution: the stored one is of another version of its trace or task; {_AGAIN}"]
    return []


def attribution_lines(
    found: Attribution, faults: Sequence[Fault], titles: Mapping[str, str]
) -> list[str]:
    """Return an attribution as lines: status, evidence, culprits with the counterfactual.

    The last line says whether the rules name the same roles.

    Args:
        found: the attribution.
        faults: what the rules say of the episode.
        titles: what the rules call roles, where it is not their own name.
    """
    lines = [f"attribution: {found.status.value} ({found.replays} replays)", f"  {told(found)}"]
    shown = {step.situation: step for step in found.steps}
    for cause in culprits(found):
        step = shown.get(cause.situation)
        number = f"step {cause.step + 1} " if cause.step >= 0 else ""
        meant = cause.meant if step is None else step.counterfactual or cause.meant
        lines += [
            f"  culprit: {number}{cause.situation} (responsibility {cause.responsibility:.2f})",
            f"    said:     {cause.said if step is None else step.said}",
            f"    repaired: {meant}",
        ]
        if cause.sign or cause.differs:
            lines.append(f"    {fault_text(cause)}")
    lines += [f"  or: {' + '.join(family)}" for family in found.families[1:]]
    return [*lines, f"  {compared(found, faults, titles)}"]


def compared(found: Attribution, faults: Sequence[Fault], titles: Mapping[str, str]) -> str:
    """Say whether an attribution and the rules name the same roles.

    Args:
        found: the attribution.
        faults: what the rules say.
        titles: what they call roles, where it is not their own name.
    """
    ours = list(dict.fromkeys(titles.get(role, role) for role in found.roles))
    if found.status is Status.FRAMEWORK:
        ours = ours or [FRAMEWORK]
    if found.status is Status.SERVICE:
        ours = [SERVICE]
    theirs = list(dict.fromkeys(fault.role for fault in faults))
    if set(ours) == set(theirs):
        return f"the rules name the same: {_names(theirs)}"
    return f"the rules differ: they name {_names(theirs)}, the attribution names {_names(ours)}"


def _names(roles: Sequence[str]) -> str:
    return ", ".join(roles) or "nobody"
