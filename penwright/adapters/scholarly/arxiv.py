"""arXiv: preprints, as an Atom feed."""

import re
from dataclasses import dataclass
from typing import Final
from xml.etree.ElementTree import Element

from penwright.adapters.scholarly import bounded_xml
from penwright.adapters.scholarly.bounded_xml import texts
from penwright.adapters.scholarly.host import Host
from penwright.adapters.scholarly.plain_values import words, year
from penwright.adapters.scholarly.source import Records, UnansweredError
from penwright.domain.citations import identifiers
from penwright.domain.citations.names import whole_name
from penwright.domain.citations.titles import search_words
from schemas.scholarly import (
    EditorialNotice,
    Identifier,
    IdentifierKind,
    Query,
    ScholarlyRecord,
    SourceName,
)

ATOM = "{http://www.w3.org/2005/Atom}"
OWN = "{http://arxiv.org/schemas/atom}"
_WITHDRAWN = re.compile(
    r"\b(?:paper|article|submission|manuscript)\b.{0,40}\bwithdrawn\b|^withdrawn\b", re.I | re.S
)


@dataclass(frozen=True)
class Arxiv:
    """See ``penwright.adapters.scholarly.source.Registry``."""

    host: Host
    name: Final[SourceName] = "arxiv"
    resolves: Final[frozenset[IdentifierKind]] = frozenset({"arxiv"})

    async def find(self, query: Query) -> Records:
        field = "all" if query.text else "ti"
        terms = [f"{field}:{each}" for each in search_words(query.text or query.title)]
        return await self._feed({"search_query": " AND ".join(terms), "max_results": query.limit})

    async def named(self, identifier: Identifier) -> Records:
        return await self._feed({"id_list": identifier.value, "max_results": 1})

    async def _feed(self, asked: dict[str, str | int]) -> Records:
        body = await self.host.get("/api/query", asked, accept="application/atom+xml")
        root = bounded_xml.parse(body or b"")
        if root.tag != f"{ATOM}feed":
            raise UnansweredError("unreadable")
        entries = (
            each for each in root.findall(f"{ATOM}entry") if "/api/errors" not in _text(each, f"{ATOM}id")
        )
        # An unknown id can come back as an entry without a title.
        return tuple(record(each) for each in entries if _text(each, f"{ATOM}title"))


def record(entry: Element) -> ScholarlyRecord:
    """Return a preprint as arXiv sends it; its DOI is the publisher's if it has one, else arXiv's own."""
    url = _text(entry, f"{ATOM}id")
    arxiv = identifiers.arxiv(url)
    own = f"{identifiers.ARXIV_DOI}{arxiv}" if arxiv else ""
    abstract = _text(entry, f"{ATOM}summary")
    return ScholarlyRecord(
        source="arxiv",
        doi=identifiers.doi(_text(entry, f"{OWN}doi")) or own,
        arxiv=arxiv,
        title=_text(entry, f"{ATOM}title"),
        authors=tuple(
            whole_name(name)
            for each in entry.findall(f"{ATOM}author")
            if (name := _text(each, f"{ATOM}name"))
        ),
        year=year(_text(entry, f"{ATOM}published")),
        publisher="arXiv",
        kind="preprint",
        url=url,
        abstract=abstract,
        notices=(EditorialNotice(kind="withdrawal", source="arxiv"),) if _withdrawn(entry, abstract) else (),
    )


def _withdrawn(entry: Element, abstract: str) -> bool:
    said = (_text(entry, f"{OWN}comment"), abstract[:200])
    return any(_WITHDRAWN.search(each) for each in said)


def _text(element: Element, path: str) -> str:
    return words(texts(element.find(path)))
