"""Hints in the newest words at who should answer: names, or a wish for a description."""

from collections.abc import Sequence
from typing import Final

import regex

from penwright.domain.text.slugs import folded
from schemas.director import CastMember

_WISHES: Final = (
    "look around",
    "looks around",
    "look about",
    "where am i",
    "what do i see",
    "what can i see",
    "describe the scene",
    "describe the room",
    "describe my surroundings",
)
_BEFORE: Final = ("i", "we", "and", "now", "then", "please", "let me", "let us", "slowly", "carefully")
_AFTER: Final = ("me", "us", "here", "now", "please", "again", "slowly", "carefully", "the room", "the place")
_WISH = regex.compile(
    rf"[^\p{{L}}]*(?:(?:{'|'.join(_BEFORE)})[^\p{{L}}]+){{0,4}}(?:{'|'.join(_WISHES)})"
    rf"(?:[^\p{{L}}]+(?:{'|'.join(_AFTER)})){{0,4}}[^\p{{L}}]*"
)
SCANNED: Final = 20_000
"""Characters that are looked at."""


def wishes_description(text: str) -> bool:
    """Whether the user asks for a description of what is around and says nothing else: "I look around."."""
    return _WISH.fullmatch(folded(text[:SCANNED])) is not None


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
