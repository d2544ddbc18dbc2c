"""Money in words."""


def money(micros: int, unknown_prices: int = 0) -> str:
    """Millionths of a US dollar as dollars; calls of unknown price are said, never counted as nothing."""
    shown = f"${micros / 1_000_000:,.3f}"
    if not unknown_prices:
        return shown
    calls = "1 call" if unknown_prices == 1 else f"{unknown_prices:,} calls"
    return f"{shown} and {calls} of unknown price"
