"""The tokens of a reply, as vendors count them in litellm's form."""

from typing import Any

from schemas.model import Usage

_NO_COUNT = 10**9
"""Tokens that no call has: such a count is a mistake, and the ledger could not keep the largest."""


# Any, here and below: litellm has no types.
def usage_of(reported: Any, *, else_input: int, else_output: int) -> Usage:
    """The usage without its cost; what the vendor did not count is ``else_input`` and ``else_output``."""
    tokens_in = _count(reported, "prompt_tokens") or else_input
    tokens_out = _count(reported, "completion_tokens") or else_output
    read = getattr(reported, "prompt_tokens_details", None)
    wrote = getattr(reported, "completion_tokens_details", None)
    # Some servers count the cache beside the input; a part is never more than the whole.
    cached = min(_count(read, "cached_tokens"), tokens_in)
    return Usage(
        input_tokens=tokens_in,
        output_tokens=tokens_out,
        cached_tokens=cached,
        written_tokens=min(_count(read, "cache_creation_tokens"), tokens_in - cached),
        thought_tokens=min(_count(wrote, "reasoning_tokens"), tokens_out),
    )


def _count(counted: Any, name: str) -> int:
    """The number at ``name``; 0 where there is none, or one that no call has."""
    found = counted.get(name) if isinstance(counted, dict) else getattr(counted, name, None)
    return found if isinstance(found, int) and 0 < found < _NO_COUNT else 0
