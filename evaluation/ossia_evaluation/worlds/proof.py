"""What the proof of a task finds, and the words of a run that does what is right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ossia_dataset.builtin import Load, present_version, recorded_version
from ossia_evaluation.worlds.gold import GoldRun


@dataclass(frozen=True)
class Proof:
    """What the proof of one task found."""

    task: str
    problems: tuple[str, ...]
    """Empty when the task is proven."""
    mutants: int
    """How many parameters and intents of the gold requests were mutated."""
    surviving: tuple[str, ...]
    """Those of them that pass although they should fail: the task is not proven. Either no mutant
    fails and no declaration says why, or one passes with another outcome."""
    idle: tuple[str, ...] = ()
    """Those whose every mutant has the gold outcome, as is declared: see `idle`."""

    @property
    def proven(self) -> bool:
        """Whether nothing speaks against the task."""
        return not (self.problems or self.surviving)


class ProofLine(NamedTuple):
    """One line of what a check of task sets has to tell."""

    text: str
    sound: bool = True
    """Whether it speaks of nothing wrong."""


def outdated(suite: str, load: Load) -> Iterator[ProofLine]:
    """Yield a line where a suite's built-in sets are not what is recorded of their version.

    Args:
        suite: the suite.
        load: loads one of its sets by name.
    """
    known = recorded_version(suite)
    if known is not None and known != present_version(known.version, suite, load):
        yield ProofLine(
            f"{suite}: the sets are not those of version {known.version};"
            " see `ossia dataset record`",
            sound=False,
        )


DONE = "Done, it is all set."
"""What is said whatever was done."""


def faithful_reply(run: GoldRun) -> str:
    """Return the words of the servers, or some where they were not asked."""
    return run.reply or "With pleasure."
