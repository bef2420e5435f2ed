"""`ossia attribute`: who failed in a run, shown by intervention."""

from __future__ import annotations

import json as json_lines
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated

import typer
from rich.console import Console

from ossia import loop
from ossia.attribution.attempts import FULL, QUICK
from ossia.attribution.run import Attributed, Outlook, Result, attribute_run
from ossia.attribution.shown import evidence_lines, result_tables
from ossia.attribution.shown_validation import validation_tables
from ossia.attribution.shown_verification import outcome_lines, plan_lines
from ossia.attribution.validate import FRAMEWORKS
from ossia.attribution.validate import validate as run_protocol
from ossia.attribution.verify import STOP_AFTER, Outcome, Verified, verify_planned
from ossia.attribution.verify_plan import plan_verification, require_live
from ossia.attribution.written import as_json, attributions_csv, failures_csv
from ossia.cli import options, render
from ossia.cli.groups import grouped
from ossia.errors import INTERRUPTED, AllInvalid, UserError
from ossia.runner.store import RunStore
from ossia.session import open_session, tasks_of
from ossia.tasks import find_tasks


class Form(StrEnum):
    """How the result is printed."""

    TABLES = "tables"
    JSON = "json"
    CSV = "csv"


class By(StrEnum):
    """What the lines of the matrices are."""

    FRAMEWORK = "framework"
    DOMAIN = "domain"
    INTENT = "intent"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("attribute")(attribute_command)


@dataclass(frozen=True)
class AttributeOptions:
    """What is attributed or validated, and how it is printed."""

    framework: Annotated[
        list[str] | None,
        typer.Option(
            "--framework",
            "-f",
            envvar="OSSIA_FRAMEWORK",
            help="Only this framework of the run; repeatable or comma-separated.",
        ),
    ] = None
    jobs: options.Jobs = 8
    json: options.Json = False
    csv: Annotated[
        bool,
        typer.Option(
            "--csv",
            envvar="OSSIA_CSV",
            help="Print CSV instead of tables: a line for each cause, or with --by for each role"
            " of each group.",
        ),
    ] = False
    by: Annotated[
        By | None,
        typer.Option(
            envvar="OSSIA_BY", help="What failures are laid side by side; framework if left out."
        ),
    ] = None
    verify: Annotated[
        bool,
        typer.Option(
            "--verify",
            envvar="OSSIA_VERIFY",
            help="Try each failure's first repair with the live model that made the run: does it"
            " raise success over the recorded fault? Prints an estimate of calls, tokens and price"
            " first, and what was spent afterwards.",
        ),
    ] = False
    max_calls: Annotated[
        int | None,
        typer.Option(
            "--max-calls",
            envvar="OSSIA_VERIFY_MAX_CALLS",
            min=1,
            help="Most model calls that --verify makes, shared out over the failures in turn;"
            " 5000 if left out, and needed where it might take more.",
        ),
    ] = None
    api_key_env: options.KeyVariable = None
    validate: Annotated[
        bool,
        typer.Option(
            "--validate",
            envvar="OSSIA_VALIDATE",
            help="Test the attributor itself, by faults put into episodes that succeed.",
        ),
    ] = False
    quick: Annotated[
        bool, typer.Option("--quick", envvar="OSSIA_QUICK", help="Validate on a few cases only.")
    ] = False
    seed: Annotated[
        int,
        typer.Option(
            envvar="OSSIA_SEED",
            help="Decides which faults --validate puts where; 0 is the one that the rules were"
            " developed on.",
        ),
    ] = 0

    @property
    def form(self) -> Form:
        """How the result is printed.

        Raises:
            UserError: two forms are asked for.
        """
        if self.json and self.csv:
            raise UserError("choose one of --json and --csv")
        return Form.JSON if self.json else Form.CSV if self.csv else Form.TABLES

    @property
    def frameworks(self) -> tuple[str, ...]:
        """The frameworks that are named; none stands for all of the run."""
        return options.names(self.framework)


@grouped
def attribute_command(run: options.RunName = None, *, wanted: AttributeOptions) -> None:
    """Say which agent failed in each failed episode: correct a step, run on, and see.

    No model is called unless --verify is given: the answers come from the run's own record. The
    same command again goes on where it stopped.
    """
    form = wanted.form
    if wanted.validate:
        _refuse_of_runs(run, wanted)
        _validate(wanted, form)
        return
    if wanted.quick:
        raise UserError("--quick goes with --validate")
    if wanted.max_calls is not None and not wanted.verify:
        raise UserError("--max-calls goes with --verify")
    with RunStore(options.run_folder(run)) as store:
        if wanted.verify:
            require_live(store.config())
        outcome = None
        try:
            result = _attribute(store, wanted)
            if wanted.verify:
                outcome = _verify(store, wanted)
        except KeyboardInterrupt:
            render.console(stderr=True).print("stopped; the same command goes on from here")
            raise typer.Exit(INTERRUPTED) from None
    if outcome is not None:
        found = outcome.found
        ordered = {a.episode: found[a.episode] for a in result.attributions if a.episode in found}
        result = replace(result, verifications=ordered)
    _print(result, form, wanted.by)
    if outcome is not None and outcome.stopped:
        raise AllInvalid(
            f"the last {STOP_AFTER} samples were lost, the last because {outcome.why}; what is"
            " verified is kept: mend that, and the same command goes on"
        )


