"""The comparison of frameworks and models as it is stored and shown."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, model_validator

from ossia_evaluation.metrics import MetricInfo
from ossia_evaluation.rows import DroppedCost, MetricSummary, TaskShare, TurnCost, UserCost
from ossia_evaluation.stress.figures import Stress
from ossia_evaluation.words import counted

COMPARISON_VERSION: Final = 7
"""Version of the stored comparison format. Since version 7 seconds stand with how many episodes
were played at once; since version 6 it carries the metrics that its suite declares."""

PAIRED_COSTS: Final = ("calls", "tokens", "wall_s")
"""What is told of the cost of an episode on either side of a pair."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Title(_Frozen):
    """What a framework in one of its variants is called where there is room for words."""

    text: str
    idiom: str = ""
    """How the manager of the variant leads; empty where that is not told."""
    status: str = ""
    """What is known of the framework's maintenance; empty where that is not told."""


class WorkerFigures(_Frozen):
    """What a framework's worker took until it was ready."""

    import_cpu_s: float
    """CPU time of importing adapter and framework."""
    memory_mib: float
    """The most memory that it held."""


class FrameworkSummary(_Frozen):
    """One framework's line of the comparison, with one model. Means are over valid episodes."""

    framework: str
    """Its key, as in the ids of episodes."""
    label: str = ""
    """What tables call it; empty in what was stored before, and where two would be called alike."""
    idiom: str = ""
    """How its manager leads; empty where that is not told."""
    status: str = ""
    """What was known of its maintenance when it was run; empty where that is not told."""
    worker: WorkerFigures | None = None
    """None in what was stored before it was told."""
    model: str
    version: str
    episodes: int
    """Finished episodes, invalid ones included."""
    invalid: int
    success: TaskShare
    success_of_all: TaskShare
    """Over all finished episodes, invalid ones as failures."""
    metrics: dict[str, MetricSummary] = {}
    """What the suite tells beside success, by the names of its metrics, over the valid episodes
    that have a value."""
    refused: int = 0
    """Failed episodes in which the endpoint refused a request for its content."""
    refusal: str | None = None
    """The endpoint's words on the first of them."""
    calls: float | None
    tokens: float | None
    tokens_estimated: bool
    price_usd: float | None
    """Mean price of an episode; None when any is unknown."""
    price_per_success_usd: float | None
    wall_s: float | None = None
    """Mean seconds of an episode; None in what was stored before it was told."""
    wall_p50_s: float | None
    wall_p95_s: float | None
    jobs: int | None = None
    """How many episodes of all frameworks were played at once; None where that differs or is not
    known. With several, seconds are those of a queue."""
    cpu_s: float | None
    """Mean over the valid episodes of which it is known."""
    turns: tuple[TurnCost, ...] = ()
    """The cost of each turn of the user's, where a user went on talking."""
    forced: tuple[str, ...] = ()
    """Parameters that the framework set on any of its model calls, as `name=value`."""
    reported_tokens_share: float | None
    """Tokens that the framework reports, out of those the gateway counted."""
    failures_by_role: dict[str, int]
    """Failed episodes in which the rules name the role; one episode may name several."""
    by_role: dict[str, TaskShare]
    """The same as shares of the failed episodes."""
    by_group: dict[str, TaskShare]
    """Success by group, such as the domain."""
    metrics_by_group: dict[str, dict[str, MetricSummary]] = {}
    """The metrics that are also told by group: by the group for each metric's name."""
    pass_hat: dict[int, float]
    """pass^k over tasks for every k up to the number of repeats; empty without repeats."""

    @property
    def latency_p50_s(self) -> float | None:
        """The median seconds of an episode that was played alone; None beside others."""
        return self.wall_p50_s if self.jobs == 1 else None

    @property
    def latency_p95_s(self) -> float | None:
        """The 95th percentile of these seconds."""
        return self.wall_p95_s if self.jobs == 1 else None

    @property
    def throughput_per_min(self) -> float | None:
        """How many episodes a minute so many at once come to; None for one at a time."""
        if self.jobs is None or self.jobs < 2 or not self.wall_s:
            return None
        return 60 * self.jobs / self.wall_s


class PairedCost(_Frozen):
    """What an episode costs on either side of a pair: means over the tasks that both have."""

    first: float
    second: float
    low: float | None
    """The 95 % interval of the first one's minus the second one's, from the tasks' differences;
    None for a single task."""
    high: float | None

    @property
    def difference(self) -> float:
        """The first one's minus the second one's."""
        return self.first - self.second


class Pair(_Frozen):
    """Two frameworks, or two models in one framework, on the same tasks and repeats.

    Pairs with an invalid episode are left out.
    """

    of: Literal["frameworks", "models"] = "frameworks"
    within: str
    """What both have in common: the model of two frameworks, the framework of two models."""
    first: str
    second: str
    both: int
    neither: int
    only_first: tuple[str, ...]
    """Episodes' tasks (with `#repeat` after the first) that only the first carries out."""
    only_second: tuple[str, ...]
    tasks: int
    """How many tasks both have a valid episode of."""
    difference: float | None
    """Mean over tasks of the first one's success minus the second one's; None where there is no
    such task."""
    low: float | None
    high: float | None
    """Its 95 % interval, clustered by task."""
    p_value: float
    """Sign-flip test on task means, two-sided; with one episode for each task exact McNemar."""
    test: Literal["exact", "monte carlo"] = "exact"
    p_holm: float
    """The same, adjusted for the number of pairs compared: of frameworks, or of models (Holm)."""
    costs: dict[str, PairedCost] = {}
    """By the names of `PAIRED_COSTS`; empty where there is no task that both have, and in what was
    stored before they were told."""


