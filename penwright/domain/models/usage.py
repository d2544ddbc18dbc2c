"""Total usage of several model calls."""

from collections.abc import Iterable

from schemas.model import Usage


def total(parts: Iterable[Usage]) -> Usage:
    """Return the sum; its cost is unknown if that of any part is."""
    each = tuple(parts)
    known = [part.cost_micros for part in each if part.cost_micros is not None]
    return Usage(
        input_tokens=sum(part.input_tokens for part in each),
        output_tokens=sum(part.output_tokens for part in each),
        cached_tokens=sum(part.cached_tokens for part in each),
        written_tokens=sum(part.written_tokens for part in each),
        thought_tokens=sum(part.thought_tokens for part in each),
        cost_micros=sum(known) if len(known) == len(each) else None,
    )
