"""Names of time zones."""

from zoneinfo import ZoneInfo


def is_time_zone(name: str) -> bool:
    """Whether a time zone has that name, such as ``Europe/Berlin``; it is looked up on the disk."""
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return True
