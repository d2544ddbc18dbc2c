"""What models cost: the operator's word first, then this list, then a provider's own map."""

import math

from schemas.model_catalog import ModelEntry, Price

AS_OF = "2026-11"
"""When the list was made. Prices change: an operator's own price, in the settings, always wins."""
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


def listed_price(entry: ModelEntry) -> Price | None:
    """The price of ``entry`` as far as the operator or our list knows it.

    A model behind the operator's own address is never priced by its name: a local server may call
    itself anything.
    """
    if entry.price is not None:
        return entry.price
    if entry.local:
        return FREE
    if entry.api_base:
        return None
    return _LIST.get(entry.model.rsplit("/", 1)[-1].replace(".", "-"))


def cost_micros(price: Price | None, *, input_tokens: int, output_tokens: int) -> int | None:
    """Money for a call, rounded up to a whole millionth; None when the price is unknown."""
    if price is None:
        return None
    return math.ceil((price.input_micros * input_tokens + price.output_micros * output_tokens) / 1_000_000)
