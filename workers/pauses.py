"""Pauses between two attempts."""

from collections.abc import Iterator

FIRST_S = 0.02
LONGEST_S = 0.5
"""Longer ones would delay a start; shorter ones would take a slow machine's time from the server."""


def growing_pauses() -> Iterator[float]:
    """Yield pauses in seconds, each twice as long as the one before, up to ``LONGEST_S``."""
    pause_s = FIRST_S
    while True:
        yield pause_s
        pause_s = min(LONGEST_S, pause_s * 2)
