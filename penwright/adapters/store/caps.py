"""The rule that checks a model call against caps."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from penwright.errors import BudgetSpent
from schemas.budgets import PERIODS, Cap, Caps, Period


@dataclass(frozen=True, slots=True)
class Use:
    """Amounts that a period has used or reserved, or that a call may need."""

    tokens: int = 0
    micros: int | None = 0
    """Millionths of a US dollar; None if the price is unknown, which only a call's need may be."""
    calls: int = 0

    def plus(self, other: "Use") -> "Use":
        micros = (self.micros or 0) + (other.micros or 0)
        return replace(self, tokens=self.tokens + other.tokens, micros=micros, calls=self.calls + other.calls)


def check_caps(caps: Caps, used: Mapping[Period, Use], wanted: Use) -> None:
    """Raise ``BudgetSpent`` for the first cap that ``wanted`` would exceed; reaching a cap is allowed."""
    for period in PERIODS:
        _check_period(period, caps.of(period), used[period], wanted)


def _check_period(period: Period, cap: Cap, used: Use, wanted: Use) -> None:
    if cap.micros is not None and wanted.micros is None:
        raise BudgetSpent(
            "price-unknown",
            f"The price of this call is unknown, and the {period!r} cap counts money. "
            f"Give the model a price in the settings, or remove the money cap of the {period}.",
            period=period,
        )
    after = used.plus(wanted)
    _check_cap(period, "calls", cap.calls, used.calls, after.calls)
    _check_cap(period, "tokens", cap.tokens, used.tokens, after.tokens)
    _check_cap(period, "micros", cap.micros, used.micros or 0, after.micros or 0)


def _check_cap(period: Period, measure: str, cap: int | None, used: int, after: int) -> None:
    if cap is None or after <= cap:
        return
    until = "wait for the next UTC day" if period == "day" else "stop here"
    setting = f"budgets.{period}.{'usd' if measure == 'micros' else measure}"
    raise BudgetSpent(
        "budget-spent",
        f"This call would exceed the {period!r} cap of {_shown(measure, cap)}: {_shown(measure, used)} "
        f"used or reserved, and the call may need {_shown(measure, after - used)}. "
        f"Raise {setting} in penwright.toml, or {until}; then resume",
        period=period,
        measure=measure,
        cap=str(cap),
        used=str(used),
        wanted=str(after - used),
    )


def _shown(measure: str, amount: int) -> str:
    if measure == "micros":
        return f"${amount / 1_000_000:.4f}"
    return f"{amount:,} {measure.removesuffix('s') if amount == 1 else measure}"
