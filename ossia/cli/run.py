"""`ossia compare`, `run`, `resume` and `rescore`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import typer

from ossia.called import as_called, command
from ossia.cli import options
from ossia.cli.groups import grouped
from ossia.cli.progress import Progress
from ossia.cli.stopped import resumable, stop_with
from ossia.cli.told import make_console, say, say_lines
from ossia.cli.upstream_options import given_here, refuse_idle, require_upstream
from ossia.errors import UserError
from ossia.estimate import estimate_lines, estimate_run, paid_models
from ossia.fit import SCRIPTED, STANDARD
from ossia.loop import run_in_order
from ossia.run_plan import RunPlan, Wish, plan_again, plan_run, require_same_code, tasks_of
from ossia.runner.activity import Activity
from ossia.runner.beside import Beside
from ossia.runner.catalog import Catalog
from ossia.runner.hints import require_valid
from ossia.runner.plan import missing
from ossia.runner.plan import plan as episodes_of
from ossia.runner.results import rescore_text
from ossia.runner.run import Session, run_missing
from ossia.runner.store import RunStore
from ossia.runner.tally import Tally
from ossia.session import Limits, Means, keep_limits, kept_limits, open_session, open_store
from ossia.suites import find_suite
from ossia.tasks import Choice
from ossia.wanted import asks_upstream, require_installed, wanted_budget
from ossia_evaluation.compare import Comparison
from ossia_evaluation.report.terminal import comparison_tables
from ossia_evaluation.words import counted

_FrameworkOption = Annotated[
    list[str] | None,
    typer.Option(
        "--framework",
        "-f",
        help="An adapter's name or folder, and after a colon a variant of it; NAME:all for every"
        " variant, all for every adapter, all:all for every variant of all. Repeatable or"
        " comma-separated. All adapters by their default variants when left out.",
        autocompletion=options.framework_names,
    ),
]


@dataclass(frozen=True)
class RunOptions:
    """What is run, by which models and within which limits: the options of `compare` and `run`."""

    suite: options.Suite = "assistant"
    model: options.Models = None
    tasks: options.Tasks = "test"
    domain: options.Domains = None
    task: options.Only = None
    limit: options.Limit = None
    repeats: options.Repeats = 1
    jobs: options.Jobs = 8
    seed: options.Seed = None
    base_url: options.BaseUrls = None
    api_key_env: options.KeyVariables = None
    model_param: options.ModelParameters = None
    price_as: options.PriceAs = None
    max_calls: options.MaxCalls = None
    max_tokens: options.MaxTokens = None
    max_seconds: options.MaxSeconds = None
    call_seconds: options.CallSeconds = None
    max_cost: options.MaxCost = None
    rpm: options.RequestsPerMinute = None
    tpm: options.TokensPerMinute = None
    cache: options.Cache = False
    workflow: options.Workflow = "none"
    workflow_form: options.WorkflowForm = "text"
    knowledge: options.Knowledge = None
    prompts: options.Prompts = STANDARD
    stress: options.Stress = None
    user: options.User = SCRIPTED
    estimate: options.Estimate = False
    yes: options.Yes = False
    fresh: options.Fresh = False
    force: options.Force = False
    store: options.Store = None
    engine: options.Engine = "local"
    address: options.Address = "auto"

    @property
    def models(self) -> tuple[str, ...]:
        """What answers, as the user wrote it."""
        return tuple(self.model or ("offline",))

    def heeded(self, context: typer.Context) -> RunOptions:
        """Return what has an effect on the run.

        Raises:
            UserError: an option of the command line has none.
        """
        user = self.user
        refuse_idle(context, self.engine, self.workflow)
        if find_suite(self.suite).llm_user is None and not given_here(context, ["user"]):
            # Set for other suites, by the environment or the configuration file.
            user = SCRIPTED
        asked = asks_upstream(self.suite, self.models, user)
        others = require_upstream(context, asked=asked, why="--model names none of them")
        return replace(self, user=user, **others)

    def wish(self, frameworks: tuple[str, ...]) -> Wish:
        """Return what is asked for, with these frameworks.

        Raises:
            UserError: an episode's seconds are without end, or a call's are more.
        """
        return Wish(
            frameworks=frameworks,
            suite=self.suite,
            tasks=self.tasks,
            models=self.models,
            repeats=self.repeats,
            budget=wanted_budget(
                self.suite, self.max_calls, self.max_tokens, self.max_seconds, self.call_seconds
            ),
            choice=Choice(tuple(self.domain or ()), tuple(self.task or ()), self.limit, self.seed),
            base_urls=tuple(self.base_url or ()),
            price_model=self.price_as,
            parameters=tuple(self.model_param or ()),
            call_seconds=self.call_seconds,
            force=self.force,
            cache=self.cache,
            workflow=self.workflow,
            workflow_form=self.workflow_form,
            knowledge=options.names(self.knowledge, "--knowledge names no form"),
            prompts=self.prompts,
            stress=options.names(self.stress, "--stress names no fault"),
            user=self.user,
        )

    @property
    def means(self) -> Means:
        """What a session may use.

        Raises:
            UserError: the limit of cost is no number.
        """
        return Means(
            self.jobs,
            tuple(self.api_key_env or ()),
            self.max_cost,
            self.rpm,
            self.tpm,
            self.engine,
            self.address,
        )


@grouped
def compare_command(
    *,
    context: typer.Context,
    framework: _FrameworkOption = None,
    wanted: RunOptions,
    beside: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            help="A stored run to compare this one with; repeatable.",
            autocompletion=options.run_names,
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Run the same tasks on several frameworks, with one model or several, and compare.

    The same command again resumes the run; nothing is run twice.
    """
    others = Beside(
        tuple(options.run_place(name, wanted.store) for name in beside or ()), wanted.force
    )
    _compare(options.names(framework), wanted.heeded(context), others, as_json=json)


