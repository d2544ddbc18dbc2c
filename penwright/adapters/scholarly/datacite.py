"""DataCite: DOIs of data, software, theses, reports and arXiv's papers."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import quote

from penwright.adapters.scholarly.host import Host
from penwright.adapters.scholarly.plain_values import items, pages, part, words, year
from penwright.adapters.scholarly.source import Records, UnansweredError
from penwright.domain.citations import identifiers
from penwright.domain.citations.names import whole_name
from penwright.domain.citations.titles import search_words
from schemas.scholarly import (
    Author,
    Identifier,
    IdentifierKind,
    Query,
    ScholarlyRecord,
    SourceName,
    WorkKind,
)

_KINDS: Mapping[str, WorkKind] = MappingProxyType(
    {
        "journalarticle": "article",
        "book": "book",
        "bookchapter": "chapter",
        "conferencepaper": "proceedings-article",
        "dissertation": "thesis",
        "report": "report",
        "preprint": "preprint",
        "dataset": "dataset",
    }
)


@dataclass(frozen=True)
class DataCite:
    """See ``penwright.adapters.scholarly.source.Registry``."""

    host: Host
    name: Final[SourceName] = "datacite"
    resolves: Final[frozenset[IdentifierKind]] = frozenset({"doi"})

    async def find(self, query: Query) -> Records:
        # Words only: the query has a syntax of its own, in which nothing of a title may count.
        plain = " ".join(search_words(query.text or query.title))
        asked = plain if query.text else f"titles.title:({plain})"
        body = await self.host.json("/dois", {"query": asked, "page[size]": query.limit})
        if not isinstance(part(body, "data"), list):
            raise UnansweredError("unreadable")
        return tuple(record(each) for each in items(body, "data"))

    async def named(self, identifier: Identifier) -> Records:
        body = await self.host.json(f"/dois/{quote(identifier.value, safe='')}", {})
        if body is None:
            return ()
        if not words(body, "data", "attributes", "doi"):
            raise UnansweredError("unreadable")
        return (record(part(body, "data")),)


def record(item: Any) -> ScholarlyRecord:
    """Return a DOI's record as DataCite sends it."""
    work = part(item, "attributes")
    doi, place = identifiers.doi(words(work, "doi")), part(work, "container")
    return ScholarlyRecord(
        source="datacite",
        doi=doi,
        arxiv=identifiers.arxiv(doi),
        title=_title(work),
        authors=tuple(each for each in map(_author, items(work, "creators")) if each.family),
        year=year(work, "publicationYear"),
        container=words(place, "title"),
        volume=words(place, "volume"),
        issue=words(place, "issue"),
        pages=pages(words(place, "firstPage"), words(place, "lastPage")),
        publisher=words(work, "publisher", "name") or words(work, "publisher"),
        kind=_KINDS.get(words(work, "types", "resourceTypeGeneral").lower(), "other"),
        url=words(work, "url"),
        abstract=_of_type(items(work, "descriptions"), "descriptionType", "Abstract", "description"),
    )


def _title(work: Any) -> str:
    """The main title, with the subtitle; translated and alternative ones do not count."""
    titles = items(work, "titles")
    main = next((words(each, "title") for each in titles if not words(each, "titleType")), "")
    subtitle = _of_type(titles, "titleType", "Subtitle", "title")
    return f"{main}: {subtitle}" if main and subtitle else main


def _of_type(found: list[Any], key: str, kind: str, field: str) -> str:
    return next((words(each, field) for each in found if words(each, key) == kind), "")


def _author(creator: Any) -> Author:
    family, name = words(creator, "familyName"), words(creator, "name")
    if family:
        return Author(family=family, given=words(creator, "givenName"))
    return Author(family=name) if words(creator, "nameType") == "Organizational" else whole_name(name)