def _refuse_of_runs(run: str | None, wanted: AttributeOptions) -> None:
    """Refuse what belongs to the attribution of a run, and would be ignored by --validate.

    Raises:
        UserError: with all that is too much.
    """
    given = {
        "RUN": run is not None,
        "--by": wanted.by is not None,
        "--verify": wanted.verify,
        "--max-calls": wanted.max_calls is not None,
    }
    found = [name for name, is_given in given.items() if is_given]
    if found:
        raise UserError(f"--validate makes its own episodes: leave out {', '.join(found)}")


def _attribute(store: RunStore, wanted: AttributeOptions) -> Result:
    console = render.console(stderr=True)

    def tell(event: Attributed) -> None:
        item = event.attribution
        if console.is_terminal:
            causes = ", ".join(item.roles) or item.status
            console.print(f"{event.done}/{event.total} {item.episode}: {causes}", highlight=False)

    def begin(outlook: Outlook) -> None:
        if outlook.supported < outlook.failures:
            console.print(
                f"{outlook.supported} of {outlook.failures} failures can be looked into: the others"
                " are of tasks that give their roles no single right answer (unsupported)",
                highlight=False,
                soft_wrap=True,
            )

    return loop.run(
        attribute_run(
            store,
            tasks_of(store.config()),
            options.home(),
            tell,
            frameworks=wanted.frameworks,
            jobs=wanted.jobs,
            begin=begin,
        )
    )


def _verify(store: RunStore, wanted: AttributeOptions) -> Outcome | None:
    """Verify, told before and after what it costs; None where nothing is left to be verified."""
    console = render.console(stderr=True)
    session = open_session(
        store.config(), options.home(), jobs=wanted.jobs, key_variable=wanted.api_key_env
    )
    plan = plan_verification(
        store, session, frameworks=wanted.frameworks, max_calls=wanted.max_calls
    )
    _say(console, plan_lines(plan))
    if not plan.items:
        return None

    def tell(event: Verified) -> None:
        item = event.verification
        if console.is_terminal:
            counts = f"{len(item.pairs)} pairs, {item.conclusion}"
            _say(console, [f"{event.finished}/{event.total} {item.episode}: {counts}"])

    outcome = loop.run(verify_planned(plan, store, session, tell))
    _say(console, outcome_lines(outcome))
    return outcome


def _say(console: Console, lines: Iterable[str]) -> None:
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _validate(wanted: AttributeOptions, form: Form) -> None:
    if form is Form.CSV:
        raise UserError("--validate prints tables or JSON")
    console = render.console(stderr=True)
    told: dict[str, int] = {}

    def tell(counts: Mapping[str, int]) -> None:
        if counts != told:
            told.update(counts)
            line = ", ".join(f"{name} {count}" for name, count in counts.items())
            console.print(f"episodes tried: {line}", highlight=False)

    try:
        result = loop.run(
            run_protocol(
                options.home(),
                find_tasks("test", "assistant"),
                name="quick" if wanted.quick else "full",
                size=QUICK if wanted.quick else FULL,
                frameworks=wanted.frameworks or FRAMEWORKS,
                seed=wanted.seed,
                jobs=wanted.jobs,
                watch=tell if console.is_terminal else lambda counts: None,
            )
        )
    except KeyboardInterrupt:
        console.print("stopped; the same command goes on from here")
        raise typer.Exit(INTERRUPTED) from None
    if form is Form.JSON:
        typer.echo(result.model_dump_json(indent=2))
    else:
        render.console().print(validation_tables(result))


def _print(result: Result, form: Form, by: By | None) -> None:
    if form is Form.CSV:
        tables = () if by is None else result.summary.of(by.value)
        typer.echo(attributions_csv(result) if by is None else failures_csv(tables), nl=False)
    elif form is Form.JSON:
        typer.echo(json_lines.dumps(as_json(result), indent=2, ensure_ascii=False))
    else:
        console = render.console()
        console.print(evidence_lines(result.attributions))
        console.print(result_tables(result, (by or By.FRAMEWORK).value))
