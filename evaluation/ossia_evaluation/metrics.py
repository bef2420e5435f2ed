"""What a suite tells of an episode beside its verdict: how it is read, counted and shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any, Final, Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ossia_evaluation.grade import Grade
from ossia_servers.trace import Trace

Value: TypeAlias = bool | float | str
"""What a metric is worth in an episode."""

_FORMS: Final = {"share": ".2f", "mean": ".2f", "count": ",.0f", None: ".2f"}


class MetricInfo(BaseModel):
    """A metric as a comparison carries it: what its tables need, and no code."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    """Its key in JSON, and its column in the CSV of episodes."""
    title: str = Field(min_length=1)
    """What it is called in tables."""
    better: Literal["higher", "lower"] | None = None
    aggregate: Literal["share", "mean", "count"] | None = "mean"
    """What is told of several episodes: the share of those where it holds, with its interval
    clustered by task; the mean; or the sum, to which an episode where it holds adds 1. None for
    what is told of single episodes alone."""
    form: str = ""
    """How its figure is formatted, such as `.3f`; as is usual for the aggregate by default."""
    count_only: bool = False
    """Whether of a share nothing but the count is shown."""
    place: Literal["column", "line"] | None = "column"
    """Where it stands beside success: in a column, or, on a terminal, in a line below the table,
    where a further column would break the others; None for neither."""
    by_group: bool = False
    """Whether it is also told by group, such as the domain; models are laid side by side there."""
    column: str = ""
    """Its column in the CSV of the comparison, where that is not its name."""
    help: str = ""
    """What it says, for a note below the tables; without a full stop."""

    @model_validator(mode="after")
    def _can_be_shown(self) -> Self:
        """Refuse a format that no number has; it would break every report."""
        try:
            self.text(1.5)
        except ValueError as error:
            raise ValueError(f"the metric '{self.name}' cannot be shown: {error}") from None
        return self

    @property
    def has_interval(self) -> bool:
        """Whether a figure of it is shown with an interval."""
        return self.aggregate == "share" and not self.count_only

    @property
    def csv_column(self) -> str:
        """Its column in the CSV of the comparison, or what its five columns begin with."""
        return self.column or self.name

    def text(self, figure: float) -> str:
        """Return a figure as it is shown."""
        return format(float(figure), self.form or _FORMS[self.aggregate])

    def value_text(self, value: Value | None) -> str:
        """Return what it is worth in one episode as it is shown; a dash where that is unknown."""
        if value is None:
            return "-"
        if isinstance(value, bool):
            return "yes" if value else "no"
        return value if isinstance(value, str) else self.text(value)


class Metric(MetricInfo):
    """A metric as a suite declares it: with the code that reads it from an episode."""

    read: Callable[[Any, Trace, Any], Value | None] | None = None
    """Its value for a task, its trace and its grade; None where it has none. Without it the value
    is that of the grade's `metrics` under its name. Never asked of an invalid episode."""
    tell: Callable[[Any, Trace, Any], Sequence[str]] | None = None
    """What `ossia show` prints for it: a text, and further lines; by default the value."""

    @property
    def info(self) -> MetricInfo:
        """The same without code."""
        return MetricInfo(**{name: getattr(self, name) for name in MetricInfo.model_fields})

    def value(self, task: Any, trace: Trace, grade: Grade) -> Value | None:
        """Return what it is worth in an episode that is not invalid; None where it has no value.

        Raises:
            ValueError: the value cannot be counted as is declared.
        """
        value = grade.metrics.get(self.name) if self.read is None else self.read(task, trace, grade)
        if isinstance(value, float) and not isfinite(value):
            raise ValueError(f"the metric '{self.name}' is not a number: {value}")
        if value is None or self.aggregate is None:
            return value
        if isinstance(value, str):
            raise ValueError(
                f"the metric '{self.name}' is counted, but its value is a text: {value!r}"
            )
        if self.aggregate == "share":
            # A grade that was read from JSON may hold 1 for true.
            if value not in (0, 1):
                raise ValueError(
                    f"the metric '{self.name}' is a share, so its value must be true or false,"
                    f" not {value}"
                )
            return bool(value)
        return value

    def told(self, task: Any, trace: Trace, grade: Grade) -> Sequence[str]:
        """Return what is printed of an episode that is not invalid: a text, and further lines."""
        if self.tell is not None:
            return self.tell(task, trace, grade)
        return (self.value_text(self.value(task, trace, grade)),)


def checked(metrics: Sequence[Metric], taken: Sequence[str]) -> tuple[Metric, ...]:
    """Return metrics if tables can hold them.

    Args:
        metrics: what a suite declares.
        taken: columns that every suite's tables have.

    Raises:
        ValueError: two have the same name or column, or one has that of another figure.
    """
    for names in ([m.name for m in metrics], [m.csv_column for m in metrics]):
        known = set(taken)
        for name in names:
            if name in known:
                raise ValueError(f"there is more than one column '{name}'")
            known.add(name)
    return tuple(metrics)
