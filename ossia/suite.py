"""What a suite is: its tasks, servers, team and scorer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ossia.runner.config import EpisodeLimits
from ossia_dataset.tasks import Task
from ossia_evaluation.score import Scorer
from ossia_servers.domain import Domain
from ossia_servers.gateway import Model
from ossia_workflows import Team

Domains = Sequence[Domain]


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
    limits: EpisodeLimits = field(default_factory=EpisodeLimits)
    players: Mapping[str, Callable[[Mapping[str, Task]], Model]] = field(default_factory=dict)
    """Models made from the tasks themselves, by name; they prove the suite and compare nothing."""
    release: Callable[[Sequence[Task]], str] = field(default=lambda tasks: "")
    """Which release of databases tasks rest on; results of different ones are never mixed."""
    roles: tuple[str, ...] = ()
    """Columns of the failure table."""
