"""Options that only upstream models heed: refused where a run has none, so that none is in vain."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

import typer

from ossia.errors import UserError

_ONLY: Final[Mapping[str, str]] = {
    "base_url": "have a base URL",
    "api_key_env": "take a key",
    "model_param": "are sent parameters",
    "call_seconds": "can keep a call waiting",
    "max_cost": "are paid",
    "rpm": "are paced",
    "tpm": "are paced",
    "cache": "are paid and cached",
}
"""What such an option has to do with upstream models, by its parameter."""


def require_upstream(context: typer.Context, *, asked: bool, why: str) -> dict[str, Any]:
    """Refuse options of the command line that have no effect on the run.

    Args:
        context: the command as it was called.
        asked: whether the run asks an upstream model.
        why: why it asks none, as the end of a sentence.

    Returns:
        The values that stand in place of given ones: of options that the environment or the
        configuration file sets, which are meant for other runs.

    Raises:
        UserError: such an option stands on the command line.
    """
    if asked:
        return {}
    for name, option in given_here(context, _ONLY).items():
        raise UserError(
            f"{option} has no effect here: only upstream models, such as openai/gpt-4o,"
            f" {_ONLY[name]}, and {why}"
        )
    return {each.name: each.default for each in context.command.params if each.name in _ONLY}


def refuse_idle(context: typer.Context, engine: str, workflow: str = "") -> None:
    """Refuse an option on the command line that has no effect without another one.

    Args:
        context: of the command.
        engine: what plays the episodes.
        workflow: the workflow that teams are given; empty where the command gives none.

    Raises:
        UserError: there is one.
    """
    idle = {"address": "--engine ray"} if engine == "local" else {}
    if workflow == "none":
        idle["workflow_form"] = "--workflow"
    for name, option in given_here(context, idle).items():
        raise UserError(f"{option} has no effect without {idle[name]}")


def given_here(context: typer.Context, names: Collection[str]) -> dict[str, str]:
    """Return which of some parameters stand on the command line, with their options' names."""
    found = {}
    for each in context.command.params:
        source = context.get_parameter_source(each.name) if each.name in names else None
        if source is not None and source.name == "COMMANDLINE":
            found[each.name] = each.opts[0]
    return found
