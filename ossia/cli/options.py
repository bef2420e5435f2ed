"""Options that several commands share."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ossia.errors import UserError

if TYPE_CHECKING:
    from ossia.runner.catalog import Catalog
    from ossia.storage.place import Place


def run_names(incomplete: str) -> list[str]:
    """Return the names of runs that begin with what is typed, for the shell's completion."""
    try:
        names = catalog(os.environ.get("OSSIA_STORE")).names()
    except UserError:
        return []
    # What steers a terminal would do so in the middle of what is typed.
    return _fitting(incomplete, filter(str.isprintable, names))


def episode_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the episodes of the run that is named, or of the latest, that begin so."""
    from ossia.runner.store import RunStore

    store = ctx.params.get("store") or os.environ.get("OSSIA_STORE")
    try:
        with RunStore(run_place(ctx.params.get("run"), store)) as stored:
            names = stored.episodes()
    except UserError:
        return []
    return _fitting(incomplete, filter(str.isprintable, names))


def framework_names(incomplete: str) -> list[str]:
    """Return the names of adapters that begin with what is typed, also after a comma."""
    from ossia.adapters import survey_adapters

    done, comma, last = incomplete.rpartition(",")
    adapters = survey_adapters(home()).adapters
    known = [info.name for info in adapters]
    if ":" in last:
        known = [f"{info.name}:{each.name}" for info in adapters for each in info.variants]
    return [f"{done}{comma}{name}" for name in _fitting(last, known)]


def suite_names(incomplete: str) -> list[str]:
    """Return the names of suites that begin with what is typed."""
    from ossia import suites

    return _fitting(incomplete, suites.suite_names())


def fault_names(incomplete: str) -> list[str]:
    """Return the plans and faults that begin with what is typed, also after a comma."""
    from ossia_servers.stress.builtin import PLANS
    from ossia_servers.stress.kinds import KINDS

    done, comma, last = incomplete.rpartition(",")
    return [f"{done}{comma}{name}" for name in _fitting(last, (*PLANS, *KINDS))]


def _fitting(incomplete: str, known: Iterable[str]) -> list[str]:
    return sorted(name for name in known if name.startswith(incomplete))


Models = Annotated[
    list[str] | None,
    typer.Option(
        help="The model behind the gateway: offline, offline:noise=0.1,seed=3,"
        " offline:file=FILE, offline:delay=0.3, scripted:FILE, replay:FILE, or an upstream such as"
        " openai/gpt-4o; or one for each role: intent=ollama/qwen3,*=openai/gpt-4o. Repeatable, to"
        " compare models. Default: offline."
    ),
]
Tasks = Annotated[
    str,
    typer.Option(
        help="A built-in task set, a JSON Lines file or folder, a published Auto-SLURP CSV, or for"
        " WorkBench's suites the folder of its published data."
    ),
]
Suite = Annotated[str, typer.Option(help="The suite of tasks.", autocompletion=suite_names)]
AnySuite = Annotated[
    str | None,
    typer.Option(help="The suite of tasks; all when left out.", autocompletion=suite_names),
]
Limit = Annotated[
    int | None, typer.Option(min=1, help="Only this many tasks, spread over the set.")
]
Domains = Annotated[list[str] | None, typer.Option(help="Only tasks of this domain; repeatable.")]
Only = Annotated[list[str] | None, typer.Option(help="Only this task; repeatable.")]
Repeats = Annotated[
    int,
    typer.Option(
        min=1, help="How many times each task is run; only with non-deterministic models."
    ),
]
Jobs = Annotated[int, typer.Option(min=1, help="Episodes to run in parallel.")]
Seed = Annotated[
    int | None, typer.Option(help="Choose --limit's tasks at random by this seed, not evenly.")
]
BaseUrls = Annotated[
    list[str] | None,
    typer.Option(
        help="Base URL of an OpenAI-compatible upstream; for one of several models MODEL=URL."
        " Repeatable."
    ),
]
KeyVariables = Annotated[
    list[str] | None,
    typer.Option(
        "--api-key-env",
        "--key-env",
        help="Name of the environment variable that holds the upstream's key; for one of several"
        " models MODEL=NAME. Repeatable.",
    ),
]
ModelParameters = Annotated[
    list[str] | None,
    typer.Option(
        help="Set a parameter of the requests to upstream models, name=value (JSON or text), or"
        " drop it, name=; for one of several models MODEL:name=value. Repeatable."
    ),
]
PriceAs = Annotated[
    str | None,
    typer.Option(
        help="Price all tokens as this model's, for example openai/gpt-4o for an offline run."
    ),
]
MaxCalls = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Most model calls of an episode; 60 when left out, and more where the suite's tasks"
        " are longer.",
    ),
]
MaxTokens = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Most tokens of an episode; 400000 when left out, or more as for --max-calls.",
    ),
]
MaxSeconds = Annotated[
    float | None,
    typer.Option(
        min=1,
        help="Most seconds of an episode; 180 when left out, or more as for --max-calls.",
    ),
]
CallSeconds = Annotated[
    float | None,
    typer.Option(
        min=1,
        help="Most seconds of one attempt at an upstream; 90 when left out, or half of"
        " --max-seconds where that is less.",
    ),
]
MaxCost = Annotated[
    float | None,
    typer.Option(
        min=0,
        help="Most US dollars that the run may spend at upstream models, earlier sessions"
        " included. The run stops with exit code 3 before a call that could exceed it.",
    ),
]
RequestsPerMinute = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Most requests a minute to each upstream model. Calls wait for their turn; the wait"
        " counts neither towards the episode's seconds nor towards latency.",
    ),
]
TokensPerMinute = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Most tokens a minute to each upstream model: a call's estimate, corrected by its"
        " usage.",
    ),
]
Cache = Annotated[
    bool,
    typer.Option(
        "--cache",
        help="Send identical requests to an upstream model only once in a run: later ones get the"
        " first answer, which costs nothing and is counted separately. Not with --repeats.",
    ),
]


Workflow = Annotated[
    str,
    typer.Option(
        help="Give each team a workflow of its task as knowledge: none, gold (the gold workflow,"
        " shown on purpose), or generated:RUN (the plans that a run's model wrote)."
    ),
]
WorkflowForm = Annotated[
    Literal["text", "code", "mermaid", "graph"],
    typer.Option(
        help="How that workflow is written; as a graph, frameworks that can run its steps do so,"
        " and the others get it as text."
    ),
]
Knowledge = Annotated[
    list[str] | None,
    typer.Option(
        help="Give each team what the suite knows about its task, in this form; repeatable or"
        " comma-separated: every task is then played once in each form.",
    ),
]
Prompts = Annotated[
    str,
    typer.Option(
        help="The wording of the role prompts: standard, or a paraphrase that the suite has, such"
        " as terse or chatty.",
    ),
]
User = Annotated[
    str,
    typer.Option(
        help="What speaks for the simulated user of a suite that has one: scripted, or a model such"
        " as openai/gpt-5-mini, whose calls are accounted for separately."
    ),
]
Stress = Annotated[
    list[str] | None,
    typer.Option(
        help="Play each task also with each of these faults: a plan (quick, full, agentchaos), a"
        " file PLAN.toml, or NAME[:dose][@place], such as empty:always@manager; seed=N draws other"
        " moments. Repeatable or comma-separated.",
        autocompletion=fault_names,
    ),
]
Estimate = Annotated[
    bool,
    typer.Option(
        "--estimate",
        help="Before anything is paid, report about how many calls, tokens and US dollars the run"
        " takes, based on a free run of the same tasks and frameworks, made first if missing. Up"
        " to 1 USD the run continues; at a higher or unknown price it asks first, or stops if"
        " there is no terminal.",
    ),
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="With --estimate, continue without asking.")]
Fresh = Annotated[
    bool, typer.Option("--fresh", help="Discard earlier results of this run and restart it.")
]
Force = Annotated[
    bool,
    typer.Option(
        "--force",
        help="Run even if the model cannot play the suite; with --with, compare even if the"
        " datasets differ.",
    ),
]
RunName = Annotated[
    str | None,
    typer.Argument(
        help="A run's id or name, or a unique beginning of it; the latest when left out.",
        autocompletion=run_names,
    ),
]
Episode = Annotated[
    str,
    typer.Argument(
        help="An episode's id: framework.task.repeat[~fault].", autocompletion=episode_names
    ),
]
RunOption = Annotated[
    str | None,
    typer.Option(help="A run's id or name; the latest when left out.", autocompletion=run_names),
]
Store = Annotated[
    str | None,
    typer.Option(
        help="The database that stores runs, postgresql://USER@HOST:5432/NAME; files in the folder"
        " of OSSIA_HOME when left out. A password is better in PGPASSWORD or ~/.pgpass."
    ),
]
Engine = Annotated[
    Literal["local", "ray"],
    typer.Option(
        help="Where episodes are played: local, on this machine, or ray, on the nodes of a Ray"
        " cluster."
    ),
]
Address = Annotated[
    str,
    typer.Option(
        help="With --engine ray: the cluster that this machine is a node of, HOST:6379, or auto to"
        " find it."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]


def names(given: Sequence[str] | None, nothing: str = "no framework is named") -> tuple[str, ...]:
    """Return the names of an option that is repeatable or comma-separated, spaces or not.

    Raises:
        UserError: the option names nothing, with what is then said.
    """
    found = tuple(
        name for item in given or () for piece in item.split(",") if (name := piece.strip())
    )
    if given and not found:
        raise UserError(nothing)
    return found


def home() -> Path:
    """Return the folder of Ossia's environments and runs (`OSSIA_HOME`)."""
    # Loaded when asked for: `ossia serve` starts without adapters and stores.
    from ossia.adapters import ossia_home

    return ossia_home(os.environ)


def catalog(store: str | None) -> Catalog:
    """Return the runs of `--store`, or of the home.

    Raises:
        UserError: there is no such store.
    """
    from ossia.runner.catalog import open_catalog

    return open_catalog(store, home())


def run_place(name: str | None, store: str | None) -> Place:
    """Return where a run is kept.

    Raises:
        UserError: no run fits, or several do, or the store cannot be read.
    """
    return catalog(store).find(name)
