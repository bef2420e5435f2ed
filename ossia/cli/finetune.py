"""`ossia model finetune` and `ossia model serve`: a language model of one's own."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
import uvloop
from pydantic import ValidationError

from ossia.cli import options
from ossia.cli.groups import grouped
from ossia.cli.told import say
from ossia.errors import UserError
from ossia.finetune.settings import Settings
from ossia.tasks import EVERYTHING, Choice, choose, find_tasks, version_of
from ossia_servers.local import DataFacts, ModelCard, missing_extra

if TYPE_CHECKING:
    from ossia.finetune.heard import HeardPrompt
    from ossia.finetune.training import Tuned
    from ossia_dataset.tasks import Task
    from ossia_servers.local.generation import LocalGenerator

_SUITE = "assistant"
_DEFAULTS = Settings()


def register(group: typer.Typer) -> None:
    """Add the commands to the group `ossia model`."""
    group.command("finetune")(finetune_command)
    group.command("serve")(serve_command)


@dataclass(frozen=True)
class FinetuneOptions:
    """What is tuned, on what, how, and where it is written."""

    base: Annotated[
        str,
        typer.Option(
            envvar="OSSIA_FINETUNE_BASE",
            help="The causal language model to tune: a name or a folder.",
        ),
    ]
    out: Annotated[
        Path, typer.Option(envvar="OSSIA_FINETUNE_OUT", help="Folder to write the tuned model to.")
    ]
    data: Annotated[
        str,
        typer.Option(
            envvar="OSSIA_FINETUNE_DATA",
            help="What to learn: a built-in task set, a JSON Lines file or folder, or a published"
            " Auto-SLURP CSV. Tasks of a test set are refused.",
        ),
    ] = "train"
    limit: Annotated[
        int | None,
        typer.Option(
            envvar="OSSIA_FINETUNE_LIMIT", min=1, help="Only so many tasks, spread over the set."
        ),
    ] = None
    prompts_of: Annotated[
        str | None,
        typer.Option(
            envvar="OSSIA_FINETUNE_PROMPTS_OF",
            help="Learn the prompts as every framework of this stored run words them; without it,"
            " the role's plain prompt.",
        ),
    ] = None
    epochs: Annotated[
        int, typer.Option(envvar="OSSIA_FINETUNE_EPOCHS", min=1, help="Passes over the data.")
    ] = _DEFAULTS.epochs
    batch: Annotated[
        int, typer.Option(envvar="OSSIA_FINETUNE_BATCH", min=1, help="Examples per update.")
    ] = _DEFAULTS.batch
    micro_batch: Annotated[
        int,
        typer.Option(
            envvar="OSSIA_FINETUNE_MICRO_BATCH",
            min=1,
            help="Examples reckoned at once; fewer need less memory and give the same result.",
        ),
    ] = _DEFAULTS.micro_batch
    learning_rate: Annotated[
        float, typer.Option(envvar="OSSIA_FINETUNE_LEARNING_RATE", help="The highest rate.")
    ] = _DEFAULTS.learning_rate
    rank: Annotated[
        int, typer.Option(envvar="OSSIA_FINETUNE_RANK", min=1, help="Rank of the LoRA matrices.")
    ] = _DEFAULTS.rank
    alpha: Annotated[
        int, typer.Option(envvar="OSSIA_FINETUNE_ALPHA", min=1, help="Scale of the LoRA matrices.")
    ] = _DEFAULTS.alpha
    dropout: Annotated[
        float, typer.Option(envvar="OSSIA_FINETUNE_DROPOUT", help="Dropout before the matrices.")
    ] = _DEFAULTS.dropout
    held_out: Annotated[
        float,
        typer.Option(
            envvar="OSSIA_FINETUNE_HELD_OUT",
            help="Share of the tasks that is not learnt, to measure loss and accuracy.",
        ),
    ] = _DEFAULTS.held_out
    check: Annotated[
        int,
        typer.Option(
            envvar="OSSIA_FINETUNE_CHECK",
            min=0,
            help="Held-out tasks that the tuned model answers at the end, for its accuracy.",
        ),
    ] = 50
    seed: Annotated[
        int,
        typer.Option(
            envvar="OSSIA_FINETUNE_SEED", min=0, help="Decides on split, order and initial weights."
        ),
    ] = _DEFAULTS.seed
    checkpointing: Annotated[
        bool,
        typer.Option(
            "--checkpointing",
            envvar="OSSIA_FINETUNE_CHECKPOINTING",
            help="Save memory by reckoning activations twice.",
        ),
    ] = False
    device: Annotated[
        str | None,
        typer.Option(
            envvar="OSSIA_FINETUNE_DEVICE", help="Where to reckon, such as cuda; else the fastest."
        ),
    ] = None
    force: Annotated[
        bool,
        typer.Option(
            "--force", envvar="OSSIA_FINETUNE_FORCE", help="Write over an earlier tuned model."
        ),
    ] = False

    def settings(self) -> Settings:
        """Return the settings of the training.

        Raises:
            UserError: a value is out of its range.
        """
        chosen = {name: getattr(self, name) for name in _SETTINGS}
        try:
            return Settings.model_validate(chosen)
        except ValidationError as error:
            first = error.errors()[0]
            raise UserError(f"--{str(first['loc'][0]).replace('_', '-')}: {first['msg']}") from None


_SETTINGS = tuple(
    each.name for each in fields(FinetuneOptions) if each.name in Settings.model_fields
)
"""The options that are settings of the training."""


@grouped
def finetune_command(wanted: FinetuneOptions) -> None:
    """Tune a language model on the intent agent's exact prompts (LoRA)."""
    from ossia.finetune.store import require_free

    _require_extra()
    require_free(wanted.out, force=wanted.force)
    _finetune(wanted, wanted.settings())


