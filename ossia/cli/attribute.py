"""`ossia attribute`: who failed in a run, shown by intervention."""

from __future__ import annotations

import json as json_lines
import sys
from dataclasses import dataclass
from typing import Annotated

import typer

from ossia.attribution.overview import outlook_lines, overview
from ossia.attribution.run import OpenAttributor, Outlook, Result, attribute_run
from ossia.attribution.shown import result_tables
from ossia.attribution.shown_verification import outcome_lines, plan_lines
from ossia.attribution.verify import Outcome, verify_planned
from ossia.attribution.verify_plan import plan_verification, require_live
from ossia.attribution.written import as_json, attributions_csv, failures_csv
from ossia.cli import options
from ossia.cli.groups import grouped
from ossia.cli.progress import ProgressLines
from ossia.cli.stopped import resumable, stop_with
from ossia.cli.told import make_console, say, say_lines
from ossia.cli.upstream_options import given_here, refuse_idle
from ossia.errors import UserError
from ossia.loop import run_in_order
from ossia.run_plan import plan_again, tasks_of
from ossia.runner.config import RunConfig
from ossia.runner.store import RunStore
from ossia.session import Means, open_session
from ossia_evaluation.attribution.columns import Grouping
from ossia_evaluation.words import counted


@dataclass(frozen=True)
class AttributeOptions:
    """What is attributed, and how it is printed."""

    framework: Annotated[
        list[str] | None,
        typer.Option(
            "--framework",
            "-f",
            help="Only this framework of the run; repeatable or comma-separated.",
        ),
    ] = None
    jobs: options.Jobs = 8
    json: options.Json = False
    csv: Annotated[
        bool,
        typer.Option(
            "--csv",
            help="Print CSV instead of tables: a line for each cause, or with --by for each role"
            " of each group.",
        ),
    ] = False
    by: Annotated[
        Grouping | None, typer.Option(help="Compare failures by this; framework by default.")
    ] = None
    all: Annotated[
        bool,
        typer.Option(
            "--all", help="Print all tables and all failures, not only the most informative ones."
        ),
    ] = False
    verify: Annotated[
        bool,
        typer.Option(
            "--verify",
            help="Try each failure's first repair with the live model that made the run, to see"
            " whether it raises success over the recorded fault. Prints an estimate of calls,"
            " tokens and price first, and at the end what was spent.",
        ),
    ] = False
    max_calls: Annotated[
        int | None,
        typer.Option(
            envvar="OSSIA_VERIFY_MAX_CALLS",
            min=1,
            help="Most model calls that --verify makes, divided among the failures in turn;"
            " default 5000; required if the estimate is higher.",
        ),
    ] = None
    api_key_env: options.KeyVariables = None
    store: options.Store = None
    engine: options.Engine = "local"
    address: options.Address = "auto"

    def frameworks(self, config: RunConfig) -> tuple[str, ...]:
        """The frameworks of a run that are named; none stands for all of the run."""
        return config.known_names(options.names(self.framework))


@grouped
def attribute_command(
    run: options.RunName = None, *, context: typer.Context, wanted: AttributeOptions
) -> None:
    """Find which agent caused each failure: correct a step and continue the episode.

    No model is called unless --verify is given: the answers come from the run's own record. The
    same command again resumes where it stopped.
    """
    if wanted.json and wanted.csv:
        raise UserError("give either --json or --csv")
    refuse_idle(context, wanted.engine)
    if not wanted.verify:
        for option in given_here(context, ("max_calls", "api_key_env")).values():
            raise UserError(f"{option} needs --verify")
    with RunStore(options.run_place(run, wanted.store)) as store:
        config = store.config()
        if wanted.verify:
            require_live(config)
        with resumable():
            result = _attribute(store, wanted)
            outcome = _verify(store, wanted) if wanted.verify else None
    _print(result if outcome is None else result.verified(outcome.found), wanted)
    if outcome is not None:
        outcome.require_answers(config)


def _attribute(store: RunStore, wanted: AttributeOptions) -> Result:
    config = store.config()
    if sys.stderr.isatty():
        # Of thousands it takes half a minute.
        say(f"reading {counted(len(store.episodes()), 'episode')}", err=True)
    return run_in_order(
        attribute_run(
            store,
            tasks_of(config),
            options.home(),
            ProgressLines(),
            frameworks=wanted.frameworks(config),
            jobs=wanted.jobs,
            opened=_cluster(config, wanted) if wanted.engine == "ray" else None,
            begin=_begin,
        ),
        stop_with(),
    )


def _cluster(config: RunConfig, wanted: AttributeOptions) -> OpenAttributor:
    # Loaded when asked for, as Ray is.
    from ossia.cluster.attributing import open_attributing

    return open_attributing(
        config,
        tasks_of(config),
        options.home(),
        wanted.address,
        frameworks=wanted.frameworks(config),
        jobs=wanted.jobs,
    )


def _verify(store: RunStore, wanted: AttributeOptions) -> Outcome | None:
    """Verify, told before and after what it costs; None where nothing is left to be verified."""
    config = store.config()
    means = Means(wanted.jobs, tuple(wanted.api_key_env or ()))
    session = open_session(plan_again(config, options.home()), means)
    plan = plan_verification(
        store, session, frameworks=wanted.frameworks(config), max_calls=wanted.max_calls
    )
    say_lines(plan_lines(plan), err=True)
    if not plan.items:
        return None
    outcome = run_in_order(verify_planned(plan, store, session, ProgressLines()), stop_with())
    say_lines(outcome_lines(outcome), err=True)
    return outcome


def _begin(outlook: Outlook) -> None:
    say_lines(outlook_lines(outlook), err=True)
    if sys.stderr.isatty():
        # The first of them may take a while.
        say(f"attributing {counted(outlook.supported, 'failure')}", err=True)


def _print(result: Result, wanted: AttributeOptions) -> None:
    by = wanted.by
    if wanted.csv:
        tables = () if by is None else result.summary.of(by)
        say(attributions_csv(result) if by is None else failures_csv(tables), nl=False)
    elif wanted.json:
        say(json_lines.dumps(as_json(result), indent=2, ensure_ascii=False))
    else:
        show = result_tables if wanted.all else overview
        make_console().print(show(result, by or "framework"))
