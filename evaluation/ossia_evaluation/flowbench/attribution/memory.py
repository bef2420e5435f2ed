"""What a role was shown of the conversation when it was asked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from pydantic import JsonValue

from ossia_evaluation.attribution import Received
from ossia_servers.flowbench.reports import outcomes
from ossia_servers.flowbench.spoken import says
from ossia_servers.wire.talk import read_talk

__all__ = ["Memory"]


class Memory:
    """What the requests of one step show."""

    def __init__(self, received: Iterable[Received]) -> None:
        """Read them."""
        asked = [each.conversation for each in received]
        self._said = "\n".join(dict.fromkeys(each.said for each in asked))
        talks = [turn for each in asked for turn in read_talk(each)]
        self._heard = {turn.user for turn in talks}
        self._tools = {
            made.tool for turn in talks for made in outcomes(turn) if made.result is not None
        }

    def has_heard(self, words: str) -> bool:
        """Whether something that the user said is shown."""
        quoted = json.dumps(words, ensure_ascii=False)[1:-1]
        return words in self._heard or words in self._said or quoted in self._said

    def has_heard_all(self, words: Sequence[str]) -> bool:
        """Whether all of this is shown."""
        return all(map(self.has_heard, words))

    def has_result(self, tool: str) -> bool:
        """Whether a result of a tool is shown."""
        return tool in self._tools

    def has_value(self, value: JsonValue) -> bool:
        """Whether a value stands anywhere in what is shown."""
        return says(self._said, value)

    def has_words(self, words: str) -> bool:
        """Whether words stand in what is shown."""
        return bool(words) and words in self._said
