"""Whole numbers that people and programs write."""

import re

_FIGURES = re.compile(r"[0-9]{1,18}")


def whole_number(text: str, most: int = 10**9) -> int | None:
    """The number from 0 to ``most`` that ``text`` writes in the figures 0 to 9; None for all else.

    Python also reads figures of other scripts (``٣``), signs and ``1_000``.
    """
    number = int(text) if _FIGURES.fullmatch(text) else None
    return None if number is None or number > most else number
