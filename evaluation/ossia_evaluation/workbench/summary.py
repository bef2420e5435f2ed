"""Verdicts of many tasks in shares: by domain, by number of actions, by template, by error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from ossia_evaluation.csv_text import csv_text
from ossia_evaluation.workbench.categories import Category

SUMMARY_VERSION: Final = 2
"""Version of the stored summary."""

CSV_COLUMNS: Final = (
    "of",
    "release",
    "group",
    "name",
    "tasks",
    "correct",
    "accuracy",
    "side_effects",
    "side_effect_rate",
    "succeeded",
)


class TaskVerdict(BaseModel):
    """The verdict of one task."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    domain: str
    """A toolkit, or `multi_domain`."""
    template: str
    query: str
    truth_actions: int
    """How many actions the truth has."""
    correct: bool
    """By the publication's rules: the state is the truth's, whatever the user was told."""
    succeeded: bool | None = None
    """Ossia's own verdict; None for a recorded run of the publication, which has none."""
    side_effects: bool
    category: Category | None
    """The kind of error; None for a correct task."""
    exact: bool
    """Whether the writing actions are the truth's to the letter."""
    skipped: tuple[str, ...] = ()
    """Actions of a recorded run that raise in the published evaluator, with the reason."""


class GroupShare(BaseModel):
    """How a group of tasks went."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    tasks: int
    correct: int
    side_effects: int
    succeeded: int | None = None
    """Successes by Ossia's own verdict; None where there is none."""

    @property
    def accuracy(self) -> float:
        """Share of correct tasks."""
        return self.correct / self.tasks if self.tasks else 0.0

    @property
    def side_effect_rate(self) -> float:
        """Share of tasks with side effects."""
        return self.side_effects / self.tasks if self.tasks else 0.0


class Summary(BaseModel):
    """All shares of a set of verdicts."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[2] = SUMMARY_VERSION
    release: str
    """The release of databases and tasks."""
    total: GroupShare
    by_domain: tuple[GroupShare, ...]
    by_actions: tuple[GroupShare, ...]
    by_need: tuple[GroupShare, ...]
    """Tasks whose truth does nothing, and those where it does something."""
    by_template: tuple[GroupShare, ...]
    errors: Mapping[str, tuple[int, int]]
    """By category: failed tasks with and without side effects."""

    @property
    def groups(self) -> Mapping[str, tuple[GroupShare, ...]]:
        """All shares by what they are grouped by."""
        return {
            "domain": (*self.by_domain, self.total),
            "need": self.by_need,
            "actions": self.by_actions,
            "template": self.by_template,
        }


def summarise(release: str, verdicts: Sequence[TaskVerdict]) -> Summary:
    """Return the shares of verdicts.

    Args:
        release: the release of databases and tasks.
        verdicts: one for each task.
    """
    errors: Counter[tuple[Category, bool]] = Counter(
        (item.category, item.side_effects) for item in verdicts if item.category is not None
    )
    return Summary(
        release=release,
        total=_share("all", verdicts),
        by_domain=_grouped(verdicts, lambda item: item.domain),
        by_actions=_grouped(verdicts, lambda item: item.truth_actions),
        by_need=_grouped(
            verdicts, lambda item: "one or more actions" if item.truth_actions else "no action"
        ),
        by_template=_grouped(verdicts, lambda item: item.template),
        errors={
            category.value: (errors[category, True], errors[category, False])
            for category in Category
            if errors[category, True] or errors[category, False]
        },
    )


def summaries_csv(summaries: Mapping[str, Summary]) -> str:
    """Return summaries as CSV with a header, one line for each group and each kind of error.

    The lines of an error count its failed tasks.

    Args:
        summaries: by what was summarised, such as a framework and its model.
    """
    return csv_text(CSV_COLUMNS, _csv_lines(summaries))


def _csv_lines(summaries: Mapping[str, Summary]) -> Iterator[tuple[str | int, ...]]:
    for name, summary in summaries.items():
        for kind, shares in summary.groups.items():
            for share in shares:
                yield name, summary.release, kind, *_cells(share)
        for error, (harmful, harmless) in summary.errors.items():
            tasks = harmful + harmless
            failed = GroupShare(name=error, tasks=tasks, correct=0, side_effects=harmful)
            yield name, summary.release, "error", *_cells(failed)


def _cells(share: GroupShare) -> tuple[str | int, ...]:
    rates = f"{share.accuracy:.4f}", f"{share.side_effect_rate:.4f}"
    own = "" if share.succeeded is None else share.succeeded
    return share.name, share.tasks, share.correct, rates[0], share.side_effects, rates[1], own


def _grouped(
    verdicts: Iterable[TaskVerdict], key: Callable[[TaskVerdict], Hashable]
) -> tuple[GroupShare, ...]:
    groups: dict[Hashable, list[TaskVerdict]] = {}
    for item in verdicts:
        groups.setdefault(key(item), []).append(item)
    return tuple(
        _share(str(name), groups[name])
        for name in sorted(groups, key=lambda name: (isinstance(name, str), name))
    )


def _share(name: str, verdicts: Sequence[TaskVerdict]) -> GroupShare:
    own = [item.succeeded for item in verdicts if item.succeeded is not None]
    return GroupShare(
        name=name,
        tasks=len(verdicts),
        correct=sum(item.correct for item in verdicts),
        side_effects=sum(item.side_effects for item in verdicts),
        succeeded=sum(own) if own else None,
    )
