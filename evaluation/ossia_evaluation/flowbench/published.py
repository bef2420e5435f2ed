"""What the published code makes of the calls of a session, or of a turn."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Final

from ossia_evaluation.flowbench.measures.calls import Call
from ossia_evaluation.flowbench.measures.corrected import Tally
from ossia_evaluation.flowbench.measures.published_sessions import score_session

__all__ = ["published_calls"]

_NO: Final = "no"


def published_calls(gold: Sequence[Call], made: Sequence[Call]) -> Tally:
    """Count calls as the published code of sessions does, with both its missing names defined.

    Its judge is never asked: where texts differ and the gold one is not within the other, they are
    not the same. Where there is no call it counts one, on both sides.

    Args:
        gold: The calls of the gold run.
        made: The calls that were made, refused ones too.
    """
    dialog = f"assistant:\n{_written(made)}"
    found = score_session(dialog, _written(gold), "", lambda asked: _NO, names_bound=True)
    return Tally(found.all_api_num_gt, found.all_api_num_pre, found.right_api_num)


def _written(calls: Iterable[Call]) -> str:
    return "\n\n".join(
        f"Action: {call.name}\nAction Input: {json.dumps(call.parameters or {})}" for call in calls
    )
