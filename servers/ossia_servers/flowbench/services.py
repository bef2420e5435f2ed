"""The services of FlowBench: one for each role, with the tools of its scenarios."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import groupby
from operator import attrgetter
from typing import Final

from pydantic import JsonValue

from ossia_dataset.flowbench.sessions import SessionTask
from ossia_servers.flowbench.arguments import (
    argument_field,
    argument_text,
    read_argument,
    same_arguments,
)
from ossia_servers.flowbench.invented import invented_result
from ossia_servers.flowbench.walk import Service, WalkError
from ossia_servers.worlds.domain import Domain, Handler, Intent
from ossia_servers.worlds.params import Params
from ossia_servers.worlds.parsing import parse_params
from ossia_servers.worlds.schema import Match, Refusal, Reply, Row, Table
from ossia_servers.worlds.seeds import Seed, SeedContext
from ossia_servers.worlds.store import build_start
from ossia_servers.worlds.world import World
from ossia_workflows.scenario import Scenario, ScenarioError, Tool, known_scenarios, load_scenario

__all__ = ["gold_service", "role_domains", "scenarios", "service_domain"]

_ANSWERS: Final = {
    "tool": Match.EXACT,
    "arguments": Match.EXACT,
    "result": Match.EXACT,
    "after": Match.EXACT,
}
_CALLS: Final = {"tool": Match.EXACT, "arguments": Match.EXACT, "result": Match.IGNORABLE}


@cache
def scenarios() -> Mapping[str, Scenario]:
    """Return the scenarios that ship with Ossia and one's own, by name.

    Raises:
        ScenarioError: one of one's own cannot be played.
    """
    return {name: load_scenario(name) for name in known_scenarios()}


def role_domains(sessions: Iterable[SessionTask] = ()) -> tuple[Domain, ...]:
    """Return the domain server of each role.

    A world whose seed is a session's has its answers as rows. There a reading call without an
    answer is refused; a changing one is always carried out, as a row of `ROLE.TOOL`. A world of
    any other seed answers every call by its seed.

    Args:
        sessions: those that are played.
    """
    known = {session.seed: session for session in sessions}
    return tuple(replace(each, seed=_seed(each.name, known)) for each in _roles())


def service_domain(role: str, played: Sequence[Scenario]) -> Domain:
    """Return the domain server of a role: each tool of its scenarios is an intent.

    Raises:
        ValueError: two of the scenarios have a tool of one name, which mean different things.
    """
    tools: dict[str, Tool] = {}
    for scenario in played:
        for name, tool in scenario.tools.items():
            if tools.setdefault(name, tool) != tool:
                raise ValueError(f"two scenarios of {role} have a tool {name}, and differ in it")
    named = {
        (name, kind): None for tool in tools.values() for name, kind in tool.parameters.items()
    }
    fields = {name: argument_field(name, kind) for name, kind in named}
    changing = tuple(
        Table(f"{role}.{name}", name, _CALLS) for name, tool in tools.items() if tool.changes
    )
    return Domain(
        name=role,
        description="; ".join(scenario.name for scenario in played),
        fields=tuple(fields.values()),
        intents=tuple(_intent(role, name, tool) for name, tool in tools.items()),
        tables=(Table(_answers(role), "answer", _ANSWERS), *changing),
    )


def gold_service(session: SessionTask) -> Service:
    """Return the service that a session is with, without HTTP, for one walk.

    It raises `WalkError` where the service refuses.
    """
    role = session.role
    found = next(each for each in _roles() if each.name == role)
    domain = replace(found, seed=_seed(role, {session.seed: session}))
    context = SeedContext(session.seed, session.now, session.home)
    world = World(session.id, build_start([domain], context), {}, {})

    def call(tool: str, arguments: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
        given = {name: argument_text(value) for name, value in arguments.items()}
        try:
            intent, params = parse_params(domain, {"intent": tool, **given})
            with world.transaction():
                result: Mapping[str, JsonValue] = intent.answer(world, params).result
        except Refusal as refusal:
            raise WalkError(f"{tool} is refused: {refusal.message}") from None
        return result

    return call


@cache
def _roles() -> tuple[Domain, ...]:
    ordered = sorted(scenarios().values(), key=attrgetter("role"))
    try:
        return tuple(
            service_domain(role, [*played]) for role, played in groupby(ordered, attrgetter("role"))
        )
    except ValueError as error:
        raise ScenarioError(str(error)) from None


def _answers(role: str) -> str:
    return f"{role}.answers"


def _seed(role: str, sessions: Mapping[str, SessionTask]) -> Seed:
    def rows(context: SeedContext) -> Mapping[str, Sequence[Row]]:
        session = sessions.get(context.name)
        if session is None or session.role != role:
            return {}
        return {_answers(role): [answer.model_dump() for answer in session.answers]}

    return rows


def _intent(role: str, name: str, tool: Tool) -> Intent:
    taken = ", ".join(tool.parameters) or "nothing"
    return Intent(
        name,
        f"{tool.about} ({taken})",
        _handler(role, name, tool),
        writes=tool.changes,
        fields=tuple(argument_field(each, kind) for each, kind in tool.parameters.items()),
        needed=tuple(each for each in tool.parameters if each not in tool.optional),
    )


def _handler(role: str, name: str, tool: Tool) -> Handler:
    def handle(world: World, params: Params) -> Reply:
        arguments = _arguments(f"{role}.{name}", tool, params)
        result = _result(world, role, name, arguments)
        if result is None and not tool.changes and world.rows(_answers(role)):
            raise Refusal.not_found(f"The {name} service knows nothing of this.")
        if result is None:
            random = world.random(role, name, *sorted(arguments.items()))
            result = invented_result(tool.gives, random, world.today)
        if tool.changes:
            world.add(f"{role}.{name}", tool=name, arguments=arguments, result=result)
        return Reply("Done." if tool.changes else "Found.", result)

    return handle


def _arguments(called: str, tool: Tool, params: Params) -> dict[str, JsonValue]:
    for name in params.raw:
        if name not in tool.parameters:
            known = ", ".join(tool.parameters) or "none"
            raise Refusal(
                f"{called} has no parameter '{name}'; it takes: {known}.", code="UNKNOWN_PARAMETER"
            )
    found: dict[str, JsonValue] = {}
    for name, kind in tool.parameters.items():
        text = params.text(name)
        if text is not None:
            found[name] = read_argument(name, kind, text)
        elif name not in tool.optional:
            raise Refusal(f"{called} needs the parameter '{name}'.", code="MISSING_PARAMETER")
    return found


def _result(
    world: World, role: str, tool: str, arguments: Mapping[str, JsonValue]
) -> dict[str, JsonValue] | None:
    """The answer that the world has for a call; the last one whose change has been made."""
    found: dict[str, JsonValue] | None = None
    for row in world.rows(_answers(role)):
        if row["tool"] != tool or not same_arguments(row["arguments"], arguments):
            continue
        if row["after"] is not None or found is None:
            changed = row["after"] is None or world.rows(f"{role}.{row['after']}")
            found = dict(row["result"]) if changed else found
    return found
