"""The money of a citation scan: what is left of it, and its parts for calls that run at once."""

from typing import Final

from schemas.base import Cause
from schemas.citation_scan import CitationScanInput, CitationScanState

MONEY_SPENT: Final = "money-spent"
_OF_A_CALL: Final = "cost-spent"
"""Code of an agent's run that has used up its cap on money."""


def micros_left(given: CitationScanInput, state: CitationScanState) -> int | None:
    """Millionths of a dollar; None: there is no limit."""
    if given.cost_micros is None:
        return None
    return max(given.cost_micros - state.control.cost_micros, 0)


def part(left: int | None, among: int) -> int | None:
    """Share of the cost left for each of ``among`` targets that are looked up at once."""
    return None if left is None else left // among


def is_spent(given: CitationScanInput, state: CitationScanState) -> bool:
    """Whether no model is asked any more. What was found by then can be decided and is applied."""
    return given.cost_micros is not None and (state.capped or micros_left(given, state) == 0)


def is_short(cause: Cause | None, left: int | None) -> bool:
    """Whether a call came to nothing because the budget had too little left for it."""
    return left is not None and cause is not None and cause.code == _OF_A_CALL


def least(*caps: int | None) -> int | None:
    """The lowest of the caps that there are."""
    return min((cap for cap in caps if cap is not None), default=None)


def message(given: CitationScanInput, pending: int) -> str:
    """Explain why the scan ended early, and what to do."""
    assert given.cost_micros is not None, "a budget is spent"
    return (
        f"the scan may cost ${given.cost_micros / 1_000_000:.4f}, and that is spent; sentences not looked "
        f"up: {pending}; what was proposed by then can be decided, and another scan goes on from there"
    )
