"""From a search to the stored attribution of an episode."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ossia_dataset.tasks import Task
from ossia_evaluation.attribution.evidence import sentence
from ossia_evaluation.attribution.families import (
    Family,
    necessary,
    responsibility,
    sufficient,
)
from ossia_evaluation.attribution.findings import Finding, last_text
from ossia_evaluation.attribution.received import role_in
from ossia_evaluation.attribution.recording import RecordedStep, Recording
from ossia_evaluation.attribution.records import (
    Attribution,
    Cause,
    Deviation,
    NearMiss,
    StepShown,
)
from ossia_evaluation.attribution.search import Found, Status
from ossia_evaluation.attribution.signed import ENDPOINT, signed_steps
from ossia_evaluation.grade import Grade
from ossia_evaluation.model_signs import ModelSign
from ossia_evaluation.service_signs import ServiceSign
from ossia_evaluation.sign_differences import kind_of_difference
from ossia_evaluation.urls import called_urls
from ossia_evaluation.words import shortened
from ossia_servers.trace import Trace

_TEXT = 600


@dataclass(frozen=True)
class Material:
    """All that was learnt about one failed episode.

    Attributes:
        task: its task.
        trace: as it was recorded.
        score: its verdict.
        recording: its steps.
        counterfactuals: recordings of replays, by the repaired steps.
        cpu_s: CPU time of the replays whose worker told it.
        needed: the roles that the task needs.
        closer: how steps leave their contracts to the letter, by situation.
        ended: what ended the episode from outside, in a sentence; empty for any other end.
        success: what is so once the causes are repaired, as a clause.
    """

    task: Task
    trace: Trace
    score: Grade
    recording: Recording
    counterfactuals: Mapping[Family, Recording]
    cpu_s: float
    needed: Sequence[str]
    closer: Mapping[str, Finding] = field(default_factory=dict)
    ended: str = ""
    success: str = "the task succeeds"


def unsupported(task: Task, trace: Trace, score: Grade) -> Attribution:
    """Return the attribution of an episode whose task has no single oracle for each role."""
    status = Status.UNSUPPORTED
    return Attribution(
        **_identity(task, trace),
        status=status,
        reason=score.reason,
        evidence=sentence("", Found(status), ()),
        rules=tuple(dict.fromkeys(fault.role for fault in score.faults)),
        complete=False,
    )


def of_a_service(
    task: Task, trace: Trace, score: Grade, signs: Sequence[ServiceSign]
) -> Attribution:
    """Return the attribution of an episode in which a fault struck a service: to no role.

    Args:
        task: its task.
        trace: as it was recorded.
        score: its verdict.
        signs: what the trace shows of the fault by itself.
    """
    told = "; ".join(dict.fromkeys(fault.reason for fault in score.faults))
    steps = (f"`{each.kind}`{each.place}" for each in signs)
    seen = f"looks like {', '.join(dict.fromkeys(steps))}" if signs else "shows no sign of it"
    return Attribution(
        **_identity(task, trace),
        status=Status.SERVICE,
        reason=score.reason,
        evidence=f"A service is at fault, and no role: {told}. What tools were told {seen}.",
        rules=tuple(dict.fromkeys(fault.role for fault in score.faults)),
        service=tuple(dict.fromkeys(each.kind for each in signs)),
    )


def assemble(material: Material, found: Found, *, missed_recovery: str = "") -> Attribution:
    """Return the attribution that a search amounts to.

    Args:
        material: what was learnt about the episode.
        found: what the search found.
        missed_recovery: which role could have made good what another did, and passed it on, as a
            clause; empty for none.
    """
    task, recording = material.task, material.recording
    causes = _causes(material, found)
    first = found.families[0] if found.families else frozenset()
    told = [cause for cause in causes if cause.situation in first]
    assumed = tuple(dict.fromkeys(map(role_in, found.imputed.get(first, ()))))
    return Attribution(
        **_identity(task, material.trace),
        status=found.status,
        reason=material.score.reason,
        families=tuple(_ordered(family, recording) for family in found.families),
        causes=tuple(causes),
        decisive=found.decisive,
        deviations=_deviations(material, frozenset(cause.situation for cause in causes)),
        missed_recovery=bool(missed_recovery),
        recovery=missed_recovery,
        assumed=assumed,
        evidence=sentence(material.success, found, told, ended=material.ended, assumed=assumed),
        rules=tuple(dict.fromkeys(fault.role for fault in material.score.faults)),
        opportunities=_opportunities(material),
        steps=_shown(recording, material.counterfactuals.get(first) if first else None, first),
        complete=found.complete,
        replays=found.replays,
        cpu_s=round(material.cpu_s, 6),
    )


def near_miss(task: Task, trace: Trace, recording: Recording) -> NearMiss | None:
    """Return the deviations of a success, or None where every step kept its contract."""
    found = tuple(_deviation(step, recording) for step in recording.deviations)
    if not found:
        return None
    key = trace.episode
    return NearMiss(episode=key.id, task=task.id, framework=key.framework, deviations=found)


def shown_text(step: RecordedStep) -> str:
    """Return what a step said in short: its words, or the requests that it made."""
    text = last_text(step.messages)
    urls = called_urls(step.messages)
    if urls:
        text = f"{' '.join(urls)} -> {text}"
    return shortened(text, _TEXT)


def _identity(task: Task, trace: Trace) -> dict[str, Any]:
    key = trace.episode
    domain, intent, *_ = (*task.groups.values(), "", "")
    return {
        "episode": key.id,
        "task": task.id,
        "framework": key.framework,
        "domain": domain,
        "intent": intent,
    }


def _ordered(family: Family, recording: Recording) -> tuple[str, ...]:
    places = {step.situation: step.index for step in recording.steps}
    return tuple(sorted(family, key=lambda name: (places.get(name, len(places)), name)))


def _causes(material: Material, found: Found) -> list[Cause]:
    steps = material.recording.by_situation
    findings = {**material.closer, **material.recording.findings}
    for rerun in material.counterfactuals.values():
        findings = {**rerun.findings, **findings}
    shares = responsibility(found.families)
    signs = signed_steps(material.trace, material.recording)
    causes = []
    for situation in _ordered(frozenset(shares), material.recording):
        step = steps.get(situation)
        sign = signs.get(situation)
        lost = sign is not None and not sign.answered
        finding = findings.get(situation) or _unseen(situation, material, found)
        if sign is not None and lost:
            finding = _lost(sign, material.trace)
        conditional = any(found.imputed.get(f) for f in found.families if situation in f)
        causes.append(
            Cause(
                step=-1 if step is None else step.index,
                situation=situation,
                role=ENDPOINT if lost else role_in(situation),
                responsibility=shares[situation],
                necessary=not conditional and necessary(situation, found.families),
                sufficient=not conditional
                and found.complete
                and sufficient(situation, found.families),
                conditional=conditional,
                said=finding.said,
                meant=finding.meant,
                fault=finding.fault,
                remedy=finding.remedy,
                sign="" if sign is None else sign.kind,
                differs="" if sign is not None else _differs(situation, material, found),
            )
        )
    return causes


def _lost(sign: ModelSign, trace: Trace) -> Finding:
    """The finding of a call that got no answer: what its role would have said is no question."""
    error = trace.gateway.exchanges[sign.seq].error or "no answer"
    times = f", {sign.attempts} times" if sign.attempts > 1 else ""
    fault = f"gave no answer to *{sign.role}* ({error}{times})"
    return Finding(error, "an answer", fault, "with one as its contract demands")


def _differs(situation: str, material: Material, found: Found) -> str:
    """The kind of fault by which a step would differ so from its repair."""
    step = material.recording.by_situation.get(situation)
    family = next(f for f in found.families if situation in f)
    rerun = material.counterfactuals.get(family)
    other = None if rerun is None else rerun.by_situation.get(situation)
    if step is None or other is None:
        return ""
    earlier = [
        message
        for one in material.recording.steps
        if one.index < step.index
        for message in one.messages
    ]
    # A simulated user without a model has received nothing of the kind.
    calls = zip(step.messages, other.messages, step.received, strict=False)
    for place, (message, repaired, received) in enumerate(calls):
        if message != repaired:
            before = (*earlier, *step.messages[:place])
            return kind_of_difference(message, repaired, before, received.conversation)
    return ""


def _unseen(situation: str, material: Material, found: Found) -> Finding:
    """What a step said that no contract names and that does harm all the same."""
    step = material.recording.by_situation.get(situation)
    family = next(f for f in found.families if situation in f)
    rerun = material.counterfactuals.get(family)
    other = None if rerun is None else rerun.by_situation.get(situation)
    said, meant = _bytes_of(step), _bytes_of(other)
    if step is not None and other is not None and shown_text(step) != shown_text(other):
        said, meant = shown_text(step), shown_text(other)
    said, meant = shortened(said, _TEXT), shortened(meant, _TEXT)
    return Finding(said, meant, f"answered {said} where {meant} was right", f"with {meant}")


def _bytes_of(step: RecordedStep | None) -> str:
    if step is None:
        return "nothing"
    messages = [{k: v for k, v in m.items() if k != "role"} for m in step.messages]
    return json.dumps(messages, ensure_ascii=False, sort_keys=True)


def _deviations(material: Material, causes: frozenset[str]) -> tuple[Deviation, ...]:
    recording = material.recording
    found = []
    for step in recording.deviations:
        cause = step.situation in causes
        rerun = material.counterfactuals.get(frozenset({step.situation}))
        absorbed = None if cause or rerun is None else absorbed_by(step, recording, rerun)
        shown = _deviation(step, recording)
        found.append(shown.model_copy(update={"cause": cause, "absorbed_by": absorbed}))
    return tuple(found)


def _deviation(step: RecordedStep, recording: Recording) -> Deviation:
    return Deviation(
        step=step.index,
        situation=step.situation,
        role=step.role,
        fault=recording.findings[step.situation].fault,
    )


def absorbed_by(step: RecordedStep, recording: Recording, rerun: Recording) -> str | None:
    """Return the later step that took the harm out of a step, or None where none did.

    It is the first that got another input once the step was repaired, and yet said the same.
    """
    repaired = rerun.by_situation
    for later in recording.steps[step.index + 1 :]:
        other = repaired.get(later.situation)
        if other is None or later.role == "manager" or other.keys[:1] == later.keys[:1]:
            continue
        return later.situation if shown_text(other) == shown_text(later) else None
    return None


def _opportunities(material: Material) -> tuple[str, ...]:
    worked = {step.role for step in material.recording.steps}
    return tuple(sorted(worked | {*material.needed}))


def _shown(recording: Recording, rerun: Recording | None, family: Family) -> tuple[StepShown, ...]:
    others = {} if rerun is None else rerun.by_situation
    return tuple(
        StepShown(
            step=step.index,
            situation=step.situation,
            role=step.role,
            said=shown_text(step),
            counterfactual=shown_text(others[step.situation]) if step.situation in others else None,
            culprit=step.situation in family,
        )
        for step in recording.steps
    )
