"""The proof of sessions: the gold run reaches its goals, and does not where it is changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from pydantic import JsonValue

from ossia_dataset.flowbench.sessions import SUITE, SessionTask
from ossia_dataset.tasks import TaskError
from ossia_evaluation.flowbench.goals import demanded, goals_of, side_effects
from ossia_evaluation.flowbench.gold import GoldRuns, shipped_golds
from ossia_evaluation.flowbench.measures.calls import Call
from ossia_evaluation.flowbench.trajectory import Made, Trajectory, gold_call
from ossia_evaluation.worlds.proof import Proof, ProofLine
from ossia_servers.flowbench.arguments import argument_text
from ossia_servers.flowbench.script import GoldTurn, gold_turns
from ossia_servers.flowbench.source import load_sessions, session_domains
from ossia_servers.flowbench.walk import Call as GoldCall
from ossia_servers.flowbench.walk import Visit, WalkError
from ossia_servers.worlds import WorldStore
from ossia_servers.worlds.domain import Domain
from ossia_servers.worlds.execute import execute
from ossia_workflows.graph import END
from ossia_workflows.scenario import FORMS, Scenario, scenario_findings

__all__ = ["check_scenarios", "check_sessions", "check_set", "coverage", "prove_session"]


def check_scenarios(scenarios: Mapping[str, Scenario]) -> Iterator[ProofLine]:
    """Yield what is wrong with scenarios, and how many were looked at."""
    found = 0
    for name, scenario in scenarios.items():
        said = [finding.sentence for finding in scenario_findings(scenario)]
        if any(form.read(form.write(scenario.graph)) != scenario.graph for form in FORMS.values()):
            said.append("its forms do not say the same")
        found += len(said)
        for sentence in said:
            yield ProofLine(f"scenario {name}: {sentence}", sound=False)
    yield ProofLine(
        f"{len(scenarios)} scenarios without a finding, {len(FORMS)} forms equal"
        if not found
        else f"{len(scenarios)} scenarios, {found} problems",
        sound=not found,
    )


def check_sessions(
    source: str, sessions: Sequence[SessionTask], golds: GoldRuns, domains: Sequence[Domain]
) -> Iterator[ProofLine]:
    """Yield what speaks against sessions, and how many are proven.

    Args:
        source: what they are called.
        sessions: the sessions.
        golds: their gold runs.
        domains: the services, which know the sessions.
    """
    proven = mutants = 0
    for session in sessions:
        proof = prove_session(session, golds, domains)
        proven += proof.proven
        mutants += proof.mutants
        for problem in (*proof.problems, *proof.surviving):
            yield ProofLine(f"{source}: {session.id}: {problem}", sound=False)
    known, taken = coverage(sessions, golds)
    yield ProofLine(
        f"{source}: {proven} of {len(sessions)} sessions proven, {mutants} changed runs fail;"
        f" {taken} of {known} ways taken",
        sound=proven == len(sessions),
    )


def check_set(source: str) -> Iterator[ProofLine]:
    """Yield the same of a built-in set, or of a file or folder.

    Raises:
        TaskError: the source cannot be read.
    """
    sessions = load_sessions(source)
    yield from check_sessions(
        f"{SUITE}/{source}", sessions, shipped_golds(), session_domains(source)
    )


def prove_session(session: SessionTask, golds: GoldRuns, domains: Sequence[Domain]) -> Proof:
    """Play a session's gold run on the services, and changed ones, of which each has to fail."""
    try:
        visits = golds.visits(session)
        turns = gold_turns(session, golds.scenarios, visits)
    except (TaskError, WalkError) as error:
        return Proof(session.id, (str(error),), 0, ())
    domain = next(each for each in domains if each.name == session.role)
    wrong = _wrong(session, golds, visits, _play(session, domain, turns))
    if not any(demanded(visit) for visit in visits) and not _changes(session, golds, visits):
        wrong = "it has no goal"
    if len(turns) > session.most_turns:
        wrong = f"it has {len(turns)} turns"
    changed = [*_changed(session, golds, turns)]
    surviving = tuple(
        said
        for said, other in changed
        if _wrong(session, golds, visits, _play(session, domain, other)) is None
    )
    return Proof(session.id, () if wrong is None else (wrong,), len(changed), surviving)


