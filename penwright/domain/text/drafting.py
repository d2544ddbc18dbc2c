"""A draft brought together with what its file has become meanwhile; the person's words stay in place."""

from dataclasses import dataclass
from typing import Final

from penwright.domain.text.merging import merge
from schemas.patching import ConflictPlace, Disputed, Merged

_EXCERPT: Final = 2_000


@dataclass(frozen=True, slots=True)
class BroughtTogether:
    """The draft with the file's changes in it."""

    text: str
    disputes: tuple[ConflictPlace, ...] = ()
    """Passages that both changed: the text has the person's."""


def brought_together(base: str, mine: str, theirs: str) -> BroughtTogether:
    """Merge ``theirs``, what the file became, into the draft ``mine``; all with LF."""
    merged = merge(base, mine, theirs)
    if isinstance(merged, Merged):
        return BroughtTogether(merged.text)
    text = "".join(part.mine if isinstance(part, Disputed) else part.text for part in merged.parts)
    disputed = [part for part in merged.parts if isinstance(part, Disputed)]
    return BroughtTogether(text, tuple(map(_place, disputed)))


def _place(part: Disputed) -> ConflictPlace:
    return ConflictPlace(base=part.base[:_EXCERPT], mine=part.mine[:_EXCERPT], theirs=part.theirs[:_EXCERPT])