@grouped
def run_command(
    framework: Annotated[
        str,
        typer.Argument(
            help="An adapter's name or folder, and after a colon a variant of it.",
            autocompletion=options.framework_names,
        ),
    ],
    wanted: RunOptions,
    *,
    context: typer.Context,
    json: options.Json = False,
) -> None:
    """Run the tasks on one framework."""
    _compare(options.names([framework]), wanted.heeded(context), Beside(), as_json=json)


def _compare(
    frameworks: tuple[str, ...], wanted: RunOptions, others: Beside, *, as_json: bool
) -> None:
    wish = wanted.wish(frameworks)
    catalog = options.catalog(wanted.store)
    plan = plan_run(wish, options.home(), catalog)
    if wanted.engine == "local":
        require_installed(plan.adapters)
    others.check(plan.config)
    means = wanted.means
    kept = Limits() if wanted.fresh else kept_limits(plan.config, catalog, means)
    if wanted.estimate and not _agreed(plan, wanted, catalog, means.within(kept).max_cost):
        return
    _execute(
        plan,
        catalog,
        others,
        means,
        kept,
        fresh=wanted.fresh,
        as_json=as_json,
        estimated=wanted.estimate,
    )


def _agreed(plan: RunPlan, wanted: RunOptions, catalog: Catalog, max_cost: float | None) -> bool:
    """Tell what a run is likely to cost; returns whether it is to begin."""

    def play(free: RunPlan) -> None:
        session = open_session(free, Means(wanted.jobs))
        with open_store(free.config, catalog) as store:
            _play(session, store)

    found = estimate_run(plan, catalog, play, fresh=wanted.fresh)
    if found is None:
        say("estimate: no upstream model is asked, so nothing is paid", err=True)
        return True
    price = found.total.price_usd
    say_lines(estimate_lines(found, max_cost), err=True)
    if wanted.yes or found.cheap:
        return True
    if not sys.stdin.isatty():
        what = "has an unknown price" if price is None else f"may cost {price:.2f} USD"
        raise UserError(
            f"the run {what}, and there is no terminal to ask on: nothing was sent; to run it, add"
            " --yes or leave out --estimate"
        )
    if typer.confirm("Continue?", err=True):
        return True
    say("nothing was sent", err=True)
    return False


