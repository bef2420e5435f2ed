"""What a suite is: its tasks, team and grader, and what else it can do."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar

from ossia_dataset.builtin import DatasetVersion, sets_in, version_in
from ossia_dataset.tasks import Task
from ossia_servers.worlds.domain import Domain

if TYPE_CHECKING:
    # Suites are also looked up by commands that neither run nor grade: what a suite's functions
    # return of these is loaded when they are called.
    from ossia.examples import Example
    from ossia.runner.config import EpisodeLimits
    from ossia.storage.place import Place
    from ossia.user import User
    from ossia_evaluation.attribution.columns import Published
    from ossia_evaluation.attribution.contracts import TeamContracts
    from ossia_evaluation.compare import Comparison
    from ossia_evaluation.grade import Grade
    from ossia_evaluation.grader import Grader
    from ossia_evaluation.metrics import Metric
    from ossia_evaluation.report.part import ReportPart
    from ossia_evaluation.worlds.proof import ProofLine
    from ossia_servers.gateway import Ask, Budget, Model, Offline
    from ossia_servers.trace import Trace, UserTurn
    from ossia_workflows import Team
    from ossia_workflows.graph import WorkflowGraph

Domains: TypeAlias = Sequence[Domain]

Played: TypeAlias = "Iterable[tuple[Trace, Grade]]"
"""Episodes of a run with their grades."""

T = TypeVar("T", bound=Task)

COMMAND_GROUPS: Final = ("dataset", "model", "score", "export")
"""The groups of commands to which a suite may add."""


def _no_domains(source: str) -> Domains:
    return ()


def _no_facts(tasks: Iterable[T]) -> Mapping[str, str]:
    return {}


def _plain_grade() -> type[Grade]:
    from ossia_evaluation.grade import Grade

    return Grade


def _no_turns(task: Task) -> tuple[UserTurn, ...]:
    return ()


def _usual_budget() -> Budget:
    from ossia.runner.config import USUAL_BUDGET

    return USUAL_BUDGET


def _nothing(domains: Domains) -> str:
    return ""


def later(target: str) -> Callable[..., Any]:
    """Return a function that loads another when it is called: most commands need few of a suite's.

    Args:
        target: the other's place, as `module:name`.
    """

    def call(*given: Any, **named: Any) -> Any:
        return resolve_name(target)(*given, **named)

    return call


@dataclass(frozen=True)
class Importer:
    """Reads published tasks from a user's copy: `ossia dataset import`."""

    reads: str
    """What the copy is, such as `a CSV file of Auto-SLURP`."""
    target: str
    """The function, as `module:function`, of the path, the path to write to or None, and whether
    to print the notes on single rows (`notes`, by name)."""


