"""Which runs may be laid side by side: those of one dataset, one release and one division."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ossia.errors import UserError
from ossia.runner.config import FrameworkVersion, RunConfig
from ossia.suites import find_suite
from ossia_dataset.tasks import Task, dataset_hash

__all__ = ["check_dataset", "require_one_division", "require_same_dataset"]


def check_dataset(config: RunConfig, tasks: Sequence[Task]) -> None:
    """Refuse tasks that are not the ones the run was made with.

    Raises:
        UserError: the task set has changed since.
    """
    found = dataset_hash(tasks)
    if found != config.dataset_hash:
        raise UserError(
            f"the task set '{config.tasks}' has changed since the run"
            f" (hash {found}, the run has {config.dataset_hash}); start a new run"
        )


def require_same_dataset(configs: Sequence[RunConfig], *, force: bool = False) -> None:
    """Refuse to lay runs side by side that were made with different datasets.

    Runs may have chosen different tasks of one set; the set itself has to be the same.

    Args:
        configs: the runs' configurations.
        force: lay them side by side all the same, unless they rest on different releases.

    Raises:
        UserError: two of them differ in suite, set, version or hash, and it is not forced; or
            they rest on different releases of databases.
    """
    first = configs[0]
    for other in configs[1:]:
        if _dataset(first) == _dataset(other):
            continue
        releases = [_release(config) for config in (first, other)]
        if releases[0] != releases[1]:
            raise UserError(
                f"the runs {first.run_id} and {other.run_id} use different releases:"
                f" {' and '.join(releases)}; their results cannot be compared"
            )
        if not force:
            raise UserError(
                f"the runs {first.run_id} and {other.run_id} were made with different datasets:"
                f" {_dataset_text(first)} and {_dataset_text(other)};"
                " use --force to compare them anyway"
            )


def require_one_division(frameworks: Iterable[FrameworkVersion]) -> None:
    """Refuse to lay tuned variants beside documented ones, whose prompts are not theirs.

    Raises:
        UserError: there are variants of both divisions.
    """
    by_division = {each.division: each.name for each in frameworks}
    if len(by_division) > 1:
        told = " and ".join(f"{name} ({division})" for division, name in by_division.items())
        raise UserError(f"{told} belong to two divisions, whose results are never mixed")


def _release(config: RunConfig) -> str:
    suite = find_suite(config.suite)
    return suite.release(suite.tasks(config.tasks)) or "none"


def _dataset(config: RunConfig) -> tuple[str, str, str]:
    # A run without the hash of its whole set says nothing about what else was in it.
    return config.suite, config.dataset_version, config.set_hash or config.dataset_hash


def _dataset_text(config: RunConfig) -> str:
    suite, version, digest = _dataset(config)
    return f"{suite}/{config.tasks} {f'version {version}, ' if version else ''}hash {digest}"