def _finetune(wanted: FinetuneOptions, settings: Settings) -> None:
    from ossia.finetune import intent_examples, refuse_test_tasks, split
    from ossia.finetune.examples import ROLE
    from ossia.finetune.store import write_model
    from ossia.finetune.training import finetune
    from ossia_dataset.tasks import dataset_hash

    base, out, data = wanted.base, wanted.out, wanted.data
    whole = find_tasks(data, _SUITE)
    tasks = choose(whole, EVERYTHING if wanted.limit is None else Choice(limit=wanted.limit))
    refuse_test_tasks(tasks)
    learnt, kept = split(tasks, settings.held_out, settings.seed)
    heard = () if wanted.prompts_of is None else _heard(wanted.prompts_of)
    tuned = finetune(
        base,
        intent_examples(learnt, heard),
        intent_examples(kept, heard) if kept else (),
        settings,
        typer.echo,
    )
    _accuracy(tuned, kept[: wanted.check], heard)
    card = ModelCard(
        # A folder is found from anywhere; a name is looked up where the model is used.
        base=str(Path(base).resolve()) if Path(base).is_dir() else base,
        role=ROLE,
        data=DataFacts(
            name=data,
            version=version_of(data, _SUITE),
            hash=dataset_hash(whole),
            trained=len(learnt),
            held_out=len(kept),
            frameworks=tuple(prompt.framework for prompt in heard),
        ),
        training=tuned.facts,
    )
    write_model(out, card, tuned.save)
    say(f"{out}\nTry:  ossia compare --model offline --model '{ROLE}=local:{out},*=offline'")


def _heard(run: str) -> tuple[HeardPrompt, ...]:
    """Return the wordings of a stored run's frameworks.

    Raises:
        UserError: there is no such run, or no intent role was asked in it.
    """
    from ossia.finetune.heard import heard_prompts
    from ossia.runner.store import RunStore
    from ossia.session import tasks_of

    with RunStore(options.run_folder(run)) as store:
        tasks = tasks_of(store.config())
        found = heard_prompts(
            (trace, tasks[trace.episode.task].utterance) for trace in store.traces()
        )
    if not found:
        raise UserError(f"in the run '{run}' no intent agent was asked")
    return found


def _accuracy(tuned: Tuned, tasks: Sequence[Task], heard: Sequence[HeardPrompt]) -> None:
    """Print how many held-out tasks the tuned model reads right."""
    from ossia.finetune import intent_examples
    from ossia_evaluation.intents import agreement
    from ossia_workflows import role_output

    if not tasks:
        return
    by_id = {task.id: task for task in tasks}
    examples = intent_examples(tasks, heard)
    found = [
        agreement(
            by_id[example.task].gold,
            role_output("intent", tuned.generator.answer(example.messages).text),
        )
        for example in examples
    ]
    exact, unnamed = sum(one.exact for one in found), sum(one.unnamed for one in found)
    say(
        f"held-out frames: {exact} of {len(found)} exact,"
        f" {unnamed} of {len(found)} ignoring slot names"
    )


def serve_command(
    folder: Annotated[Path, typer.Argument(help="What `ossia model finetune` wrote.")],
    port: Annotated[
        int,
        typer.Option(envvar="OSSIA_MODEL_PORT", min=0, max=65535, help="Port; 0 takes a free one."),
    ] = 8024,
    device: Annotated[
        str | None,
        typer.Option(
            envvar="OSSIA_MODEL_DEVICE", help="Where to reckon, such as cuda; else the fastest."
        ),
    ] = None,
) -> None:
    """Serve a tuned model as an OpenAI-compatible endpoint on loopback until Ctrl-C."""
    _require_extra()
    from ossia_servers.local.generation import LocalGenerator

    try:
        generator = LocalGenerator.load(folder, device)
    except (OSError, ValueError, RuntimeError) as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise UserError(f"the model in {folder} cannot be loaded: {reason}") from None
    try:
        uvloop.run(_serve(generator, folder.resolve().name, port))
    except KeyboardInterrupt:
        raise typer.Exit(0) from None


async def _serve(generator: LocalGenerator, name: str, port: int) -> None:
    from ossia_servers.gateway import fault_body
    from ossia_servers.local.server import LocalServer
    from ossia_servers.serving import serve

    try:
        async with serve(LocalServer(generator, name).app, port=port, told=fault_body) as url:
            say(f"{name} at {url}/v1\nStop with Ctrl-C.")
            await asyncio.Event().wait()
    except OSError as error:
        raise UserError(error.strerror or str(error)) from None


def _require_extra() -> None:
    lacking = missing_extra()
    if lacking is not None:
        raise UserError(lacking)
