"""The evidence of a reader's copy: who wrote each block of a text, and what each citation rests on."""

from schemas.base import Value
from schemas.citation_audit import EntryState
from schemas.citations import Support
from schemas.library import LocatedQuote
from schemas.scholarly import SourceName, VerdictStatus


class CopyTitle(Value):
    """The text that a copy is of."""

    id: str
    """Of the book or novel."""
    kind: str
    title: str
    author: str = ""
    language: str = ""
    commit: str
    """The commit whose text it is."""


class BlockAuthor(Value):
    """The author of one block, as the trace has it."""

    number: int
    """Of the block in the text, from 1."""
    by: str
    """``human``, ``ai``, ``mixed``, ``edited``, ``ambiguous``, ``unknown`` or ``untraced``."""
    people: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    intent: str = ""
    at: str = ""
    """ISO 8601."""
    commit: str = ""


class CitedWork(Value):
    """One work of the list of references."""

    key: str
    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    container: str = ""
    doi: str = ""
    url: str = ""
    """Where its record is resolved; always ``https``."""
    entry: str
    """Its BibTeX."""


class RecordFound(Value):
    """The look-up of a work before it was cited."""

    sources: tuple[SourceName, ...] = ()
    """The registries that have the record."""
    on: str = ""
    """When they were asked: a day as YYYY-MM-DD, in UTC; empty: not known any more."""
    verdict: VerdictStatus | None = None
    """None: cited from a passage that the writer was shown; the record was not looked up since."""
    reason: str = ""
    support: Support | None = None
    overlap: float | None = None
    """Share of the sentence's content words and numbers that the passage has, 0 to 1."""
    quote: LocatedQuote | None = None
    """Words of the source, verbatim."""
    abstract: str = ""
    """Its beginning, as far as it was kept."""


class CitationDecided(Value):
    """The acceptance of a citation."""

    by: str
    """A person, or ``rule``."""
    at: str = ""
    """ISO 8601; empty: not known any more."""
    commit: str = ""
    """The commit that put it into the text."""


class AuditFound(Value):
    """The last audit of a citation's entry."""

    state: EntryState
    on: str
    sources: tuple[SourceName, ...] = ()
    reason: str = ""


class CitationEvidence(Value):
    """One citation of a sentence."""

    key: str
    found: RecordFound | None = None
    """None: no scan has looked it up and no passage was gathered; it stood in the text."""
    decided: CitationDecided | None = None
    audit: AuditFound | None = None


class SentenceEvidence(Value):
    """One sentence, its block and its citations."""

    number: int
    block: int
    citations: tuple[CitationEvidence, ...] = ()


class CopyEvidence(Value):
    """All evidence of a copy."""

    document: CopyTitle
    blocks: tuple[BlockAuthor, ...] = ()
    works: tuple[CitedWork, ...] = ()
    sentences: tuple[SentenceEvidence, ...] = ()
