"""Recorded action lists replayed on the office's servers and scored by state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ossia_dataset.workbench.database import NOW
from ossia_evaluation.workbench.actions import writing_tools
from ossia_evaluation.workbench.categories import Category, categorise, exact_match
from ossia_evaluation.workbench.reading import read_actions
from ossia_evaluation.workbench.state import same_state
from ossia_servers.workbench.office import COMPAT_2024, FindDatabase, office_domains
from ossia_servers.worlds import WorldStore
from ossia_servers.worlds.diff import Diff
from ossia_servers.worlds.execute import execute

HOME = "New York, New York"


@dataclass(frozen=True)
class Replayed:
    """What a recorded run comes to."""

    correct: bool
    side_effects: bool
    category: Category | None
    """None for a correct run."""
    exact: bool
    """Whether the writing actions are the truth's to the letter."""
    skipped: tuple[str, ...]
    """Actions that were skipped, with the reason."""

    @property
    def kind(self) -> str:
        """`correct`, or the category with whether there were side effects."""
        if self.category is None:
            return "correct"
        return f"{self.category}/{'side_effects' if self.side_effects else 'no_side_effects'}"


class Replayer:
    """Replays actions on fresh worlds in memory. Not thread-safe."""

    def __init__(self, find: FindDatabase, seed: str) -> None:
        """Make a replayer.

        Args:
            find: where start states come from.
            seed: the start state of all runs.
        """
        domains = office_domains(find, COMPAT_2024)
        self._domains = {domain.name: domain for domain in domains}
        self._store = WorldStore(domains)
        self._seed = seed
        self._number = 0
        self._truths: dict[tuple[str, ...], Diff] = {}

    def score(self, predicted: Sequence[str], truth: Sequence[str], error: str = "") -> Replayed:
        """Score one recorded run.

        Args:
            predicted: its actions.
            truth: the truth's actions.
            error: what the framework told of its own end; any text makes the run incorrect.
        """
        gold = self._truths.get(tuple(truth))
        if gold is None:
            gold = self._truths[tuple(truth)] = self.run(truth)[0]
        actual, skipped = self.run(predicted)
        same = same_state(gold, actual, self._store.tables)
        correct = same and not error
        return Replayed(
            correct=correct,
            side_effects=bool(actual) and not same,
            category=None if correct else categorise(predicted, truth, error),
            exact=exact_match(predicted, truth),
            skipped=skipped,
        )

    def run(self, actions: Sequence[str]) -> tuple[Diff, tuple[str, ...]]:
        """Run actions on a fresh world; one that raises is skipped from there on.

        Only actions that can change the state are run: nobody reads what a search answers.

        Returns:
            What changed, and the skipped actions with their reasons.
        """
        self._number += 1
        world = self._store.create(f"run-{self._number}", seed=self._seed, now=NOW, home=HOME)
        skipped = []
        try:
            for text in actions:
                found = read_actions(text)
                for action in found.actions:
                    if action.name in writing_tools():
                        given = {"intent": action.tool, **action.arguments}
                        execute(self._store, world, self._domains[action.toolkit], given)
                if found.error is not None:
                    skipped.append(f"{text}: {found.error}")
            return world.diff(), tuple(skipped)
        finally:
            self._store.delete(world.id)
