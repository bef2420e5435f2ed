"""Whether what a user asks for fits a run: its models, which are repeated or not, and faults."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, Final

from ossia.alike import instead_of
from ossia.errors import UserError
from ossia.suite import Suite, role_names
from ossia_servers.gateway import Specification, read_specification
from ossia_servers.stress.plan import FaultPlan
from ossia_servers.wire.policy import Policy

if TYPE_CHECKING:
    from ossia_workflows import Team

SCRIPTED: Final = "scripted"
"""Stands among the models of a simulated user for the one that the suite brings, without any."""

STANDARD: Final = "standard"
"""Stands among the paraphrases of a suite's prompts for the prompts themselves."""


def require_varying(
    suite: Suite[Any],
    models: Sequence[Specification],
    repeats: int,
    user: Specification | None = None,
) -> None:
    """Refuse to repeat tasks with a model that answers equal requests equally.

    Its repeats are one observation, however many there are. The errors of `offline:noise=...`
    follow from the seed and the task, so it is such a model.

    Args:
        suite: the suite that is run, whose players answer always alike as well.
        models: what is to answer.
        repeats: how often each task is to be run.
        user: what speaks for the simulated user, if a model does.

    Raises:
        UserError: one of the models is such, and the user's is.
    """
    if repeats < 2 or (user is not None and user.default.kind == "upstream"):
        return
    for model in models:
        if str(model) in suite.players or not any(s.kind == "upstream" for s in model.specs):
            raise UserError(
                f"--repeats {repeats} has no effect: the model '{model}' gives equal answers to"
                f" equal requests; leave --repeats out{_other_seeds(model)},"
                " or name an upstream"
            )


def require_roles(suite: Suite[Any], roles: Collection[str]) -> None:
    """Refuse a suite whose table of failures would have columns for nobody.

    Args:
        suite: the suite that is run.
        roles: the roles of its teams.

    Raises:
        UserError: none of its `roles` is one of them.
    """
    # A grader may blame more than roles; what names no role at all is wrong.
    if suite.roles and not {*suite.roles} & {*roles}:
        raise UserError(
            f"the suite '{suite.name}' is not usable: its `roles` ({', '.join(suite.roles)}) name"
            f" nobody in its teams, which have: {', '.join(roles)}"
        )


def require_one_draw(repeats: int, *, cache: bool) -> None:
    """Refuse to repeat tasks with the answers of the first time.

    Raises:
        UserError: repeats are asked for, and a cache.
    """
    if cache and repeats > 1:
        raise UserError(
            f"--cache and --repeats {repeats} cannot be combined: each repeat must be a new draw,"
            " and a cache returns the first one again"
        )


def _other_seeds(model: Specification) -> str:
    noisy = any(spec.noise for spec in model.specs)
    return ", compare several seeds with --model" if noisy else ""


def require_players(
    suite: Suite[Any], models: Sequence[Specification], *, force: bool = False
) -> None:
    """Refuse the offline model where it does not know the roles of the team.

    Args:
        suite: the suite that is run.
        models: what is to answer.
        force: let it play all the same.

    Raises:
        UserError: a model is, or has for one of the roles, the offline model.
    """
    if suite.offline is not None or force:
        return
    for model in models:
        if any(spec.kind == "offline" for spec in model.specs):
            players = " or ".join(f"--model {name}" for name in suite.players)
            proof = f"{players} (made from the tasks, to prove the suite), or " if players else ""
            raise UserError(
                f"the model '{model}' cannot play the suite '{suite.name}': offline does not know"
                f" its roles and would do nothing; use {proof}an upstream such as"
                " --model openai/gpt-4o, or --force to run it anyway"
            )


def wanted_prompts(name: str, suite: Suite[Any]) -> str:
    """Return the paraphrase of the prompts that is asked for, empty for the prompts themselves.

    Args:
        name: its name as the user wrote it, or `STANDARD`.
        suite: the suite that is run.

    Raises:
        UserError: the suite has none of this name.
    """
    if name == STANDARD:
        return ""
    if name not in suite.paraphrases:
        there = ", ".join((STANDARD, *suite.paraphrases))
        raise UserError(f"--prompts: the suite '{suite.name}' has no '{name}'; it has: {there}")
    return name


def wanted_user(text: str, suite: Suite[Any]) -> Specification | None:
    """Return the model that speaks for the simulated user, or None where none does.

    Args:
        text: its specification as the user wrote it, or `SCRIPTED`.
        suite: the suite that is run.

    Raises:
        UserError: it cannot be read or cannot speak, or the suite's user has no need of one.
    """
    if text == SCRIPTED:
        return None
    if suite.llm_user is None:
        raise UserError(
            f"--user {text} has no effect: the suite '{suite.name}' has no simulated user"
        )
    try:
        found = read_specification(text, ()).resolved()
    except ValueError as error:
        raise UserError(f"--user: {error}") from None
    if not str(found).strip():
        raise UserError("--user names no model")
    if found.default.kind == "offline":
        raise UserError(f"--user {text}: the offline model plays only teams, not users")
    return found


def playing_on(models: Sequence[Specification]) -> tuple[Specification, ...]:
    """Return models as they play under stress: the offline model asks again, unless it is told."""
    told = (model.with_policy(Policy.PERSISTENT) for model in models)
    return tuple({str(model): model for model in told}.values())


def wanted_stress(texts: Sequence[str], teams: Collection[Team]) -> FaultPlan | None:
    """Return the plan of the faults that are asked for; None where none is.

    Args:
        texts: the faults as the user wrote them.
        teams: the teams whose calls may be hit.

    Raises:
        UserError: it cannot be read, or names a role or a tool that no team has.
    """
    if not texts:
        return None
    # Loaded when asked for: few runs are stressed.
    from ossia_servers.stress.reading import read_plan

    try:
        plan = read_plan(texts)
    except ValueError as error:
        raise UserError(f"--stress {error}") from None
    roles = role_names(teams)
    tools = dict.fromkeys(tool for team in teams for role in team.roles for tool in role.tools)
    for fault in plan.faults:
        for role in fault.place.roles:
            if role not in roles:
                raise UserError(f"--stress {fault.key}: {_lacking('role', role, roles)}")
        tool = fault.place.tool
        if tool and tool not in tools:
            raise UserError(f"--stress {fault.key}: {_lacking('tool', tool, tools)}")
    return plan


def _lacking(kind: str, name: str, known: Collection[str]) -> str:
    return f"there is no {kind} '{name}'; " + instead_of(name, known)
