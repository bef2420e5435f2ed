"""How an episode was ended from outside its roles' words: by a limit, or by the endpoint."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ossia_evaluation.attribution.cuts import refused_by_endpoint
from ossia_evaluation.attribution.search import Status
from ossia_servers.gateway.records import Exchange, GatewayRecord
from ossia_servers.trace import Trace

_LONGEST_REASON = 160


@dataclass(frozen=True)
class End:
    """An end by a limit or a refusal.

    Attributes:
        status: `LIMIT` or `REFUSED`.
        told: what ended, in whose turn, and who had spent how much, in one or two sentences.
    """

    status: Status
    told: str


def end_of(trace: Trace) -> End | None:
    """Return how an episode was ended by a limit or by the endpoint; None for any other end.

    A refusal after which calls were answered ended nothing.

    Args:
        trace: the episode.
    """
    record = trace.gateway
    last = record.exchanges[-1] if record.exchanges else None
    if last is not None and refused_by_endpoint(last):
        reason = " ".join((last.error or "no reason given").split())[:_LONGEST_REASON]
        told = (
            f"The endpoint refused call {len(record.exchanges)}, in *{last.role}*'s turn: {reason}"
        )
        return End(Status.REFUSED, f"{told.rstrip('.')}. {_spent(record, 'tokens')}")
    part = record.budget_spent or ("seconds" if trace.ending.kind == "timeout" else None)
    if part is None:
        return None
    turn = f", in *{last.role}*'s turn" if last is not None and last.role else ""
    return End(Status.LIMIT, f"The episode's {part} were spent{turn}. {_spent(record, part)}")


def _spent(record: GatewayRecord, part: str) -> str:
    """Who spent how much of what ran out, the most first."""
    found: Counter[str] = Counter()
    for exchange in record.exchanges:
        found[exchange.role or "nobody"] += _cost(exchange, part)
    whole = found.total()
    if not whole:
        return "Nothing is known of who spent them."
    unit = {"calls": "calls", "tokens": "tokens", "seconds": "ms of the model's time"}[part]
    parts = [
        f"*{role}* {round(100 * spent / whole)} % ({spent:,})"
        for role, spent in found.most_common()
        if spent
    ]
    return f"Spent of {whole:,} {unit}: {', '.join(parts)}."


def _cost(exchange: Exchange, part: str) -> int:
    if part == "calls":
        return 1
    if part == "seconds":
        return round(1000 * exchange.timing.latency_s)
    if exchange.usage is not None:
        return exchange.usage.total_tokens
    # What was refused has no usage; it was sent all the same, about four characters a token.
    return len(str(exchange.request.get("messages", ""))) // 4
