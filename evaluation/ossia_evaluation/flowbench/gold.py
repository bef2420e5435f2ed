"""The gold runs of sessions, with what their scenarios say of tools and facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pydantic import JsonValue

from ossia_dataset.flowbench.sessions import SessionTask
from ossia_dataset.tasks import TaskError
from ossia_evaluation.flowbench.goals import Tells
from ossia_evaluation.flowbench.told import tells
from ossia_servers.flowbench.services import scenarios
from ossia_servers.flowbench.source import gold_run
from ossia_servers.flowbench.walk import Visit, WalkError
from ossia_workflows.scenario import Scenario, Tool

__all__ = ["GoldRuns", "shipped_golds"]


class GoldRuns:
    """Walks sessions, each once."""

    def __init__(
        self,
        scenarios: Mapping[str, Scenario],
        walk: Callable[[SessionTask], Sequence[Visit]],
    ) -> None:
        """Know no session yet.

        Args:
            scenarios: The scenarios by name.
            walk: Gives the gold run of a session, or raises `WalkError`.
        """
        self.scenarios = scenarios
        self._walk = walk
        self._known: dict[str, tuple[SessionTask, tuple[Visit, ...]]] = {}

    def visits(self, session: SessionTask) -> tuple[Visit, ...]:
        """Return a session's gold run.

        Raises:
            TaskError: it has none.
        """
        known = self._known.get(session.id)
        if known is None or known[0] != session:
            for wish in session.wishes:
                if wish.scenario not in self.scenarios:
                    raise TaskError(f"there is no scenario {wish.scenario}")
            try:
                known = self._known[session.id] = session, tuple(self._walk(session))
            except WalkError as error:
                raise TaskError(str(error)) from None
        return known[1]

    def scenario(self, session: SessionTask, wish: int) -> Scenario:
        """Return the scenario of a wish."""
        return self.scenarios[session.wishes[wish].scenario]

    def tools(self, session: SessionTask) -> Mapping[str, Tool]:
        """Return the tools of a session's service, by name."""
        return {
            name: tool
            for scenario in self._of_role(session)
            for name, tool in scenario.tools.items()
        }

    def tells(self, session: SessionTask) -> Tells:
        """Return what finds out whether an answer tells a fact in a session."""
        kinds = {
            fact: kind
            for scenario in self._of_role(session)
            for fact, kind in scenario.kinds.items()
        }

        def told(answer: str, fact: str, value: JsonValue) -> bool:
            return tells(answer, value, kinds[fact], session.now)

        return told

    def _of_role(self, session: SessionTask) -> tuple[Scenario, ...]:
        return tuple(each for each in self.scenarios.values() if each.role == session.role)


def shipped_golds() -> GoldRuns:
    """Return the gold runs of sessions with the scenarios that ship with Ossia."""
    return GoldRuns(scenarios(), gold_run)
