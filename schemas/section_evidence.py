"""Evidence on the sections of a paper: passages of sources, found before it is written."""

from schemas.base import Value
from schemas.library import LibraryPassage, LocatedQuote
from schemas.scholarly import ScholarlyRecord


class OwnPassages(Value):
    """Passages of own sources, best first."""

    passages: tuple[LibraryPassage, ...] = ()


class EvidencePassage(Value):
    """A passage of a source, or the abstract of a work, as the writer is shown it."""

    number: int
    """From 1 in its section; the writer cites it."""
    text: str
    record: ScholarlyRecord
    """The work that an entry is made of."""
    quote: LocatedQuote
    """The sentence of ``text`` that says most on the section."""


class SectionEvidence(Value):
    """All that was found on one section."""

    passages: tuple[EvidencePassage, ...] = ()
    unasked: tuple[str, ...] = ()
    """Sources that could not be asked, each with the reason."""
