"""`ossia model train` and `ossia model evaluate`: the offline model and its figures."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ossia.cli.told import make_console, say
from ossia.errors import UserError
from ossia.outputs import require_file
from ossia.tasks import find_world_tasks
from ossia_dataset.files import write_whole
from ossia_dataset.tasks import nothing_at
from ossia_dataset.world_tasks import WorldTask, by_domain
from ossia_evaluation.assistant.contract import Frame
from ossia_evaluation.assistant.frames import Figures, Reader, Reading, figures, single
from ossia_evaluation.report.word_table import word_table
from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.assistant.offline import OfflineModel
from ossia_servers.assistant.offline.understanding.artefact import ArtefactError

if TYPE_CHECKING:
    from ossia_servers.assistant.offline.understanding.markup import Example
    from ossia_servers.assistant.offline.understanding.training import Accuracy

_SUITE = "assistant"
_PUBLISHED = "auto-slurp"
_NO_NUMPY = "training needs numpy: install ossia with its extra 'train'"


def train_command(
    beside: Annotated[
        tuple[str, Path] | None,
        typer.Option(
            "--with",
            metavar="auto-slurp PATH",
            help="Also learn from your copy of a published file, and answer in its style.",
        ),
    ] = None,
    output: Annotated[
        Path, typer.Option("--out", "--output", help="The model file to write.")
    ] = Path("offline-model.json"),
    folds: Annotated[
        int,
        typer.Option(
            min=0,
            help="First cross-validate on this many folds of the training utterances, or, with"
            " --with, of the published rows; 0 skips this.",
        ),
    ] = 0,
) -> None:
    """Train the offline model on the training utterances."""
    try:
        from ossia_servers.assistant.offline.understanding import training
    except ModuleNotFoundError as error:
        raise UserError(_NO_NUMPY) from error
    from ossia_servers.assistant.offline.understanding.artefact import dump
    from ossia_servers.assistant.offline.understanding.corpus import load_corpus

    if folds == 1:
        raise UserError("--folds must be 0, or at least 2")
    require_file(output)
    corpus, published = load_corpus(), _published(beside)
    say(f"{len(corpus.examples)} utterances of our own, {len(published)} published")
    settings = training.Settings()
    if folds:
        held = training.cross_validate(corpus, settings, folds, published=published)
        say(_held_back(folds, held))
    began = time.perf_counter()
    text = dump(training.train(corpus, settings, published))
    write_whole(output, text)
    seconds = time.perf_counter() - began
    say(
        f"{output}: {len(text.encode()) / 1e6:.1f} MB in {seconds:.0f} s;"
        f" evaluate it with: ossia model evaluate --model {output}"
    )


def _held_back(folds: int, held: Accuracy) -> str:
    return (
        f"{folds} folds, {held.examples} utterances held back: intent {held.intent:.3f},"
        f" slots {held.slots:.3f}, intent and slots {held.frame:.3f}"
    )


def _published(beside: tuple[str, Path] | None) -> Sequence[Example]:
    if beside is None:
        return ()
    kind, path = beside
    if kind != _PUBLISHED:
        raise UserError(f"--with knows no format '{kind}'; there is: {_PUBLISHED}")
    if not path.is_file():
        raise UserError(nothing_at(path))
    from ossia_servers.assistant.offline.understanding.published import published_examples

    return published_examples(path)


def evaluate_command(
    model: Annotated[
        Path | None, typer.Option(help="A model file; the one that comes with Ossia when left out.")
    ] = None,
    tasks: Annotated[
        str,
        typer.Option(
            help="A built-in task set, a JSON Lines file or folder, or a published Auto-SLURP CSV."
        ),
    ] = "test",
    errors: Annotated[
        bool, typer.Option("--errors", help="List the requests that are read wrongly.")
    ] = False,
) -> None:
    """Measure how well and how fast the offline model reads tasks."""
    found = find_world_tasks(tasks, _SUITE)
    wanted = single(found)
    if not wanted:
        raise UserError(f"{tasks}: no task of a single request")
    began = time.perf_counter()
    loaded = _load(model)
    load_s = time.perf_counter() - began
    reader = Reader(load_domains())
    readings, seconds = [], []
    for task in wanted:
        began = time.perf_counter()
        read = loaded.understand(task.utterance)
        seconds.append(time.perf_counter() - began)
        frame = Frame(read.domain, read.intent, dict(read.slots))
        readings.append(reader.judge(task, frame))
    _show(readings)
    if len(found) > len(wanted):
        say(f"{len(found) - len(wanted)} tasks of several requests are left out")
    say(
        f"answers in {_percentile(seconds, 0.5):.1f} ms (median),"
        f" {_percentile(seconds, 0.95):.1f} ms (95 %); loaded in {load_s:.2f} s"
    )
    if errors:
        for reading in readings:
            if not (reading.exact and reading.success):
                say(_error(reading))


def _load(path: Path | None) -> OfflineModel:
    if path is not None and not path.is_file():
        raise UserError(nothing_at(path))
    try:
        return OfflineModel.load(path)
    except ArtefactError as error:
        raise UserError(f"{path or 'the model of the package'}: {error}") from error


def _percentile(seconds: Sequence[float], share: float) -> float:
    """Return the milliseconds within which that share of the answers came."""
    return sorted(seconds)[min(int(share * len(seconds)), len(seconds) - 1)] * 1000


def _show(readings: Sequence[Reading]) -> None:
    """Print the figures, in all and by domain."""
    columns = ("tasks", "intent", "slot F1", "frame exact", "by meaning", "lenient", "success")
    table = word_table("domain", *columns)
    by_id = {reading.task.id: reading for reading in readings}
    tasks: list[WorldTask] = [reading.task for reading in readings]
    for domain, group in by_domain(tasks).items():
        table.add_row(domain, *_cells(figures([by_id[task.id] for task in group])))
    table.add_row("all", *_cells(figures(readings)))
    make_console().print(table)


def _cells(shares: Figures) -> tuple[str, ...]:
    rest = (shares.intent, shares.slot_f1, shares.exact, shares.meant, shares.lenient)
    return (str(shares.tasks), *(f"{share:.3f}" for share in (*rest, shares.success)))


def _error(reading: Reading) -> str:
    """Say in one line what was read and what was meant."""
    marks = [
        word
        for word, right in (
            ("intent", reading.intent_right),
            ("slots", reading.exact or not reading.intent_right),
            ("lenient", reading.lenient),
            ("outcome", reading.success),
        )
        if not right
    ]
    gold, frame = reading.task.gold, reading.frame
    return (
        f"{reading.task.id} [{', '.join(marks)}] {reading.task.utterance!r}\n"
        f"    read   {frame.intent} {dict(frame.slots)}\n"
        f"    meant  {gold.intent} {gold.slots}"
    )
