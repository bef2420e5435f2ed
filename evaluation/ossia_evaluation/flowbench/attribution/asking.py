"""What an agent is to ask for at a stage of a session, and whether its words do."""

from __future__ import annotations

from collections.abc import Set

from ossia_evaluation.flowbench.attribution.course import Stage
from ossia_evaluation.flowbench.attribution.owed import Owing
from ossia_servers.flowbench.asked import asked_slots, is_asking, is_closing

__all__ = ["Asking"]


class Asking:
    """Reads questions of one session's agent."""

    def __init__(self, owing: Owing) -> None:
        """Take what the roles owe."""
        self._owing = owing

    def waits(self, stage: Stage) -> bool:
        """Return whether the user is waited for at a stage."""
        return bool(stage.place.asked_for) or self._owing.waiting(stage) is not None

    def asks(self, stage: Stage, words: str) -> bool:
        """Return whether words ask for what comes next, in whatever words."""
        if not is_asking(words) or is_closing(words):
            return False
        due, scenario = stage.place.asked_for, self._owing.scenario(stage)
        if not due:
            # At a decision a question about what may be decided is one.
            return True
        asked = asked_slots(words, scenario.slots, due)
        if asked:
            return bool(set(asked) & set(due))
        return not any(
            asked_slots(words, other.slots, ())
            for other in self._owing.golds.scenarios.values()
            if other.role == scenario.role and other != scenario
        )

    def asks_again(self, stage: Stage, words: str, slots: Set[str]) -> bool:
        """Return whether words ask for one of some slots, or for what does not come next."""
        if not is_asking(words) or is_closing(words):
            return False
        asked = asked_slots(words, self._owing.scenario(stage).slots, ())
        return not slots.isdisjoint(asked) or not self.asks(stage, words)

    def asked(self, stage: Stage) -> str:
        """Return what is to be asked at a stage, as it follows `ask`."""
        slots = self._owing.scenario(stage).slots
        if stage.place.asked_for:
            return f"for {slots[stage.place.asked_for[0]].about}"
        waiting = self._owing.waiting(stage)
        return "for a decision" if waiting is None else f"for a decision at {waiting.step}"