def coverage(sessions: Sequence[SessionTask], golds: GoldRuns) -> tuple[int, int]:
    """Return how many ways the scenarios of sessions have, and how many of them these take."""
    taken: Counter[tuple[str, str, str]] = Counter()
    for session in sessions:
        visits = golds.visits(session)
        for one, other in pairwise([*visits, None]):
            if one is not None:
                same = other is not None and other.wish == one.wish
                then = other.step if other is not None and same else END
                taken[session.wishes[one.wish].scenario, one.step, then] += 1
    played = {wish.scenario for session in sessions for wish in session.wishes}
    known = {
        (name, step, target)
        for name in played
        for step, each in golds.scenarios[name].steps.items()
        for target, _ in each.ways
    }
    return len(known), len(known & taken.keys())


def _wrong(
    session: SessionTask, golds: GoldRuns, visits: Sequence[Visit], done: Trajectory
) -> str | None:
    """Why a run does not reach the goals; None where it does."""
    tools = golds.tools(session)
    starts = {visit.wish: visit.turn for visit in reversed(visits)}
    goals = goals_of(visits, done, tools, starts, golds.tells(session))
    besides = side_effects(visits, done, tools)
    missed = next((goal.wrong for goal in goals if goal.wrong is not None), None)
    return missed or (f"side effect: {besides[0].name}" if besides else None)


def _changes(session: SessionTask, golds: GoldRuns, visits: Sequence[Visit]) -> bool:
    tools = golds.tools(session)
    return any(visit.call is not None and tools[visit.call.tool].changes for visit in visits)


def _play(session: SessionTask, domain: Domain, turns: Sequence[GoldTurn]) -> Trajectory:
    """Make the calls of a conversation on a world of its own."""
    store = WorldStore([domain])
    try:
        world = store.create("proof", seed=session.seed, now=session.now, home=session.home)
        made = []
        for number, turn in enumerate(turns):
            for call in turn.calls:
                given = {name: argument_text(value) for name, value in call.arguments.items()}
                done = execute(store, world, domain, {"intent": call.tool, **given})
                result = done.record.result if done.record.code == "SUCCESS" else None
                made.append(Made(gold_call(call), number, result))
        rows = [change.after or {} for change in world.diff().changes]
    finally:
        store.close()
    return Trajectory(
        tuple(made),
        tuple(Call(row["tool"], row["arguments"]) for row in rows),
        tuple(turn.answer for turn in turns),
    )


def _changed(
    session: SessionTask, golds: GoldRuns, turns: Sequence[GoldTurn]
) -> Iterator[tuple[str, Sequence[GoldTurn]]]:
    """Yield the gold run with one contract broken each time, and what is broken."""
    tools = golds.tools(session)
    for number, turn in enumerate(turns):
        for place, call in enumerate(turn.calls):
            if not tools[call.tool].changes:
                continue
            where = f"{call.tool} in turn {number + 1}"
            yield f"{where} is left out", _with(turns, number, place, ())
            yield f"{where} is made twice", _with(turns, number, place, (call, call))
            for name, value in call.arguments.items():
                other = GoldCall(call.tool, {**call.arguments, name: _other(value)}, call.result)
                if tools[call.tool].parameters[name] in ("text", "count", "number", "boolean"):
                    yield f"{where} has another {name}", _with(turns, number, place, (other,))
        if any(demanded_value for demanded_value in _demanded(turn)):
            silent = replace(turn, answer="All right.")
            others = [*turns[:number], silent, *turns[number + 1 :]]
            if not _told_elsewhere(session, golds, turns, number):
                yield f"nothing is told in turn {number + 1}", others


def _demanded(turn: GoldTurn) -> list[JsonValue]:
    return [
        value
        for value in turn.tells.values()
        if not isinstance(value, bool) and value not in ("", [])
    ]


def _told_elsewhere(
    session: SessionTask, golds: GoldRuns, turns: Sequence[GoldTurn], number: int
) -> bool:
    """Whether another turn tells all the facts of one as well, such as after a second try."""
    tells = golds.tells(session)
    rest = [turn.answer for each, turn in enumerate(turns) if each != number]
    return all(
        any(tells(answer, fact, value) for answer in rest)
        for fact, value in turns[number].tells.items()
        if not isinstance(value, bool) and value not in ("", [])
    )


def _with(
    turns: Sequence[GoldTurn], number: int, place: int, calls: tuple[GoldCall, ...]
) -> Sequence[GoldTurn]:
    turn = turns[number]
    made = (*turn.calls[:place], *calls, *turn.calls[place + 1 :])
    return [*turns[:number], replace(turn, calls=made), *turns[number + 1 :]]


def _other(value: JsonValue) -> JsonValue:
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int | float) else f"{value} or so"