def resume_command(
    context: typer.Context,
    run: options.RunName = None,
    jobs: options.Jobs = 8,
    api_key_env: options.KeyVariables = None,
    max_cost: options.MaxCost = None,
    rpm: options.RequestsPerMinute = None,
    tpm: options.TokensPerMinute = None,
    store: options.Store = None,
    engine: options.Engine = "local",
    address: options.Address = "auto",
    json: options.Json = False,
) -> None:
    """Finish a run: run its missing episodes, and its invalid ones once more."""
    means = Means(jobs, tuple(api_key_env or ()), max_cost, rpm, tpm, engine, address)
    catalog = options.catalog(store)
    with RunStore(catalog.find(run)) as stored:
        config = stored.config()
    require_same_code(config)
    asked = asks_upstream(config.suite, config.models, config.user)
    if require_upstream(context, asked=asked, why="the run asks none"):
        means = Means(jobs, engine=engine, address=address)
    plan = plan_again(config, options.home())
    kept = kept_limits(config, catalog, means)
    _execute(plan, catalog, Beside(), means, kept, fresh=False, as_json=json)


def rescore_command(
    run: options.RunName = None, store: options.Store = None, json: options.Json = False
) -> None:
    """Score a run's episodes again with the current scorer, without running them."""
    catalog = options.catalog(store)
    with RunStore(catalog.find(run), write=True) as stored:
        config = stored.config()
        tasks = tasks_of(config)
        say(rescore_text(stored, tasks, find_suite(config.suite).domains(config.tasks)), err=True)
        _show(Beside().compared(stored, tasks), catalog, as_json=json)


def _execute(
    plan: RunPlan,
    catalog: Catalog,
    others: Beside,
    means: Means,
    kept: Limits,
    *,
    fresh: bool,
    as_json: bool,
    estimated: bool = False,
) -> None:
    means = means.within(kept)
    session = open_session(plan, means)
    with open_store(plan.config, catalog, fresh=fresh) as store:
        # Not before it is sure that the run can begin: a refusal is one line.
        planned = episodes_of(plan.config)
        left = missing(planned, store.finished())
        if left:
            _tell_limits(plan, means, kept, estimated=estimated)
        keep_limits(store, means)
        if left:
            _play(session, store)
        else:
            done = f"already finished ({counted(len(planned), 'episode')})"
            say(f"run {plan.config.run_id}: {done}; nothing was run", err=True)
        if not as_json:
            # First: tables of nothing would stand before the reason.
            require_valid(store)
        result = others.compared(store, plan.tasks)
        _show(result, catalog, as_json=as_json)
        require_valid(store)


def _tell_limits(plan: RunPlan, means: Means, kept: Limits, *, estimated: bool) -> None:
    """Say what limits a run that is about to go on, or that nothing limits what it pays."""
    if str(kept):
        say(f"limits as before: {kept}; give other values to change them", err=True)
    if means.max_cost is None and not estimated and (paid := paid_models(plan)):
        say(
            f"{', '.join(paid)}: no spending limit is set; --max-cost USD sets one, --estimate"
            " reports what the run may cost",
            err=True,
        )


def _play(session: Session, store: RunStore) -> None:
    """Run what a run lacks, shown as it goes on."""
    activity = Activity()
    progress = Progress(make_console(stderr=True), Tally(store.counts()), activity)
    with resumable(), progress.shown(session.config.run_id):
        work = run_missing(session, store, progress.finished, activity)
        run_in_order(work, stop_with(progress.stopping))


def _show(result: Comparison, catalog: Catalog, *, as_json: bool) -> None:
    if as_json:
        say(result.model_dump_json(indent=2))
    else:
        make_console().print(comparison_tables(result))
        say_lines(_next_steps(result, catalog.options))


def _next_steps(result: Comparison, where: Sequence[str]) -> list[str]:
    """What to do with the result, as commands that run as printed."""
    outdated = result.facts.get("outdated")
    lines = [] if outdated is None else [f"\n{as_called(outdated)}"]
    lines.append(f"\nReport (HTML, CSV, JSON): {command('report', result.run, '--open', *where)}")
    explained = find_suite(result.facts["suite"]).contracts is not None
    if explained and any(line.success.count < line.success.of for line in result.frameworks):
        lines.append(f"Causes of the failures: {command('attribute', result.run, *where)}")
    return lines
