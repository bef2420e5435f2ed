"""The answers of a run's model on a tape, to be replayed."""

from __future__ import annotations

from collections.abc import Sequence

from ossia.errors import UserError
from ossia.runner.store import RunStore
from ossia_servers.gateway import Tape


def tape_of(store: RunStore, wanted: str | None = None) -> Tape:
    """Return what a model of a run answered, and what one said for the simulated user.

    Args:
        store: the run.
        wanted: the model, as `m1`, `m2` and so on or by its specification; a run with one model
            needs no name.

    Raises:
        UserError: the run has no such model, or several and none was named.
    """
    meant = _meant(store.config().models, wanted)
    tape = Tape()
    for trace in store.traces():
        if trace.episode.model == meant:
            tape.record(trace.untouched)
            if trace.user_account is not None:
                tape.record(trace.user_account.exchanges)
    return tape


def _meant(models: Sequence[str], wanted: str | None) -> str:
    """The model that is meant; two models' answers on one tape would be nobody's."""
    marks = {f"m{number}": model for number, model in enumerate(models, start=1)}
    there = ", ".join(f"{mark} = {model}" for mark, model in marks.items())
    if wanted is None:
        if len(models) > 1:
            raise UserError(f"the run has several models: {there}; name one with --model")
        return models[0]
    if wanted not in marks and wanted not in models:
        raise UserError(f"the run has no model '{wanted}'; there are: {there}")
    return marks.get(wanted, wanted)
