"""How the rows of the assistant's domains are known where they have no id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ossia_evaluation.worlds.evidence import Identity

IDENTITIES: Final[Mapping[str, Identity]] = {
    # One rate tells any amount, in both directions; the reply tells which.
    "currency": Identity(("from", "to"), unordered=True),
    # The time there tells the difference, and the difference the time.
    "datetime": Identity(("place", "days", "between", "readings"), by_request=True),
    "news": Identity(("headline", "source", "date")),
    "qa": Identity(("answer", "about"), any_of=True),
    "recommendation": Identity(("name", "venue", "theatre", "place", "date", "address")),
    "stock": Identity(("symbol", "date")),
    "takeaway": Identity(("name", "address")),
    "transport": Identity(("type", "agency", "from_place", "to_place", "place", "date", "time")),
    "weather": Identity(("place", "date", "time")),
}
