"""Points of time for people: in their own time zone, which is named. JSON has ISO 8601 in UTC."""

from datetime import datetime, tzinfo


def minute(at: datetime | str, zone: tzinfo | None = None) -> str:
    """``2026-11-22 20:15 CET``, in ``zone`` or the user's own; ``at`` has an offset (ISO 8601 if text)."""
    moment = datetime.fromisoformat(at) if isinstance(at, str) else at
    return f"{moment.astimezone(zone):%Y-%m-%d %H:%M %Z}"


def second(at: str) -> str:
    """``2026-11-22 20:15:07`` in the user's time zone."""
    return f"{datetime.fromisoformat(at).astimezone():%Y-%m-%d %H:%M:%S}"
