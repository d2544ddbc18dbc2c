"""What a person typed, or a draft, brought together with what the file became meanwhile."""

from dataclasses import dataclass
from typing import Final

from penwright.domain.text.merging.three_way import merge
from schemas.patching import Conflicting, ConflictPlace, Disputed, Merged

_EXCERPT: Final = 2_000
_MOST_PLACES: Final = 20


@dataclass(frozen=True, slots=True)
class SavedText:
    """The text that holds both sides' changes, and the passages that both changed."""

    text: str
    places: tuple[ConflictPlace, ...] = ()


def saved_text(base: str | None, mine: str, theirs: str) -> SavedText:
    """Merge the typed text ``mine``, made from ``base``, into ``theirs``, the text at the tip; all with LF.

    In a conflict the text is ``theirs``.

    ``base``: None if it is unknown, so that only an equal text can be taken.
    """
    if mine in (theirs, base):
        return SavedText(theirs)
    if base is None:
        return SavedText(theirs, (_place("", mine, theirs),))
    merged = merge(base, mine, theirs)
    if isinstance(merged, Merged):
        return SavedText(merged.text)
    return SavedText(theirs, _places(merged)[:_MOST_PLACES])


def brought_together(base: str, mine: str, theirs: str) -> SavedText:
    """Merge ``theirs``, what the file became, into the draft ``mine``; the person's words stay."""
    merged = merge(base, mine, theirs)
    if isinstance(merged, Merged):
        return SavedText(merged.text)
    text = "".join(part.mine if isinstance(part, Disputed) else part.text for part in merged.parts)
    return SavedText(text, _places(merged))


def _places(merged: Conflicting) -> tuple[ConflictPlace, ...]:
    disputed = (part for part in merged.parts if isinstance(part, Disputed))
    return tuple(_place(part.base, part.mine, part.theirs) for part in disputed)


def _place(base: str, mine: str, theirs: str) -> ConflictPlace:
    return ConflictPlace(base=base[:_EXCERPT], mine=mine[:_EXCERPT], theirs=theirs[:_EXCERPT])
