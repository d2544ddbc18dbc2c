"""The workspace's own bibliography in BibTeX, as a source."""

from collections.abc import Mapping
from types import MappingProxyType

from penwright.adapters.memory_scholarly import MemoryScholarly
from penwright.adapters.scholarly.plain_values import one_hyphen, words
from penwright.domain.citations import identifiers
from penwright.domain.citations.claims import people_in, plain, reference_of
from penwright.domain.citations.entries import Entry, read_entries
from schemas.scholarly import ScholarlyRecord, SourceName, WorkKind

_KINDS: Mapping[str, WorkKind] = MappingProxyType(
    {
        "article": "article",
        "book": "book",
        "inbook": "chapter",
        "incollection": "chapter",
        "inproceedings": "proceedings-article",
        "conference": "proceedings-article",
        "phdthesis": "thesis",
        "mastersthesis": "thesis",
        "thesis": "thesis",
        "techreport": "report",
        "report": "report",
        "dataset": "dataset",
    }
)


def bibliography(text: str) -> MemoryScholarly:
    """Return a BibTeX file as a source; it leaves out broken entries and those without a title."""
    found = (record_of(entry, "bibliography") for entry in read_entries(text).entries)
    return MemoryScholarly([each for each in found if each.title], sources=("bibliography",))


def record_of(entry: Entry, source: SourceName) -> ScholarlyRecord:
    """Return what an entry says of its work, as the record of ``source``."""

    def said(*names: str) -> str:
        return next((plain(entry.field(name)) for name in names if entry.field(name)), "")

    work = reference_of(entry)
    return ScholarlyRecord(
        source=source,
        doi=identifiers.doi(work.doi),
        pmid=identifiers.pmid(work.pmid),
        arxiv=identifiers.arxiv(work.arxiv),
        title=work.title,
        authors=people_in(entry.field("author")),
        editors=people_in(entry.field("editor")),
        year=work.year,
        container=said("journal", "journaltitle", "booktitle"),
        volume=said("volume"),
        issue=said("number", "issue"),
        pages=one_hyphen(said("pages")),
        series=said("series"),
        edition=said("edition"),
        publisher=said("publisher", "school", "institution"),
        place=said("address", "location"),
        isbn=said("isbn"),
        issn=said("issn"),
        kind=_KINDS.get(entry.kind, "other"),
        url=words(entry.field("url")),
        abstract=said("abstract"),
    )
