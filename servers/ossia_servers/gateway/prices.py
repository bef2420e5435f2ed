"""Prices of calls, from data that ships with the product; nothing is fetched."""

from __future__ import annotations

from datetime import UTC, datetime

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
    if usage is None or not model or model in _UNPRICED:
        return None
    from genai_prices import Usage as PricedUsage
    from genai_prices import calc_price

    priced = PricedUsage(
        input_tokens=usage.prompt_tokens,
        output_tokens=usage.completion_tokens,
        cache_read_tokens=usage.cached_tokens,
    )
    provider, slash, rest = model.partition("/")
    try:
        result = calc_price(
            priced,
            model_ref=rest if slash else model,
            provider_id=_PROVIDER_IDS.get(provider, provider) if slash else None,
            genai_request_timestamp=PRICES_OF,
        )
    except LookupError:
        return None
    return float(result.total_price)
