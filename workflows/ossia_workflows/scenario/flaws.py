"""What keeps a scenario from being played as it stands, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import pairwise

from ossia_workflows.graph import END, Finding, Flaw, findings
from ossia_workflows.scenario.conditions import Act, Otherwise, ResultIs, UserDoes, Value
from ossia_workflows.scenario.model import (
    Kind,
    Scenario,
    Step,
    fits,
    fits_value,
    slot_or_fact,
)

__all__ = ["scenario_findings"]


def scenario_findings(scenario: Scenario) -> tuple[Finding, ...]:
    """Return all that is wrong with a scenario; names that are not known alone, where any is."""
    unknown = tuple(_unknown(scenario))
    if unknown:
        return unknown
    checks = (_ends, _types, _unbound, _forks, _unused)
    return tuple(finding for check in checks for finding in check(scenario))


def _unknown(scenario: Scenario) -> Iterator[Finding]:
    kinds = scenario.kinds
    for name, step in scenario.steps.items():
        said: list[tuple[str, str]] = []
        if step.call is not None and step.call not in scenario.tools:
            said.append(("call", f"calls {step.call}, which is no tool"))
        elif step.call is not None:
            known = scenario.tools[step.call].parameters
            said += [
                ("with", f"calls {step.call} with {each}, which is no parameter of it")
                for each in step.arguments
                if each not in known
            ]
        said += [
            ("asks", f"asks for {slot}, which is no slot")
            for slot in step.asks
            if slot not in scenario.slots
        ]
        said += [
            (key, f"names {fact}, which is no slot and no field of a tool's result")
            for fact, key in _used(step).items()
            if fact not in kinds
        ]
        yield from (_found(Flaw.UNKNOWN_NAME, name, told, key) for key, told in said)
        ways = {target: str(condition) for target, condition in step.ways}
        for target, condition in ways.items():
            if target not in scenario.steps and target != END:
                told = f"leads to {target}, which is no step"
                yield _found(Flaw.UNKNOWN_NAME, name, told, "next", condition)


def _ends(scenario: Scenario) -> Iterator[Finding]:
    """Steps that are never reached, and those from which the end is not, in a circle or not."""
    for finding in findings(scenario.graph):
        if finding.flaw in (Flaw.UNREACHABLE, Flaw.DEAD_END):
            yield replace(finding, place=("steps", *finding.nodes[:1]))


def _types(scenario: Scenario) -> Iterator[Finding]:
    kinds = scenario.kinds
    for name, step in scenario.steps.items():
        if step.call is None:
            continue
        tool = scenario.tools[step.call]
        for parameter, kind in tool.parameters.items():
            if parameter not in step.arguments:
                if parameter not in tool.optional:
                    told = f"calls {step.call} without {parameter}, which it requires"
                    yield _found(Flaw.MISSING_ARGUMENT, name, told, "call")
                continue
            value = step.arguments[parameter]
            bound = slot_or_fact(value)
            if not (fits_value(value, kind) if bound is None else fits(kinds[bound], kind)):
                told = f"gives {parameter} of {step.call} {value!r}, which is no {_shown(kind)}"
                yield _found(Flaw.WRONG_TYPE, name, told, "with")


def _unbound(scenario: Scenario) -> Iterator[Finding]:
    """What a step uses and not every way to it has asked for or called."""
    before = _known_before(scenario)
    for name, step in scenario.steps.items():
        known = before[name] | set(step.asks)
        for reference in dict.fromkeys(step.references):
            if reference.partition(".")[0] not in known:
                yield _found(Flaw.MISSING_SLOT, name, f"uses {_missing(reference)}", "with")
        known |= {step.call} if step.call else set()
        for fact in dict.fromkeys((*step.tells, *_tested(step))):
            if fact.partition(".")[0] not in known:
                key = "tells" if fact in step.tells else "next"
                yield _found(Flaw.MISSING_SLOT, name, f"uses {_missing(fact)}", key)


def _known_before(scenario: Scenario) -> Mapping[str, Set[str]]:
    """The slots asked for and the tools called on every way to a step."""
    everything = {*scenario.slots, *scenario.tools}
    known = dict.fromkeys(scenario.steps, everything)
    known[next(iter(scenario.steps))] = set()
    changed = True
    while changed:
        changed = False
        for name, step in scenario.steps.items():
            after = {*known[name], *step.asks, *([step.call] if step.call else [])}
            for target, _ in step.ways:
                if target != END and not known[target] <= after:
                    known[target] = known[target] & after
                    changed = True
    return known


def _forks(scenario: Scenario) -> Iterator[Finding]:
    for name, step in scenario.steps.items():
        conditions = [condition for _, condition in step.ways if condition is not None]
        if not conditions:
            continue
        results = [each for each in conditions if isinstance(each, ResultIs)]
        acts = {each.act for each in conditions if isinstance(each, UserDoes)}
        other = any(isinstance(each, Otherwise) for each in conditions)
        if len(conditions) == 1 and other:
            yield _found(Flaw.UNCOVERED, name, "has an otherwise beside no condition", "next")
        if results and (acts or len({each.fact for each in results}) > 1):
            yield _found(Flaw.UNCOVERED, name, "decides by several things at once", "next")
        elif results:
            kind = scenario.kinds[results[0].fact]
            yield from (
                _found(flaw, name, told, "next")
                for flaw, told in _results_told(results, kind, other)
            )
        elif acts and not other and not _answers(acts):
            told = (
                "has no way for a user who declines, or none for one who does not, and no otherwise"
            )
            yield _found(Flaw.UNCOVERED, name, told, "next")


def _answers(acts: Set[Act]) -> bool:
    goes_on = {Act.ACCEPTS, Act.CHOOSES, Act.CHANGES}
    return bool(acts & {Act.DECLINES, Act.DISPUTES}) and bool(acts & goes_on)


def _results_told(
    results: Sequence[ResultIs], kind: Kind, other: bool
) -> Iterator[tuple[Flaw, str]]:
    """What is wrong with the conditions over one field of a result."""
    fact = results[0].fact
    ordered = kind in ("count", "number")
    for each in results:
        fitting = fits_value(each.value, "number" if ordered else kind)
        if not fitting or (each.operator not in ("=", "!=") and not ordered):
            yield Flaw.WRONG_TYPE, f"has '{each}', which {fact} of {_shown(kind)} cannot be"
            return
    if kind in ("text", "date", "time", "list"):
        yield Flaw.WRONG_TYPE, f"decides by {fact}, a {_shown(kind)}: only choices and numbers can"
        return
    values = _values(results, kind)
    for each in results:
        if not any(map(each.holds, values)):
            yield Flaw.UNREACHABLE, f"has '{each}', which is never met"
    if other and all(any(each.holds(value) for each in results) for value in values):
        yield Flaw.UNREACHABLE, f"has an otherwise, and the conditions over {fact} leave nothing"
    for value in values:
        met = [str(each) for each in results if each.holds(value)]
        case = f"{fact} = {str(value).lower()}"
        if not met and not other:
            yield Flaw.UNCOVERED, f"has no way for {case}, and no otherwise"
        elif len(met) > 1:
            yield Flaw.UNCOVERED, f"has two ways for {case}: {', '.join(met)}"


def _values(results: Sequence[ResultIs], kind: Kind) -> Sequence[Value]:
    """One value for each case that conditions can tell apart."""
    if isinstance(kind, tuple):
        return kind
    if kind == "boolean":
        return (True, False)
    bounds = sorted({float(each.value) for each in results})
    if kind == "number":
        between = [(one + two) / 2 for one, two in pairwise(bounds)]
        return (bounds[0] - 1, *bounds, *between, bounds[-1] + 1)
    whole = {int(bound) + step for bound in bounds for step in (-1, 0, 1)}
    return sorted(value for value in whole if value >= 0)


def _unused(scenario: Scenario) -> Iterator[Finding]:
    steps = scenario.steps.values()
    asked = {slot for step in steps for slot in step.asks}
    used = {name for step in steps for name in (*step.references, *step.tells, *_tested(step))}
    called = {step.call for step in steps}
    for slot in scenario.slots:
        place = ("slots", slot)
        if slot not in asked:
            yield Finding(Flaw.UNUSED_SLOT, (), f"slot {slot} is never asked for", place)
        elif slot not in used:
            yield Finding(Flaw.UNUSED_SLOT, (), f"slot {slot} is asked for and never used", place)
    for name, tool in scenario.tools.items():
        if name not in called:
            yield Finding(Flaw.UNUSED_TOOL, (), f"tool {name} is never called", ("tools", name))
            continue
        for field in tool.gives:
            if f"{name}.{field}" not in used:
                told = f"{name}.{field} is never told, used or decided by"
                yield Finding(Flaw.UNUSED_TOOL, (), told, ("tools", name, "gives", field))


def _tested(step: Step) -> Sequence[str]:
    """The facts by which a step decides."""
    return [condition.fact for _, condition in step.ways if isinstance(condition, ResultIs)]


def _used(step: Step) -> Mapping[str, str]:
    """The slots and facts that a step uses, each with the key under which it stands."""
    keys = {"with": step.references, "tells": step.tells, "next": _tested(step)}
    found: dict[str, str] = {}
    for key, names in keys.items():
        found |= {name: key for name in names if name not in found}
    return found


def _missing(reference: str) -> str:
    name, _, field = reference.partition(".")
    if field:
        return f"{reference}, and not every way to it has called {name}"
    return f"the slot {name}, and not every way to it has asked for it"


def _shown(kind: Kind) -> str:
    return " or ".join(kind) if isinstance(kind, tuple) else kind


def _found(flaw: Flaw, step: str, told: str, *keys: str) -> Finding:
    return Finding(flaw, (step,), f"step {step} {told}", ("steps", step, *keys))
