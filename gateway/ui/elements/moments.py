"""Times as people say them, with the exact one beside it."""

from datetime import datetime

from gateway.ui.elements.html import attribute, text

_STEPS = ((60, "s"), (60, "min"), (24, "h"), (10_000, "d"))


def relative_time(at: datetime, now: datetime) -> str:
    """Say how long ago, or how long until then: ``5 min ago``, ``in 2 h``."""
    seconds = int((now - at).total_seconds())
    amount, unit = _scaled(abs(seconds))
    if amount == 0:
        return "now"
    return f"{amount} {unit} ago" if seconds > 0 else f"in {amount} {unit}"


def moment(at: datetime | None, now: datetime) -> None:
    """A ``time`` element; the exact time is in the document and in its tooltip."""
    if at is None:
        text("span", "–")
        return
    element = text("time", relative_time(at, now))
    attribute(element, "datetime", at.isoformat())
    attribute(element, "title", f"{at:%Y-%m-%d %H:%M:%S} UTC")


def _scaled(seconds: int) -> tuple[int, str]:
    amount = seconds
    for size, unit in _STEPS:
        if amount < size:
            return amount, unit
        amount //= size
    return amount, "d"
