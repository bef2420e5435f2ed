"""Whether models fit a run: what answers always alike is not repeated, and plays what it knows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ossia.errors import UserError
from ossia.suite import Suite
from ossia_servers.gateway import Specification


def require_varying(suite: Suite[Any], models: Sequence[Specification], repeats: int) -> None:
    """Refuse to repeat tasks with a model that answers equal requests equally.

    Its repeats are one observation, however many there are. The errors of `offline:noise=...`
    follow from the seed and the task, so it is such a model.

    Args:
        suite: the suite that is run, whose players answer always alike as well.
        models: what is to answer.
        repeats: how often each task is to be run.

    Raises:
        UserError: one of the models is such.
    """
    if repeats < 2:
        return
    for model in models:
        if str(model) in suite.players or not any(s.kind == "upstream" for s in model.specs):
            raise UserError(
                f"--repeats {repeats} would repeat nothing: the model '{model}' gives equal"
                f" requests equal answers; leave --repeats out{_other_seeds(model)},"
                " or name an upstream"
            )


def require_one_draw(repeats: int, *, cache: bool) -> None:
    """Refuse to repeat tasks with the answers of the first time.

    Raises:
        UserError: repeats are asked for, and a cache.
    """
    if cache and repeats > 1:
        raise UserError(
            f"--cache and --repeats {repeats} exclude each other: repeats are draws of their own,"
            " and a cache gives the first draw again"
        )


def _other_seeds(model: Specification) -> str:
    noisy = any(spec.noise for spec in model.specs)
    return ", lay several seeds side by side with --model" if noisy else ""


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
    if suite.offline_plays or force:
        return
    for model in models:
        if str(model) in suite.players:
            continue
        if any(spec.kind == "offline" for spec in model.specs):
            players = " or ".join(f"--model {name}" for name in suite.players)
            proof = f"{players} (made from the tasks, to prove the suite), or " if players else ""
            raise UserError(
                f"the model '{model}' cannot play the suite '{suite.name}': offline knows the"
                f" assistant's roles alone and would do nothing; use {proof}an upstream such as"
                " --model openai/gpt-4o, or --force to run it all the same"
            )
