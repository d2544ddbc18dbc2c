"""OpenAlex: an open catalogue of works, with PMIDs and retractions."""

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
    EditorialNotice,
    Identifier,
    IdentifierKind,
    Query,
    ScholarlyRecord,
    SourceName,
    WorkKind,
)

LONGEST_ABSTRACT = 3_000
_KINDS: Mapping[str, WorkKind] = MappingProxyType(
    {
        "article": "article",
        "journal-article": "article",
        "review": "article",
        "letter": "article",
        "editorial": "article",
        "book": "book",
        "book-chapter": "chapter",
        "proceedings-article": "proceedings-article",
        "dissertation": "thesis",
        "report": "report",
        "preprint": "preprint",
        "dataset": "dataset",
    }
)


@dataclass(frozen=True)
class OpenAlex:
    """See ``penwright.adapters.scholarly.source.Registry``."""

    host: Host
    contact: str = ""
    key: str = ""
    name: Final[SourceName] = "openalex"
    resolves: Final[frozenset[IdentifierKind]] = frozenset({"doi", "pmid"})

    async def find(self, query: Query) -> Records:
        # A filter costs a tenth of a search; commas and bars would end it.
        plain = " ".join(search_words(query.text or query.title))
        asked = {"search": plain} if query.text else {"filter": f"title.search:{plain}"}
        body = await self.host.json("/works", {**asked, "per-page": query.limit, **self._polite()})
        if not isinstance(part(body, "results"), list):
            raise UnansweredError("unreadable")
        return tuple(record(each) for each in items(body, "results"))

    async def named(self, identifier: Identifier) -> Records:
        path = f"/works/{identifier.kind}:{quote(identifier.value, safe='')}"
        body = await self.host.json(path, self._polite())
        if body is None:
            return ()
        if not words(body, "id"):
            raise UnansweredError("unreadable")
        return (record(body),)

    def _polite(self) -> dict[str, str | int]:
        named = {"mailto": self.contact, "api_key": self.key}
        return {name: value for name, value in named.items() if value}


def record(work: Any) -> ScholarlyRecord:
    """Return a work as OpenAlex sends it."""
    doi = identifiers.doi(words(work, "doi") or words(work, "ids", "doi"))
    place = part(work, "primary_location", "source")
    retracted = part(work, "is_retracted") is True
    return ScholarlyRecord(
        source="openalex",
        doi=doi,
        pmid=identifiers.pmid(words(work, "ids", "pmid")),
        arxiv=identifiers.arxiv(doi),
        title=words(work, "title") or words(work, "display_name"),
        authors=_authors(work),
        year=year(work, "publication_year"),
        container=words(place, "display_name"),
        volume=words(work, "biblio", "volume"),
        issue=words(work, "biblio", "issue"),
        pages=pages(words(work, "biblio", "first_page"), words(work, "biblio", "last_page")),
        publisher=words(place, "host_organization_name"),
        kind=_KINDS.get(words(work, "type_crossref"), _KINDS.get(words(work, "type"), "other")),
        url=words(work, "primary_location", "landing_page_url"),
        abstract=_abstract(part(work, "abstract_inverted_index")),
        notices=(EditorialNotice(kind="retraction", source="openalex"),) if retracted else (),
    )


def _authors(work: Any) -> tuple[Author, ...]:
    names = (
        words(each, "raw_author_name") or words(each, "author", "display_name")
        for each in items(work, "authorships")
    )
    return tuple(whole_name(name) for name in names if name)


def _abstract(index: Any) -> str:
    """The text of an index from words to their places."""
    if not isinstance(index, dict):
        return ""
    placed = {
        place: word
        for word, places in index.items()
        if isinstance(places, list)
        for place in places
        if isinstance(place, int) and 0 <= place < LONGEST_ABSTRACT
    }
    return words(" ".join(placed[place] for place in sorted(placed)))
