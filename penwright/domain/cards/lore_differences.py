"""Differences of meaning of a lorebook here and in SillyTavern, for imports and ``docs/lore.md``."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from penwright.domain.lore.keys import read_key
from schemas.cards import FieldReport
from schemas.lore import Lorebook, LoreEntry

_ASKED_FOR: Final = frozenset({"normal", "continue", "regenerate", "swipe", "quiet"})
_AMONG_PEOPLE: Final = frozenset({"before", "after", "examples-top", "examples-bottom"})


@dataclass(frozen=True, slots=True)
class LoreDifference:
    """One difference, and the entries that it concerns."""

    field: str
    """As SillyTavern calls it."""
    why: str
    concerns: Callable[[Lorebook, LoreEntry], bool]


def _has_phrase(book: Lorebook, entry: LoreEntry) -> bool:
    whole = book.whole_words if entry.whole_words is None else entry.whole_words
    return whole and any(" " in key.strip() for key in (*entry.keys, *entry.secondary))


def _has_broken_expression(book: Lorebook, entry: LoreEntry) -> bool:
    expressions = (key for key in (*entry.keys, *entry.secondary) if key.lstrip().startswith("/"))
    read = (read_key(key, case_sensitive=False, whole_words=False) for key in expressions)
    return any(each is not None and bool(each.fault) for each in read)


DIFFERENCES: Final = (
    LoreDifference(
        "key",
        "an expression that cannot be read is never found, as a text neither",
        _has_broken_expression,
    ),
    LoreDifference(
        "position",
        "among the people stand the constant ones; called by a key they follow the history",
        lambda _, entry: entry.position in _AMONG_PEOPLE and not entry.constant,
    ),
    LoreDifference(
        "role",
        "text between messages is nobody's message, whatever its role",
        lambda _, entry: entry.position == "depth" and entry.role != "system",
    ),
    LoreDifference(
        "outletName",
        "an outlet is called by prompts of cards and by author's notes, and by no other text",
        lambda _, entry: entry.position == "outlet",
    ),
    LoreDifference(
        "matchWholeWords",
        "a key of several words must be found as whole words, too",
        _has_phrase,
    ),
    LoreDifference(
        "characterFilter",
        "what is kept from some is in no prompt that is for everyone, such as the narrator's",
        lambda _, entry: entry.excludes and bool(entry.characters or entry.character_tags),
    ),
    LoreDifference(
        "triggers",
        "nothing here asks for prompts of this kind",
        lambda _, entry: bool({*entry.triggers} - _ASKED_FOR),
    ),
    LoreDifference(
        "vectorized",
        "texts are compared where the role `embeddings` makes vectors, and nowhere else",
        lambda _, entry: entry.vectorised,
    ),
    LoreDifference(
        "group",
        "if the winner of a group fails by its probability, nothing of the group fires",
        lambda _, entry: bool(entry.groups) and entry.probability < 100,
    ),
    LoreDifference(
        "sticky",
        "a change of the entry does not end its sticky time or its cooldown",
        lambda _, entry: bool(entry.sticky or entry.cooldown),
    ),
)


def of_differences(book: Lorebook) -> Iterator[FieldReport]:
    """Yield a line for each difference that concerns entries of the book."""
    for each in DIFFERENCES:
        if number := sum(each.concerns(book, entry) for entry in book.entries):
            entries = "1 entry" if number == 1 else f"{number:,} entries"
            yield FieldReport(at="book", field=each.field, fate="adapted", why=f"{entries}: {each.why}")
