"""What a suite is: its tasks, servers, team and scorer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from ossia_dataset.tasks import Task
from ossia_servers.domain import Domain

if TYPE_CHECKING:
    # Suites are also looked up by commands that neither run nor score: what a suite's functions
    # return of these is loaded when they are called.
    from ossia.runner.config import EpisodeLimits
    from ossia_evaluation.score import Scorer
    from ossia_servers.gateway import Model
    from ossia_workflows import Team

Domains: TypeAlias = Sequence[Domain]


@dataclass(frozen=True)
class Suite:
    """A set of tasks with its servers, team and scorer."""

    name: str
    tasks_of: str
    """The suite that its built-in sets are stored under; several suites may run the same tasks."""
    tasks: Callable[[str], tuple[Task, ...]]
    """Loads tasks from a built-in set, a file or folder, or published data by path."""
    domains: Callable[[str], Domains]
    """The domain servers for a source of tasks, such as `test` or a folder."""
    catalogue: Callable[[Domains], str]
    """The domain servers as a person or a prompt is told of them."""
    example: str
    """Path and query of a request that any of its worlds answers."""
    team: Callable[[Task, Domains], Team]
    """The team that plays a task."""
    scorer: Callable[[Domains], Scorer]
    limits: Callable[[], EpisodeLimits]
    """Limits that every framework gets alike."""
    players: Mapping[str, Callable[[Mapping[str, Task]], Model]] = field(default_factory=dict)
    """Models made from the tasks themselves, by name; they prove the suite and compare nothing."""
    offline_plays: bool = False
    """Whether the offline model knows the roles of its team."""
    release: Callable[[Sequence[Task]], str] = field(default=lambda tasks: "")
    """Which release of databases tasks rest on; results of different ones are never mixed."""
    roles: tuple[str, ...] = ()
    """Columns of the failure table."""
    starts_with_tasks: bool = False
    """Whether the tasks alone say how a world may start; else it starts at any clock and home."""

    def team_roles(self, tasks: Sequence[Task], domains: Domains) -> tuple[str, ...]:
        """Return the names of the roles in the teams that play tasks, each once.

        Args:
            tasks: the tasks; their teams may differ.
            domains: the suite's domain servers for these tasks.
        """
        # A team follows from these two, and many tasks share them.
        alike = {(task.home, task.toolkits): task for task in tasks}
        teams = [self.team(task, domains) for task in alike.values()]
        return tuple(dict.fromkeys(role.name for team in teams for role in team.roles))
