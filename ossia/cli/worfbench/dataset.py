"""`ossia dataset import worfbench`: published golds from a user's copy."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from ossia.cli.told import say
from ossia.outputs import require_file
from ossia_dataset.tasks import dataset_hash, write_tasks
from ossia_dataset.worfbench.tasks import SUITE, published_tasks


def import_worfbench(path: Path, out: Path | None, *, notes: bool) -> None:
    """Import the published golds from a user's copy, and say what is wrong with some of them.

    Args:
        path: a clone of the published repository, or a part of it.
        out: where the tasks are written as JSON Lines; None only counts them.
        notes: print what is wrong with each gold.

    Raises:
        TaskError: the data cannot be read.
        UserError: `out` can be no file.
    """
    # Loaded when asked for: the libraries for graphs take a second.
    from ossia_evaluation.worfbench.measures.files import golds_of
    from ossia_evaluation.worfbench.measures.quality import defects

    if out is not None:
        require_file(out)
    tasks = published_tasks(path, SUITE)
    if out is not None:
        write_tasks(out, tasks)
    found = {gold.id: defects(gold) for gold in golds_of(path)}
    if notes:
        for name, wrong in found.items():
            if wrong:
                say(f"{name}: {', '.join(wrong)}")
    counts = Counter(defect for wrong in found.values() for defect in wrong)
    flagged = "; ".join(f"{count} {defect}" for defect, count in sorted(counts.items())) or "none"
    held_out = sum("held-out" in task.domains for task in tasks)
    say(
        f"{len(tasks)} tasks imported, {held_out} of them held out; flagged: {flagged}; hash"
        f" {dataset_hash(tasks)}"
    )
