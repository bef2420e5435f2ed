"""Prediction files in the text format of the published methods.

Such a file is what a method printed: other lines stand between the blocks, and a block begins with
`Prediction for 12.json:`. A block counts when it has an agent and a step; of several blocks for
one log the last that counts does.
"""

from __future__ import annotations

import re
import sys
from typing import Final

from pydantic import BaseModel, ConfigDict, NonNegativeInt

_HEAD: Final = re.compile(r"Prediction for ([^:]+\.json):")
_MARK: Final = "Prediction for"
_AGENT: Final = re.compile(r"Agent Name:\s*(\w+)", re.IGNORECASE)
_STEP: Final = re.compile(r"Step Number:\s*(\d+)", re.IGNORECASE)
_MOST_DIGITS: Final = 18


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Prediction(_Frozen):
    """What a method says about one log."""

    log: str
    """The log's file name."""
    agent: str
    """One word, as the published reading takes it."""
    step: str
    """Digits, as written."""

    @property
    def number(self) -> int:
        """The step as a number; a number of absurd length is a step that no log has."""
        return int(self.step) if len(self.step) <= _MOST_DIGITS else sys.maxsize


class Predictions(_Frozen):
    """What a prediction file holds."""

    found: tuple[Prediction, ...]
    """One for each log, in the order of their first block."""
    unreadable: tuple[str, ...] = ()
    """Logs with a block, but none that has both an agent and a step."""
    repeated: NonNegativeInt = 0
    """Blocks that a later one for the same log replaces."""


def parse_predictions(text: str) -> Predictions:
    """Read the text of a prediction file; never fails, since any text may stand between blocks."""
    found: dict[str, Prediction | None] = {}
    repeated = 0
    for name, block in _blocks(text):
        agent, step = _AGENT.search(block), _STEP.search(block)
        if agent is None or step is None:
            found.setdefault(name, None)
            continue
        repeated += found.get(name) is not None
        found[name] = Prediction(log=name, agent=agent[1], step=step[1])
    return Predictions(
        found=tuple(one for one in found.values() if one is not None),
        unreadable=tuple(name for name, one in found.items() if one is None),
        repeated=repeated,
    )


def _blocks(text: str) -> list[tuple[str, str]]:
    """The log's name and the words of each block; a block ends where the next mark begins."""
    blocks = []
    position = 0
    while (head := _HEAD.search(text, position)) is not None:
        end = text.find(_MARK, head.end())
        end = len(text) if end < 0 else end
        blocks.append((head[1].strip(), text[head.end() : end]))
        position = end
    return blocks
