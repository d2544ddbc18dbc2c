"""Short notes on each round that does not fit word for word: who said what, one line for each message."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from schemas.scene import SceneMessage

_LONGEST = 120
"""Characters of one line's text."""


def round_notes(messages: Iterable[SceneMessage]) -> tuple[tuple[int, str], ...]:
    """Return round and notes of these messages, newest round first."""
    rounds = [(number, tuple(group)) for number, group in groupby(messages, key=lambda each: each.round)]
    return tuple((number, _notes(number, group)) for number, group in reversed(rounds))


def _notes(number: int, messages: Sequence[SceneMessage]) -> str:
    return "\n".join([f"Round {number}", *(f"- {each.name}: {_first_words(each.text)}" for each in messages)])


def _first_words(text: str) -> str:
    line = " ".join(text[: 4 * _LONGEST].split())
    if len(line) <= _LONGEST:
        return line
    return f"{line[:_LONGEST].rpartition(' ')[0] or line[:_LONGEST]} …"
