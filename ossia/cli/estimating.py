"""What a run may cost, told before it starts: by `--estimate`, or that nothing limits it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import typer
from rich.console import Console

from ossia.cli.told import say
from ossia.errors import UserError
from ossia.estimate import Estimate, estimate, estimate_lines, free_config, upstreams_of
from ossia.run_plan import RunPlan
from ossia.runner.find import runs_folder
from ossia.runner.plan import missing, plan
from ossia.runner.store import RunStore
from ossia_servers.gateway import is_priced

ASKED_ABOVE_USD: Final = 1.0
"""What costs no more is begun without a question."""


def estimate_of(
    wanted: RunPlan, home: Path, play: Callable[[RunPlan], None], *, fresh: bool
) -> Estimate | None:
    """Return what a run is likely to cost, or None where no upstream model is asked.

    Args:
        wanted: the run.
        home: where runs are.
        play: plays a run to its end.
        fresh: whether its earlier results are to be forgotten.

    Raises:
        UserError: no free model plays the suite.
    """
    config, roles = wanted.config, wanted.roles
    free = free_config(config, wanted.suite)
    unpaid = frozenset(wanted.suite.players)
    todo = missing(plan(config), frozenset() if fresh else _finished(config.run_id, home))
    if not any(upstreams_of(model, roles, unpaid) for model in config.models):
        return None
    play(replace(wanted, config=free))
    with RunStore(runs_folder(home) / free.run_id) as store:
        return estimate(config, todo, store, roles=roles, unpaid=unpaid)


def go_on(console: Console, found: Estimate | None, *, max_cost: float | None, yes: bool) -> bool:
    """Tell an estimate, and return whether the run is to begin.

    Args:
        console: where it is told.
        found: the estimate; None where nothing is paid.
        max_cost: the limit of cost, if one is set.
        yes: begin without a question.

    Raises:
        UserError: a question is needed, and there is no terminal to ask on.
    """
    if found is None:
        _tell(console, "estimate: no upstream model is asked, so nothing is paid")
        return True
    for line in estimate_lines(found):
        _tell(console, line)
    price = found.total.price_usd
    if max_cost is not None and price is not None and price > max_cost:
        _tell(console, f"that is more than --max-cost {max_cost:g}: the run would stop before")
    if yes or (price is not None and price <= ASKED_ABOVE_USD) or not found.episodes:
        return True
    if not sys.stdin.isatty():
        what = "has an unknown price" if price is None else f"may cost {price:.2f} USD"
        raise UserError(
            f"the run {what}, and there is no terminal to ask on: nothing was sent; give --yes, or"
            " leave out --estimate, to run it"
        )
    if typer.confirm("Go on?", err=True):
        return True
    say("nothing was sent", err=True)
    return False


def tell_of_unlimited_spend(console: Console, wanted: RunPlan) -> None:
    """Tell which models of a run have a price, where no `--max-cost` is set and no estimate asked.

    Args:
        console: where it is told.
        wanted: the run.
    """
    config, roles, unpaid = wanted.config, wanted.roles, frozenset(wanted.suite.players)
    asked = [upstreams_of(model, roles, unpaid) for model in config.models]
    names = dict.fromkeys(name for upstreams in asked for name in upstreams.values())
    paid = [name for name in names if is_priced(config.price_model or name)]
    if paid:
        _tell(
            console,
            f"{', '.join(paid)}: paid, and no limit is set; --max-cost USD sets one, --estimate"
            " tells what the run may cost",
        )


def _finished(run: str, home: Path) -> frozenset[str]:
    folder = runs_folder(home) / run
    if not (folder / "run.sqlite").exists():
        return frozenset()
    with RunStore(folder) as store:
        return store.finished()


def _tell(console: Console, line: str) -> None:
    console.print(line, markup=False, highlight=False, soft_wrap=True)
