"""Money in words."""

from collections.abc import Sequence

from penwright.domain.text.counted import counted


def estimated(costs: Sequence[int | None]) -> str:
    """Add up an estimate by the costs of its roles; None: of unknown price."""
    known = [each for each in costs if each is not None]
    if costs and not known:
        return "cost unknown"
    unknown = len(costs) - len(known)
    roles = "1 role" if unknown == 1 else f"{unknown} roles"
    return money(sum(known)) + (f" and {roles} of unknown price" if unknown else "")


def money(micros: int, unknown_prices: int = 0) -> str:
    """Millionths of a US dollar as dollars; calls of unknown price are said, never counted as nothing."""
    shown = f"${micros / 1_000_000:,.3f}"
    if not unknown_prices:
        return shown
    if not micros:
        return "unknown"
    calls = counted(unknown_prices, "call")
    return f"{shown} and {calls} of unknown price"