class Comparison(_Frozen):
    """The result of a run, ready to be shown.

    Raises:
        ValueError: it was stored in a format that is not the present one nor one of the two before.
    """

    version: Literal[7] = COMPARISON_VERSION
    run: str
    finding: tuple[str, ...] = ()
    """What the figures say, as sentences."""
    success: str = ""
    """What a success is, as the suite tells it; without a full stop."""
    metrics: tuple[MetricInfo, ...] = ()
    """What the suite tells beside success, in the order in which it is shown."""
    facts: dict[str, str]
    """What a reader needs to repeat it: model, dataset hash, versions, seed, budget."""
    planned: int
    finished: int
    frameworks: tuple[FrameworkSummary, ...]
    roles: tuple[str, ...]
    """Roles in the order of the failure table."""
    group: str = ""
    """By which kind of group results are told, such as `domain`; empty where tasks have none."""
    groups: tuple[str, ...] = ()
    """These groups in name order; an empty one is of the tasks that are in none."""
    models: tuple[str, ...] = ()
    """In the order in which they are shown."""
    pairs: tuple[Pair, ...]
    equal: tuple[str, ...] = ()
    """Models with which success is equal by construction: they answer alike in whatever framework,
    and none of the frameworks loses an answer."""
    invalid: dict[str, str]
    """Invalid episodes and why; excluded from all rates."""
    dropped: DroppedCost | None = None
    """None where nothing was dropped."""
    user: UserCost | None = None
    """None where no model speaks for a simulated user."""
    unaccounted_attempts: int = 0
    """Attempts at the model, of invalid episodes too, of which no usage came."""
    cached_calls: int = 0
    """Calls, of invalid episodes too, that were answered from the run's cache."""
    calls: int = 0
    """All calls; 0 in what was stored before it was counted."""
    stress: Stress | None = None
    """What episodes with faults show, which are in no other figure; None where there are none."""

    @property
    def most_turns(self) -> int:
        """The most turns of a user's in any episode; 0 where nobody went on talking."""
        return max((len(line.turns) for line in self.frameworks), default=0)

    @property
    def cached(self) -> str | None:
        """The answers from the cache in one sentence, or None where there are none."""
        if not self.cached_calls:
            return None
        return (
            f"Cached: {self.cached_calls:,} of {self.calls:,} model calls were answered from the"
            " run's own earlier answers (--cache). They cost nothing, so prices depend on which"
            " framework asked first; their tokens are counted, and they shorten latencies."
        )

    @property
    def unaccounted(self) -> str | None:
        """These attempts in one sentence, or None where there are none."""
        count = self.unaccounted_attempts
        if not count:
            return None
        return (
            f"Unaccounted: {counted(count, 'attempt')} at the model timed out, broke"
            " off or could not be read, and no usage came; the provider may charge for them."
        )

    @model_validator(mode="before")
    @classmethod
    def _read_the_version_before(cls, data: Any) -> Any:
        """Read what version 6 stored."""
        if not isinstance(data, dict) or data.get("version") != 6:
            return data
        # Only who reads an old comparison needs it.
        from ossia_evaluation.comparison_6 import from_version_6

        try:
            return {**from_version_6(data), "version": COMPARISON_VERSION}
        except (LookupError, TypeError, AttributeError):
            # Damaged: what is missing is told of what was stored.
            return data

    @property
    def columns(self) -> tuple[MetricInfo, ...]:
        """The metrics that stand in columns beside success."""
        return tuple(m for m in self.metrics if m.aggregate and m.place == "column")

    @property
    def lines(self) -> tuple[MetricInfo, ...]:
        """The metrics that on a terminal stand in lines below the table."""
        return tuple(m for m in self.metrics if m.aggregate and m.place == "line")

    @property
    def grouped(self) -> tuple[MetricInfo, ...]:
        """The metrics that are also told by group."""
        return tuple(m for m in self.metrics if m.aggregate and m.by_group)

    @property
    def is_uneven(self) -> bool:
        """Whether lines differ in how many of their episodes are invalid."""
        return len({line.invalid for line in self.frameworks}) > 1

    def mark(self, model: str) -> str:
        """Return a model's short name in tables, `m1` and so on, as in the ids of episodes.

        Raises:
            ValueError: the comparison has no such model.
        """
        return f"m{self.models.index(model) + 1}"

    def name(self, framework: str) -> str:
        """Return what tables call a framework, by its key."""
        labels = (line.label for line in self.frameworks if line.framework == framework)
        return next(filter(None, labels), framework)

    def label(self, line: FrameworkSummary) -> str:
        """Return what a line is called: the framework, with the model where there are several."""
        if len(self.models) < 2:
            return self.name(line.framework)
        return f"{self.name(line.framework)} {self.mark(line.model)}"

    def pair_name(self, pair: Pair) -> str:
        """Return what a pair is called, with what both have in common where models differ."""
        if pair.of == "models":
            return f"{self.name(pair.within)}: {self.mark(pair.first)} / {self.mark(pair.second)}"
        name = f"{self.name(pair.first)} / {self.name(pair.second)}"
        return f"{self.mark(pair.within)}: {name}" if len(self.models) > 1 else name
