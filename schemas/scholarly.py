"""Scholarly registries: what is asked of them, what they answer, and the verdict on a reference."""

from typing import Literal

from schemas.base import BlobRef, Value

SourceName = Literal["crossref", "pubmed", "openalex", "datacite", "arxiv", "library", "bibliography"]
"""Registries; ``library``: the workspace's own ``sources/``, whose works lie there to be read; and
``bibliography``: its own ``references.bib``, which proves nothing alone."""
IdentifierKind = Literal["doi", "pmid", "arxiv"]
WorkKind = Literal[
    "article", "book", "chapter", "proceedings-article", "thesis", "report", "preprint", "dataset", "other"
]
NoticeKind = Literal["retraction", "withdrawal", "concern", "correction"]
OutageReason = Literal[
    "unreachable",  # no connection, or none to the end of the answer
    "slow",  # the time for one question was over
    "rate-limited",  # asked to wait, or would have to wait longer than one question may
    "server-error",  # 5xx
    "refused",  # another 4xx, such as a wrong key
    "redirected",  # to another host
    "too-large",
    "unreadable",  # truncated, or not what the protocol says
    "another-work",  # it answered with another work than the one that was asked for
]
VerdictStatus = Literal["verified", "mismatch", "not_found", "retracted", "unverifiable"]


class Author(Value):
    """One author. An organisation has its whole name in ``family``."""

    family: str
    given: str = ""


class EditorialNotice(Value):
    """Notice published about a work after it: whether it still stands."""

    kind: NoticeKind
    source: SourceName
    doi: str = ""
    """DOI of the notice itself; empty if the source does not name it."""
    date: str = ""
    """When it was published, as YYYY-MM-DD or a part of it, if the source says so."""


class Identifier(Value):
    """Identifier of a work in its canonical form, made by ``penwright.domain.citations.identifiers``."""

    kind: IdentifierKind
    value: str
    """A DOI in lower case without a resolver, digits of a PMID, or an arXiv id without its version."""


class Reference(Value):
    """Names of a work: the part of a reference or record that can be compared."""

    doi: str = ""
    pmid: str = ""
    arxiv: str = ""
    title: str = ""
    authors: tuple[Author, ...] = ()
    """In the order of the work."""
    year: int | None = None
    container: str = ""
    """Journal, proceedings or book that it appeared in."""
    volume: str = ""
    pages: str = ""
    """Of a record as ``first-last`` with one hyphen, or one page or article number."""

    @property
    def people(self) -> tuple[Author, ...]:
        """The names it is cited by: its authors, or its editors where it has none."""
        return self.authors


class ScholarlyRecord(Reference):
    """A work as one source records it. Plain text without markup; what the source does not say is empty."""

    source: SourceName
    editors: tuple[Author, ...] = ()
    containers: tuple[str, ...] = ()
    """Further containers, such as the series of its proceedings."""
    years: tuple[int, ...] = ()
    """Other years of it, such as that of the printed edition."""
    series: str = ""
    edition: str = ""
    issue: str = ""
    publisher: str = ""
    place: str = ""
    """The place of publication."""
    isbn: str = ""
    issn: str = ""
    kind: WorkKind = "other"
    url: str = ""
    abstract: str = ""
    accessed: str = ""
    """When its address was looked at, as YYYY-MM-DD, if the source says so."""
    notices: tuple[EditorialNotice, ...] = ()
    unsure: tuple[str, ...] = ()
    """Fields of a source of one's own that were guessed from its file, and that no person has confirmed."""

    @property
    def people(self) -> tuple[Author, ...]:
        return self.authors or self.editors


class Query(Value):
    """A search for a certain work, by title, authors and year; or for works on a subject, by ``text``."""

    title: str = ""
    authors: tuple[Author, ...] = ()
    year: int | None = None
    text: str = ""
    """Searched instead of the title if both are given."""
    limit: int = 5
    """Most records of each source, 1 to 20."""


class Outage(Value):
    """A source that did not answer. It says nothing about the work."""

    source: SourceName
    reason: OutageReason
    retry_after: float | None = None
    """Seconds after which the source wants to be asked again, if it said so."""


class Answer(Value):
    """Answer of the sources to one question."""

    records: tuple[ScholarlyRecord, ...] = ()
    """In the order of the sources and, for each, its own order."""
    outages: tuple[Outage, ...] = ()
    asked: tuple[SourceName, ...] = ()
    """Sources that can answer such a question, with those in ``outages``."""


class Verdict(Value):
    """Whether a reference exists, is that work, and still stands."""

    status: VerdictStatus
    """Only ``verified`` may be accepted without a person."""
    fields: tuple[str, ...] = ()
    """Of a ``mismatch``: fields of ``Reference`` that differ, sorted."""
    record: ScholarlyRecord | None = None
    """The record that it was compared with; of a ``mismatch`` the nearest; None if there is none."""
    reason: str = ""
    """A sentence for people."""
    similarity: float | None = None
    """Likeness of the titles, 0 to 1; None if no two titles were compared."""
    confirmed_by: tuple[SourceName, ...] = ()
    """Registries whose record is that work."""
    notices: tuple[EditorialNotice, ...] = ()
    """Notices about the work, corrections too."""
    outages: tuple[Outage, ...] = ()
    unanswered: bool = False
    """No registry that was asked has answered."""
    unresolved: tuple[IdentifierKind, ...] = ()
    """Identifiers of the reference that no registry knows, if all have answered."""


class LookUp(Value):
    """Find works: each identifier is resolved, and the query is searched."""

    identifiers: tuple[Identifier, ...] = ()
    query: Query | None = None
    bibliography: BlobRef | None = None
    """Text of the workspace's ``references.bib``; None: it has none."""
    library: BlobRef | None = None
    """``LibraryShelf`` of the workspace as JSON; None: it has no sources of its own."""


class LookedUp(Value):
    """Result of a look-up."""

    answer: Answer
    """Fits a payload: abstracts and lists of authors are cut, and records beyond 60 KB are left out."""
    whole: BlobRef
    """The whole ``Answer`` as JSON."""
    found: int
    """Records in the whole answer."""


class VerifyReference(Value):
    """Check a reference against the registries."""

    reference: Reference
    bibliography: BlobRef | None = None
    library: BlobRef | None = None
    """This and the one before as in ``LookUp``."""


class ReferenceVerified(Value):
    """The verdict on a reference."""

    verdict: Verdict
    """Its record fits a payload: abstract and list of authors are cut."""
    record: BlobRef | None = None
    """The whole record of the verdict as JSON, to build an entry from; None if it has none."""
