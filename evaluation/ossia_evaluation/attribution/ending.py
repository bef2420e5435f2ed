"""How an episode was ended from outside its roles' words: by a limit, or by the endpoint."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ossia_evaluation.attribution.search import Status
from ossia_evaluation.model_signs import model_signs, was_unanswered
from ossia_servers.gateway.records import Exchange, GatewayRecord
from ossia_servers.trace import Trace

_LONGEST_REASON = 160


@dataclass(frozen=True)
class End:
    """An end by a limit or a refusal.

    Attributes:
        status: `LIMIT`, `REFUSED` or `ENDPOINT`.
        told: what ended, in whose turn, and who had spent how much, in one or two sentences.
    """

    status: Status
    told: str


def end_of(trace: Trace) -> End | None:
    """Return how an episode was ended by a limit or by the endpoint; None for any other end.

    A refusal after which its role was answered ended nothing; a manager may go on without the role.

    Args:
        trace: the episode.
    """
    record = trace.gateway
    refused = record.fatal_refusal
    if refused is not None:
        reason = " ".join((refused.error or "no reason given").split())[:_LONGEST_REASON]
        number = record.exchanges.index(refused) + 1
        told = f"The endpoint refused call {number}, in *{refused.role}*'s turn: {reason}"
        return End(Status.REFUSED, f"{told.rstrip('.')}. {_spent(record, 'tokens')}")
    last = record.exchanges[-1] if record.exchanges else None
    if last is not None and was_unanswered(last):
        return End(Status.ENDPOINT, _unanswered(trace))
    part = record.budget_spent or ("seconds" if trace.ending.kind == "timeout" else None)
    if part is None:
        return None
    turn = f", in *{last.role}*'s turn" if last is not None and last.role else ""
    return End(Status.LIMIT, f"The episode's {part} were spent{turn}. {_spent(record, part)}")


def _unanswered(trace: Trace) -> str:
    """What the endpoint did last, and what came of it."""
    sign = model_signs(trace)[-1]
    number, error = sign.seq + 1, trace.gateway.exchanges[sign.seq].error
    tries = f", sent {sign.attempts} times" if sign.attempts > 1 else ""
    gave = "told the user something all the same" if trace.answer else "gave up"
    return (
        f"The endpoint did not answer call {number}, in *{sign.role}*'s turn{tries} ({error}), and"
        f" the framework {gave}."
    )


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
