"""Prices of models: the operator's setting first, then litellm's map where it is loaded, then this list."""

import math

from schemas.model_catalog import ModelEntry, Price

AS_OF = "2026-11"
"""Month of the list. Prices change; a price in the settings always wins."""
FREE = Price(input_micros=0, output_micros=0)


def _dollars(input_dollars: float, output_dollars: float) -> Price:
    return Price(input_micros=round(input_dollars * 1e6), output_micros=round(output_dollars * 1e6))


# Dollars per million tokens, input and output, by the vendor's name with dots written as hyphens.
_LIST = {
    "claude-haiku-4-5": _dollars(1, 5),
    "claude-opus-4-5": _dollars(5, 25),
    "claude-sonnet-4-5": _dollars(3, 15),
    "gemini-2-5-flash": _dollars(0.30, 2.50),
    "gemini-2-5-pro": _dollars(1.25, 10),
    "gpt-4-1": _dollars(2, 8),
    "gpt-4-1-mini": _dollars(0.40, 1.60),
    "gpt-4o": _dollars(2.50, 10),
    "gpt-4o-mini": _dollars(0.15, 0.60),
    "gpt-5": _dollars(1.25, 10),
    "gpt-5-mini": _dollars(0.25, 2),
}
_VENDORS = {
    "claude": ("anthropic",),
    "gemini": ("gemini", "google", "vertex_ai"),
    "gpt": ("openai",),
}
"""Who sells a model at its price in the list, by the first word of its name, besides ``openrouter``."""


def listed_price(entry: ModelEntry) -> Price | None:
    """Return the price of ``entry`` from the settings or our list; None if it is in neither.

    A model at the operator's own address is never priced by name: a local server may use any name.
    """
    if entry.price is not None:
        return entry.price
    if entry.local:
        return FREE
    if entry.api_base:
        return None
    *vendors, name = entry.model.split("/")
    if not {"openrouter", *_VENDORS.get(name.partition("-")[0], ())}.issuperset(vendors):
        return None
    return _LIST.get(name.replace(".", "-"))


def cost_micros(
    price: Price | None,
    *,
    input_tokens: int,
    output_tokens: int,
    cached_tokens: int = 0,
    written_tokens: int = 0,
) -> int | None:
    """Return a call's cost in millionths of a US dollar, rounded up; None if the price is unknown.

    ``input_tokens`` holds what was read from the vendor's cache and written into it.
    """
    if price is None:
        return None
    plain = input_tokens - cached_tokens - written_tokens
    cached = price.input_micros if price.cached_micros is None else price.cached_micros
    written = price.input_micros if price.written_micros is None else price.written_micros
    whole = price.input_micros * plain + cached * cached_tokens + written * written_tokens
    return math.ceil((whole + price.output_micros * output_tokens) / 1_000_000)
