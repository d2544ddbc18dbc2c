"""Names of time zones."""

from zoneinfo import available_timezones

_NO_ZONES = frozenset({"Factory", "localtime", "posixrules"})
"""Files among those of the zones: what a machine has set, or has not."""


def time_zones() -> frozenset[str]:
    """Names such as ``Europe/Berlin`` that mean the same on every machine; they are listed from the disk."""
    return frozenset(available_timezones() - _NO_ZONES)
