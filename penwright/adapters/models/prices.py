"""The one answer to what a model costs: by the operator's setting, else by the data of ``genai-prices``."""

import math
from typing import TYPE_CHECKING

from schemas.model_catalog import ModelEntry, Price

if TYPE_CHECKING:
    from genai_prices.types import PriceCalculation

FREE = Price(input_micros=0, output_micros=0)
_VENDORS = {"azure_ai": "azure", "fireworks_ai": "fireworks"}
"""litellm's names of vendors that the data does not recognize."""
_FIELDS = {
    "input_micros": "input_mtok",
    "output_micros": "output_mtok",
    "cached_micros": "cache_read_mtok",
    "written_micros": "cache_write_mtok",
}
"""Names in the data, in dollars a million tokens."""


def price_of(entry: ModelEntry) -> Price | None:
    """The price today, of a short prompt; None if it is unknown. The first call takes half a second.

    A model at the operator's own address is never priced by name: a local server may use any name.
    """
    if (own := _own_price(entry)) or (listed := _listed(entry)) is None:
        return own
    told = {name: getattr(listed.model_price, field) for name, field in _FIELDS.items()}
    # A price that rises with the prompt has a base.
    dollars = {name: getattr(each, "base", each) for name, each in told.items() if each is not None}
    return Price(**{"output_micros": 0, **{name: round(each * 10**6) for name, each in dollars.items()}})


def cost_micros(
    entry: ModelEntry,
    *,
    input_tokens: int,
    output_tokens: int,
    cached_tokens: int = 0,
    written_tokens: int = 0,
) -> int | None:
    """A call's cost in millionths of a US dollar, rounded up; None if the model's price is unknown.

    ``input_tokens`` holds what was read from the vendor's cache and written into it.
    """
    if (price := _own_price(entry)) is None:
        listed = _listed(
            entry,
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            cache_read_tokens=cached_tokens,
            cache_write_tokens=written_tokens,
        )
        return None if listed is None else math.ceil(listed.total_price * 10**6)
    plain = input_tokens - cached_tokens - written_tokens
    cached = price.input_micros if price.cached_micros is None else price.cached_micros
    written = price.input_micros if price.written_micros is None else price.written_micros
    whole = price.input_micros * plain + cached * cached_tokens + written * written_tokens
    return math.ceil((whole + price.output_micros * output_tokens) / 1_000_000)


def _own_price(entry: ModelEntry) -> Price | None:
    """The price by the settings; that of a vendor's model is in them if the operator set one."""
    return entry.price or (FREE if entry.local or entry.provider != "litellm" else None)


def _listed(entry: ModelEntry, **tokens: int) -> "PriceCalculation | None":
    """The data's price of ``tokens``; None if it has no such model of that vendor, or none by the token."""
    if entry.api_base:
        return None
    # Imported here: it is large, and a home with the demo model never needs it. It downloads nothing.
    from genai_prices import Usage, calc_price

    vendor, slash, name = entry.model.partition("/")
    try:
        found = calc_price(
            Usage(**tokens),
            name if slash else entry.model,
            provider_id=_VENDORS.get(vendor, vendor) if slash else None,
        )
    except LookupError:
        return None
    return None if found.model_price.input_mtok is None else found
