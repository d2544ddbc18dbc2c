"""Hints in the newest words at who should answer: names."""

from collections.abc import Sequence
from typing import Final

import regex

from penwright.domain.text.slugs import folded
from schemas.director import CastMember

SCANNED: Final = 20_000
"""Characters that are looked at."""


def mentioned(text: str, cast: Sequence[CastMember]) -> tuple[str, ...]:
    """Ids of those whose whole name or nickname stands in the text, in the order of the first mention."""
    searched = folded(text[:SCANNED])
    found = []
    for member in cast:
        names = {folded(member.name), folded(member.nickname)} - {""}
        places = [place for name in names if (place := _place(name, searched)) is not None]
        if places:
            found.append((min(places), member.id))
    return tuple(character for _, character in sorted(found))


def _place(name: str, text: str) -> int | None:
    match = regex.search(rf"(?<![\p{{L}}\p{{N}}]){regex.escape(name)}(?![\p{{L}}\p{{N}}])", text)
    return match.start() if match else None
