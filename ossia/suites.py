"""The suites by name, wherever one is run, scored, shown or checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ossia.errors import UserError
from ossia.suite import Domains, Suite
from ossia_dataset.builtin import load_tasks
from ossia_dataset.tasks import DEFAULT_HOME, DEFAULT_NOW, Task
from ossia_servers.catalogue import EXAMPLE, catalogue_text, load_domains

if TYPE_CHECKING:
    from ossia.runner.config import EpisodeLimits
    from ossia_evaluation.score import Scorer
    from ossia_workflows import Team


@cache
def find_suite(name: str) -> Suite:
    """Return a suite.

    Raises:
        UserError: there is none of this name.
    """
    made = _SUITES.get(name)
    if made is None:
        raise UserError(f"no suite is called '{name}'; there are: {', '.join(_SUITES)}")
    return made(name)


def suite_names() -> tuple[str, ...]:
    """Return the names of all suites."""
    return tuple(_SUITES)


ASSISTANT_ROLES: Final = (
    "intent",
    "time",
    "location",
    "url",
    "manager",
    "function call",
    "response",
)
"""In the order of Auto-SLURP's Table 3."""


_TURNS: Final = {"assistant": 20, "assistant-compound": 40}
"""A gold run has seven turns at most; of several wishes five each, and two at the end."""


def _assistant_domains(source: str) -> Domains:
    return load_domains()


def _assistant_catalogue(domains: Domains) -> str:
    return catalogue_text(tuple(domains))


def _assistant_scorer(domains: Domains) -> Scorer:
    from ossia_evaluation.score import Scorer

    return Scorer(domains)


def _assistant(name: str) -> Suite:
    def team(task: Task, domains: Domains) -> Team:
        from ossia_workflows import load_team

        return load_team(name, {"catalogue": _assistant_catalogue(domains), "home": task.home})

    def tasks(source: str) -> tuple[Task, ...]:
        if not source.endswith(".csv"):
            return load_tasks(source, name)
        if not Path(source).is_file():
            raise UserError(f"{source}: no such file")
        from ossia_dataset.auto_slurp import read_auto_slurp

        return read_auto_slurp(Path(source), now=DEFAULT_NOW, home=DEFAULT_HOME).tasks

    def limits() -> EpisodeLimits:
        from ossia.runner.config import EpisodeLimits

        return EpisodeLimits(turns=_TURNS[name])

    return Suite(
        name=name,
        tasks_of=name,
        tasks=tasks,
        domains=_assistant_domains,
        catalogue=_assistant_catalogue,
        example=EXAMPLE,
        team=team,
        scorer=_assistant_scorer,
        limits=limits,
        offline_plays=True,
        roles=ASSISTANT_ROLES,
    )


def _office(name: str) -> Suite:
    from ossia.office import office_suite

    return office_suite(name)


_SUITES: Final[Mapping[str, Callable[[str], Suite]]] = {
    "assistant": _assistant,
    "assistant-compound": _assistant,
    "workbench": _office,
    "workbench-react": _office,
    "workbench-react-all": _office,
}
"""What makes each suite; only the suite that is asked for is made."""
