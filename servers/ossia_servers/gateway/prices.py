"""Prices of calls, from data that ships with the product; nothing is fetched."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache

from ossia_servers.gateway.records import Usage

PRICES_OF = datetime(2026, 11, 1, tzinfo=UTC)
"""The day whose prices are applied, so that a record's price does not depend on when it is read."""

_UNPRICED = frozenset({"offline", "scripted", "replay"})

# Where our provider prefixes differ from the names in the price data.
_PROVIDER_IDS = {"gemini": "google", "xai": "x-ai"}


def price_usd(model: str, usage: Usage | None) -> float | None:
    """Return what a call costs in US dollars.

    Args:
        model: The model's name with its provider's prefix, such as `openai/gpt-4o`; without one,
            the provider is found by the model's name.
        usage: The call's tokens.

    Returns:
        The price, or None if the model's price or the tokens are not known. Never a made-up 0.
    """
    if usage is None or not _has_price(model):
        return None
    return _calculated(model, usage)


@lru_cache(maxsize=1024)
def _has_price(model: str) -> bool:
    """Look a model up once: searching the data in vain takes longer than a whole call."""
    if not model or model in _UNPRICED:
        return False
    try:
        _calculated(model, Usage(prompt_tokens=1, completion_tokens=1, source="estimate"))
    except LookupError:
        return False
    return True


def _calculated(model: str, usage: Usage) -> float:
    from genai_prices import Usage as PricedUsage
    from genai_prices import calc_price

    priced = PricedUsage(
        input_tokens=usage.prompt_tokens,
        output_tokens=usage.completion_tokens,
        cache_read_tokens=usage.cached_tokens,
        cache_write_tokens=usage.cache_write_tokens,
    )
    provider, slash, rest = model.partition("/")
    result = calc_price(
        priced,
        model_ref=rest if slash else model,
        provider_id=_PROVIDER_IDS.get(provider, provider) if slash else None,
        genai_request_timestamp=PRICES_OF,
    )
    return float(result.total_price)


def is_priced(model: str) -> bool:
    """Say whether the price of a model is known.

    Args:
        model: The model's name, as for `price_usd`.

    Returns:
        True if calls of it have a price.
    """
    return (
        price_usd(model, Usage(prompt_tokens=1, completion_tokens=1, source="provider")) is not None
    )
