"""What was injected into an episode, as its trace tells it."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, ConfigDict, NonNegativeInt

from ossia_servers.stress.kinds import Where

NOT_ASKED: Final = "not asked"
"""What would have come, where nobody was asked for it."""

_MOST_CHARACTERS: Final = 2000


class Injected(BaseModel):
    """One injection of a fault."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fault: str
    """The fault's key."""
    kind: str
    where: Where
    seq: NonNegativeInt
    """The call it hit: `Exchange.seq`, or for a service the place among the trace's requests."""
    role: str = ""
    """Who had asked the model; empty for a service."""
    tool: str = ""
    """The tool whose call was hit, where there is one."""
    request: str = ""
    """Of a service, the request that was hit: its method, path and query."""
    mark: str = ""
    """What the world holds once a hidden instruction was obeyed; empty for other faults."""
    would: str
    """What would have come; `NOT_ASKED` where nobody was asked."""
    came: str
    """What came."""


def capped(text: str) -> str:
    """Return a text as it stands in the trace: its beginning, where it is long."""
    more = len(text) - _MOST_CHARACTERS
    return text if more <= 0 else f"{text[:_MOST_CHARACTERS]}... ({more} more characters)"
