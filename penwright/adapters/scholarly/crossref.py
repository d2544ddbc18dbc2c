"""Crossref: DOIs of publishers, with the retractions of Retraction Watch."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import quote

from penwright.adapters.scholarly.host import Host
from penwright.adapters.scholarly.plain_values import items, one_hyphen, part, words, year
from penwright.adapters.scholarly.source import Records, UnansweredError
from penwright.domain.citations import identifiers
from schemas.scholarly import (
    Author,
    EditorialNotice,
    Identifier,
    IdentifierKind,
    NoticeKind,
    Query,
    ScholarlyRecord,
    SourceName,
    WorkKind,
)

_KINDS: Mapping[str, WorkKind] = MappingProxyType(
    {
        "journal-article": "article",
        "book": "book",
        "monograph": "book",
        "edited-book": "book",
        "reference-book": "book",
        "book-chapter": "chapter",
        "proceedings-article": "proceedings-article",
        "dissertation": "thesis",
        "report": "report",
        "posted-content": "preprint",
        "dataset": "dataset",
    }
)
_NOTICES: Mapping[str, NoticeKind] = MappingProxyType(
    {
        "retraction": "retraction",
        "partial_retraction": "retraction",
        "retracted": "retraction",
        "withdrawal": "withdrawal",
        "removal": "withdrawal",
        "expression_of_concern": "concern",
        "correction": "correction",
        "corrigendum": "correction",
        "erratum": "correction",
        "addendum": "correction",
    }
)
LONGEST_QUERY = 400
_MOST_CONTAINERS = 5
_WITHIN_SERIES: Final = frozenset({"chapter", "proceedings-article"})
"""Types of works that appear in a book of a series; Crossref names the series first."""
_YEARS = ("issued", "published", "published-print", "published-online", "posted")


@dataclass(frozen=True)
class Crossref:
    """See ``penwright.adapters.scholarly.source.Registry``."""

    host: Host
    contact: str = ""
    name: Final[SourceName] = "crossref"
    resolves: Final[frozenset[IdentifierKind]] = frozenset({"doi"})

    async def find(self, query: Query) -> Records:
        named = " ".join(author.family for author in query.authors[:3])
        asked = query.text or f"{query.title} {named} {query.year or ''}".strip()
        body = await self.host.json(
            "/works", {"query.bibliographic": asked[:LONGEST_QUERY], "rows": query.limit, **self._polite()}
        )
        if not isinstance(part(body, "message", "items"), list):
            raise UnansweredError("unreadable")
        return tuple(record(each) for each in items(body, "message", "items"))

    async def named(self, identifier: Identifier) -> Records:
        body = await self.host.json(f"/works/{quote(identifier.value, safe='')}", self._polite())
        if body is None:
            return ()
        work = part(body, "message")
        if not isinstance(work, dict) or not words(work, "DOI"):
            raise UnansweredError("unreadable")
        return (record(work),)

    def _polite(self) -> dict[str, str | int]:
        return {"mailto": self.contact} if self.contact else {}


def record(work: Any) -> ScholarlyRecord:
    """Return a work as Crossref sends it."""
    subtitle = words(work, "subtitle")
    title = words(work, "title")
    doi = identifiers.doi(words(work, "DOI"))
    kind = _KINDS.get(words(work, "type"), "other")
    containers = _texts(work, "container-title")
    container = containers[-1 if kind in _WITHIN_SERIES else 0] if containers else ""
    years = tuple(dict.fromkeys(found for each in _YEARS if (found := year(work, each, "date-parts", 0, 0))))
    return ScholarlyRecord(
        source="crossref",
        doi=doi,
        arxiv=identifiers.arxiv(doi),
        title=title if not subtitle or subtitle.casefold() in title.casefold() else f"{title}: {subtitle}",
        authors=_people(work, "author"),
        editors=_people(work, "editor"),
        year=years[0] if years else None,
        years=years[1:],
        container=container,
        containers=tuple(
            each for each in (*containers, *_texts(work, "short-container-title")) if each != container
        ),
        series=containers[0] if containers and containers[0] != container else "",
        edition=words(work, "edition-number"),
        volume=words(work, "volume"),
        issue=words(work, "issue"),
        pages=one_hyphen(words(work, "page")) or words(work, "article-number"),
        publisher=words(work, "publisher"),
        place=words(work, "publisher-location"),
        isbn=words(work, "ISBN"),
        kind=kind,
        url=words(work, "URL"),
        abstract=words(work, "abstract"),
        notices=_notices(work),
    )


def _texts(work: Any, name: str) -> tuple[str, ...]:
    found = part(work, name)
    listed = range(len(found)) if isinstance(found, list) else ()
    texts = [words(work, name, at) for at in listed[:_MOST_CONTAINERS]] or [words(work, name)]
    return tuple(dict.fromkeys(filter(None, texts)))


def _people(work: Any, role: str) -> tuple[Author, ...]:
    people = items(work, role)
    named = (
        Author(family=words(each, "family") or words(each, "name"), given=words(each, "given"))
        for each in people
    )
    return tuple(each for each in named if each.family or each.given)


def _notices(work: Any) -> tuple[EditorialNotice, ...]:
    """Read a work's editorial notices from ``updated-by``; ``update-to`` is what it says about others."""
    found = [
        EditorialNotice(
            kind=_NOTICES[kind],
            source="crossref",
            doi=identifiers.doi(words(each, "DOI")),
            date=_day(each),
        )
        for each in items(work, "updated-by")
        if (kind := words(each, "type").lower().replace("-", "_").replace(" ", "_")) in _NOTICES
    ]
    if items(work, "relation", "is-retracted-by"):
        found.append(EditorialNotice(kind="retraction", source="crossref"))
    return tuple(dict.fromkeys(found))


def _day(notice: Any) -> str:
    """When a notice was published; Crossref names year, month and day, or the first of them."""
    numbers = part(notice, "updated", "date-parts", 0)
    listed = numbers[:3] if isinstance(numbers, list) else ()
    return "-".join(f"{each:02d}" for each in listed if isinstance(each, int))
