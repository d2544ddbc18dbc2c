"""PubMed through NCBI's E-utilities: a search for PMIDs, then the records as XML."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final
from xml.etree.ElementTree import Element

from penwright.adapters.scholarly import bounded_xml
from penwright.adapters.scholarly.bounded_xml import texts
from penwright.adapters.scholarly.host import Host
from penwright.adapters.scholarly.plain_values import items, one_hyphen, part, words, year
from penwright.adapters.scholarly.source import Records, UnansweredError
from penwright.domain.citations import identifiers
from penwright.domain.citations.titles import search_words
from schemas.scholarly import (
    Author,
    EditorialNotice,
    Identifier,
    IdentifierKind,
    NoticeKind,
    Query,
    ScholarlyRecord,
    SourceName,
)

TOOL = "penwright"
_TYPES: Mapping[str, NoticeKind] = MappingProxyType({"Retracted Publication": "retraction"})
_NOTICES: Mapping[str, NoticeKind] = MappingProxyType(
    {
        "RetractionIn": "retraction",
        "PartialRetractionIn": "retraction",
        "ExpressionOfConcernIn": "concern",
        "ErratumIn": "correction",
        "CorrectedandRepublishedIn": "correction",
    }
)
_DOI = re.compile(r"10\.\d{4,9}/\S+")
_TRANSLATED = re.compile(r"\[.*\]\.?")


@dataclass(frozen=True)
class PubMed:
    """See ``penwright.adapters.scholarly.source.Registry``."""

    host: Host
    contact: str = ""
    key: str = ""
    name: Final[SourceName] = "pubmed"
    resolves: Final[frozenset[IdentifierKind]] = frozenset({"doi", "pmid"})

    async def find(self, query: Query) -> Records:
        # Words only: brackets and capital AND, OR, NOT mean something in a term.
        found = search_words(query.text or query.title)
        term = " ".join(found) if query.text else " AND ".join(f"{each}[Title]" for each in found)
        return await self._records(await self._ids(term, query.limit))

    async def named(self, identifier: Identifier) -> Records:
        if identifier.kind == "pmid":
            return await self._records((identifier.value,))
        # PubMed drops a phrase that it does not know and finds something else.
        found = await self._records(await self._ids(f'"{_quotable(identifier.value)}"[AID]', 3))
        return tuple(each for each in found if each.doi == identifier.value)

    async def _ids(self, term: str, limit: int) -> tuple[str, ...]:
        asked = {"db": "pubmed", "retmode": "json", "retmax": limit, "term": term, **self._polite()}
        body = await self.host.json("/esearch.fcgi", asked)
        if not isinstance(part(body, "esearchresult", "idlist"), list):
            raise UnansweredError("unreadable")
        found = (identifiers.pmid(words(each)) for each in items(body, "esearchresult", "idlist"))
        return tuple(each for each in found if each)[:limit]

    async def _records(self, pmids: tuple[str, ...]) -> Records:
        if not pmids:
            return ()
        asked = {"db": "pubmed", "retmode": "xml", "id": ",".join(pmids), **self._polite()}
        body = await self.host.get("/efetch.fcgi", asked, accept="application/xml")
        if body is None:
            raise UnansweredError("unreadable")
        root = bounded_xml.parse(body)
        if root.tag != "PubmedArticleSet":
            raise UnansweredError("unreadable")
        return tuple(record(each) for each in root.iter("PubmedArticle"))

    def _polite(self) -> dict[str, str | int]:
        named = {"tool": TOOL, "email": self.contact, "api_key": self.key}
        return {name: value for name, value in named.items() if value}


def record(article: Element) -> ScholarlyRecord:
    """Return an article as PubMed sends it."""
    work = article.find("MedlineCitation/Article")
    issue = work.find("Journal/JournalIssue") if work is not None else None
    return ScholarlyRecord(
        source="pubmed",
        doi=_doi(article),
        pmid=identifiers.pmid(_text(article, "MedlineCitation/PMID")),
        title=_title(work),
        authors=_authors(work),
        year=_year(article, issue),
        container=_text(work, "Journal/Title"),
        volume=_text(issue, "Volume"),
        issue=_text(issue, "Issue"),
        pages=one_hyphen(_text(work, "Pagination/MedlinePgn")),
        kind="article",
        url=f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/"
        if (pmid := _text(article, "MedlineCitation/PMID"))
        else "",
        abstract=_abstract(work),
        notices=_notices(article),
    )


def _title(work: Element | None) -> str:
    """The title; of an article in another language the original one, if PubMed has it."""
    title, original = _text(work, "ArticleTitle"), _text(work, "VernacularTitle")
    if _TRANSLATED.fullmatch(title):
        title = original or title.rstrip(".")[1:-1]
    return title.removesuffix(".")


def _authors(work: Element | None) -> tuple[Author, ...]:
    people = work.findall("AuthorList/Author") if work is not None else []
    named = (
        Author(
            family=_text(each, "LastName") or _text(each, "CollectiveName"),
            given=_text(each, "ForeName") or _text(each, "Initials"),
        )
        for each in people
    )
    return tuple(each for each in named if each.family)


def _year(article: Element, issue: Element | None) -> int | None:
    dates = (_text(issue, "PubDate/Year"), _text(issue, "PubDate/MedlineDate"))
    found = (year(each) for each in (*dates, _text(article, "MedlineCitation/Article/ArticleDate/Year")))
    return next((each for each in found if each), None)


def _doi(article: Element) -> str:
    """The article's own DOI; its references have theirs further down."""
    places = (
        "PubmedData/ArticleIdList/ArticleId[@IdType='doi']",
        "MedlineCitation/Article/ELocationID[@EIdType='doi']",
    )
    found = (identifiers.doi(_text(article, place)) for place in places)
    return next((each for each in found if each), "")


def _abstract(work: Element | None) -> str:
    parts = work.findall("Abstract/AbstractText") if work is not None else []
    return words(" ".join(texts(each) for each in parts))


def _notices(article: Element) -> tuple[EditorialNotice, ...]:
    types = (
        texts(each)
        for each in article.iterfind("MedlineCitation/Article/PublicationTypeList/PublicationType")
    )
    found = [EditorialNotice(kind=_TYPES[each], source="pubmed") for each in types if each in _TYPES]
    for each in article.iterfind("MedlineCitation/CommentsCorrectionsList/CommentsCorrections"):
        kind, said = _NOTICES.get(each.get("RefType", "")), _DOI.search(_text(each, "RefSource"))
        if kind:
            found.append(
                EditorialNotice(kind=kind, source="pubmed", doi=identifiers.doi(said[0]) if said else "")
            )
    return tuple(dict.fromkeys(found))


def _text(element: Element | None, path: str) -> str:
    return words(texts(element.find(path))) if element is not None else ""


def _quotable(text: str) -> str:
    return text.replace('"', "")
