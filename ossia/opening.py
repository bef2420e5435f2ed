"""Opening the models of a run, each with its endpoint and its key."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from random import Random
from typing import Any

from ossia.endpoints import ALL, options_by_model, upstream_targets
from ossia.errors import UserError
from ossia.run_plan import UPSTREAM_SECONDS
from ossia.runner.config import RunConfig
from ossia.suite import Suite
from ossia.suites import offline_model
from ossia_dataset.tasks import Task
from ossia_servers.gateway import (
    PROVIDERS,
    Model,
    Specification,
    UpstreamOptions,
    is_priced,
    jittered,
    open_model,
    read_specification,
)


@dataclass(frozen=True)
class Opened:
    """The models of a run."""

    models: Mapping[str, Model]
    """What answers, by the specifications of the configuration and in their order."""
    user_model: Model | None
    """What speaks for the simulated user; None for the user that the suite brings."""


def open_models(
    config: RunConfig,
    suite: Suite[Any],
    tasks: Mapping[str, Task],
    roles: Collection[str],
    reached: UpstreamOptions,
    key_variables: Sequence[str],
) -> Opened:
    """Open the models of a run, that of its simulated user as well; nothing is sent yet.

    Args:
        config: the run.
        suite: its suite.
        tasks: its tasks by id, from which some players read.
        roles: the roles of its teams.
        reached: how upstream models are reached.
        key_variables: the environment variables that hold their keys, as the user named them.

    Raises:
        UserError: one cannot be opened as it is given.
    """
    made = suite.players
    players = {name: made[name](tasks) for name in made if name in config.models}
    try:
        opened = _opened(config, suite, roles, reached, key_variables)
    except ValueError as error:
        raise UserError(f"{error}{_players_like(config, tuple(made))}") from None
    models = {**opened, **players}
    user_model = opened[config.user] if config.user else None
    return Opened({name: models[name] for name in config.models}, user_model)


def asked_by_name(
    config: RunConfig, suite: Suite[Any], roles: Collection[str]
) -> dict[str, Specification]:
    """Return the models that are opened by their names, as a run's suite has players beside them.

    Args:
        config: the run.
        suite: its suite, whose player may be called like a model.
        roles: the roles of its teams.
    """
    return {
        name: read_specification(name, tuple(roles))
        for name in config.asked
        if name == config.user or name not in suite.players
    }


def require_prices(models: Collection[Specification], price_model: str | None) -> None:
    """Refuse a limit of cost where nobody could tell when it is reached.

    Args:
        models: the models that are asked.
        price_model: the model as which all tokens are priced; None for each as its own.

    Raises:
        UserError: the price of one is not known.
    """
    for name in upstream_targets(models):
        known = name.partition("/")[0] in PROVIDERS and is_priced(name)
        if price_model is None and not known:
            raise UserError(
                f"--max-cost cannot be enforced: no price is known for the model '{name}'; name a"
                " model with the same or higher prices with --price-as"
            )


def _opened(
    config: RunConfig,
    suite: Suite[Any],
    roles: Collection[str],
    reached: UpstreamOptions,
    key_variables: Sequence[str],
) -> dict[str, Model]:
    """Open what is opened by its name.

    Raises:
        ValueError: one cannot be opened as it is given.
    """
    asked = asked_by_name(config, suite, roles)
    base_urls = dict(config.base_urls)
    if config.base_url is not None:
        base_urls[ALL] = config.base_url
    shared = replace(
        reached,
        timeout_s=config.call_seconds or UPSTREAM_SECONDS,
        jitter=jittered(Random()),
        price_model=config.price_model,
    )
    options = options_by_model(base_urls, key_variables, asked.values(), shared)
    offline = partial(offline_model, suite)
    return {
        name: open_model(model, options, parameters=config.parameters, offline=offline)
        for name, model in asked.items()
    }


def _players_like(config: RunConfig, players: Sequence[str]) -> str:
    """What is said beside a model that cannot be opened; empty where it is like no player."""
    wrong = [model for model in config.models if model not in players]
    if not any(get_close_matches(model, players) for model in wrong):
        return ""
    return f" The players of the suite '{config.suite}' are {', '.join(players)}."
