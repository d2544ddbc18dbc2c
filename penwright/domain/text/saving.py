"""What a person typed, brought together with what the file became meanwhile."""

from dataclasses import dataclass
from typing import Final

from penwright.domain.text.merging import merge
from schemas.patching import ConflictPlace, Disputed, Merged

_EXCERPT: Final = 2_000
_MOST_PLACES: Final = 20


@dataclass(frozen=True, slots=True)
class SavedText:
    """The text that holds both sides' changes, or the passages that both changed."""

    text: str
    """Of a conflict: the text as it was."""
    places: tuple[ConflictPlace, ...] = ()


def saved_text(base: str | None, mine: str, theirs: str) -> SavedText:
    """Merge the typed text ``mine``, made from ``base``, into ``theirs``, the text at the tip; all with LF.

    ``base``: None if it is unknown, so that only an equal text can be taken.
    """
    if mine in (theirs, base):
        return SavedText(theirs)
    if base is None:
        return SavedText(theirs, (_place("", mine, theirs),))
    if base == theirs:
        return SavedText(mine)
    merged = merge(base, mine, theirs)
    if isinstance(merged, Merged):
        return SavedText(merged.text)
    disputed = [part for part in merged.parts if isinstance(part, Disputed)]
    return SavedText(theirs, tuple(_place(p.base, p.mine, p.theirs) for p in disputed[:_MOST_PLACES]))


def _place(base: str, mine: str, theirs: str) -> ConflictPlace:
    return ConflictPlace(base=base[:_EXCERPT], mine=mine[:_EXCERPT], theirs=theirs[:_EXCERPT])