@dataclass(frozen=True)
class Suite(Generic[T]):
    """A set of tasks with the team that plays them and what grades it; `T` is its type of task.

    Only the first fields are needed. The others are asked for where they can be used: without them
    a command says that the suite has no such thing.
    """

    name: str
    tasks: Callable[[str], tuple[T, ...]]
    """Loads tasks from a built-in set, a file or folder, or published data by path."""
    team: Callable[[T, Domains], Team]
    """The team that plays a task."""
    grader: Callable[[Domains], Grader]
    limits: Callable[[], EpisodeLimits]
    """Limits that every framework gets alike."""
    budget: Callable[[], Budget] = _usual_budget
    """The most that an episode may spend where a user says nothing else."""
    team_key: Callable[[T], Hashable] = attrgetter("id")
    """What decides a task's team: tasks that are alike in it share one. By default each task has a
    team of its own."""
    paraphrases: Mapping[str, Callable[[T, Domains], Team]] = field(default_factory=dict)
    """The same team with prompts in other words, by the name that `--prompts` takes."""
    grade: Callable[[], type[Grade]] = _plain_grade
    """The type of what its grader gives, by which stored grades are read."""
    metrics: Callable[[], Sequence[Metric]] = tuple
    """What is told of its episodes beside the verdict."""
    success: str = ""
    """What a success is, in one sentence for the reader of a report."""
    data: Path | None = None
    """The folder of its built-in sets, a folder of JSON Lines each; suites may share it."""
    domains: Callable[[str], Domains] = _no_domains
    """The domain servers for a source of tasks, such as `test` or a folder."""
    compat: Mapping[str, Callable[[str], Domains]] = field(default_factory=dict)
    """The same as published releases have them, by the release."""
    catalogue: Callable[[Domains], str] = _nothing
    """The domain servers as a person or a prompt is told of them."""
    example: str = ""
    """Path and query of a request that any of its worlds answers."""
    user: Callable[[T, Domains], User] | None = None
    """Makes the simulated user who talks with the team in one attempt at an episode. Without one
    the task's utterance is all that is said."""
    llm_user: Callable[[T, Domains, Ask], User] | None = None
    """Makes the user of `--user MODEL`, for whom a model speaks: it is given how to ask it."""
    history: Callable[[T], Sequence[UserTurn]] = _no_turns
    """The turns of a task's conversation that have been before its utterance."""
    knowledge: Callable[[Sequence[T], Sequence[str]], Sequence[T]] | None = None
    """Makes of tasks those whose teams are told what a user asks for by `--knowledge`, a task for
    each form of it; what it raises as `ValueError` says that there is no such form."""
    players: Mapping[str, Callable[[Mapping[str, T]], Model]] = field(default_factory=dict)
    """Models made from the tasks themselves, by name; they prove the suite and compare nothing."""
    offline: Offline | None = None
    """Makes the offline model, which knows the roles of its team and reads requests alone."""
    release: Callable[[Sequence[T]], str] = field(default=lambda tasks: "")
    """Which release of databases tasks rest on; results of different ones are never mixed."""
    roles: tuple[str, ...] = ()
    """Columns of the failure table, in order."""
    role_titles: Mapping[str, str] = field(default_factory=dict)
    """What the failure table calls roles, where it is not their own name."""
    published: Callable[[], Published | None] = lambda: None
    """Published failures by role, to stand beside those of a run."""
    starts_with_tasks: bool = False
    """Whether the tasks alone say how a world may start; else it starts at any clock and home."""
    contracts: Callable[[Domains], TeamContracts] | None = None
    """What the roles owe, so that failures can be attributed."""
    checked: Callable[[Sequence[T]], Sequence[T]] | None = None
    """Those tasks of the set `test` of which `ossia adapter check` draws a few, which the offline
    model solves where it plays, and the player `gold` otherwise."""
    scenes: tuple[str, ...] = ()
    """Tasks of the set `test` in which every member of a team that a manager leads works once, asks
    for the date with `get_date` or a server with `http_request` if it can, and which the offline
    model solves. The scenes of `ossia adapter check` are played with those of the first suite that
    has any."""
    describe: Callable[[T, Domains], Iterator[str]] | None = None
    """A task in full, as lines for people."""
    report: (
        Callable[[Mapping[str, T], Played, EpisodeLimits, Comparison], ReportPart | None] | None
    ) = None
    """A part of the report of its own, from a run's tasks, episodes, limits and comparison."""
    workflow: Callable[[T, Domains], WorkflowGraph] | None = None
    """A task's gold workflow: what a correct run does, and what has to be done before what."""
    check: Callable[[str | None], Iterator[ProofLine]] | None = None
    """Proves the tasks of a source, or all built-in sets: `ossia dataset check`."""
    related: Callable[[], Mapping[str, Sequence[T]]] = dict
    """Sets that `ossia dataset stats` tells beside its own, by title."""
    counts: Callable[[Sequence[T]], Mapping[str, Mapping[str, int]]] | None = None
    """Counts what a set holds, as rows of columns, for `ossia dataset stats`; where there is none,
    gold requests are counted."""
    importers: Mapping[str, Importer] = field(default_factory=dict)
    """Published formats that are turned into its tasks, by name."""
    examples: Callable[[Sequence[T], Place | None], Sequence[Example]] | None = None
    """What a model may learn from tasks: `ossia model examples`. Beside the tasks it gets the
    run whose prompts are to be learnt, if one is named."""
    facts: Callable[[Iterable[T]], Mapping[str, str]] = _no_facts
    """What is told of a run's tasks with every result, such as what a trivial answer gets."""
    commands: Mapping[str, str] = field(default_factory=dict)
    """Commands of its own: the function, as `module:function`, by the command, such as
    `score workbench-log`. Suites of one family may bring the same ones."""

    def __post_init__(self) -> None:
        """Look at what would else fail only when a command is called.

        Raises:
            ValueError: a command is in no group that suites may add to, or names no function.
        """
        for command, target in self.commands.items():
            group, _, name = command.partition(" ")
            if group not in COMMAND_GROUPS or not name or " " in name or ":" not in target:
                raise ValueError(
                    f"'{command}' ({target}) is not a command of a suite: write GROUP NAME, with"
                    " one"
                    f" of the groups {', '.join(COMMAND_GROUPS)}, and module:function"
                )

    @property
    def sets(self) -> tuple[str, ...]:
        """The names of its built-in task sets."""
        return sets_in(self.data)

    @property
    def version(self) -> DatasetVersion | None:
        """The recorded version of these; None where none is recorded."""
        return version_in(self.data)

    def prompted(self, paraphrase: str) -> Suite[T]:
        """Return the suite whose teams have prompts in other words.

        Args:
            paraphrase: one of `paraphrases`; empty for the suite as it is.

        Raises:
            KeyError: it has none of this name.
        """
        return replace(self, team=self.paraphrases[paraphrase]) if paraphrase else self

    def team_roles(self, tasks: Sequence[T], domains: Domains) -> tuple[str, ...]:
        """Return the names of the roles in the teams that play tasks, each once.

        Args:
            tasks: the tasks; their teams may differ.
            domains: the suite's domain servers for these tasks.
        """
        return role_names(self.teams(tasks, domains))

    def teams(self, tasks: Sequence[T], domains: Domains) -> list[Team]:
        """Return the different teams that play tasks.

        Args:
            tasks: the tasks; their teams may differ.
            domains: the suite's domain servers for these tasks.
        """
        alike = {self.team_key(task): task for task in tasks}
        return [self.team(task, domains) for task in alike.values()]


def role_names(teams: Iterable[Team]) -> tuple[str, ...]:
    """Return the names of the roles in teams, each once, in their order."""
    return tuple(dict.fromkeys(role.name for team in teams for role in team.roles))
