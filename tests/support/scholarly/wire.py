"""Works as each registry sends them. JSON of any shape, hence ``Any``."""

import json
from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from penwright.adapters.scholarly.recorded import RecordedWork

Json = dict[str, Any]


def crossref(work: RecordedWork) -> Json:
    """A work of ``/works``; with what else Crossref sends and nobody asked for."""
    title, colon, subtitle = work.title.partition(": ")
    sent: Json = {
        "DOI": work.doi.upper(),
        "type": {"article": "journal-article", "preprint": "posted-content"}.get(work.kind, work.kind),
        "title": [title],
        "subtitle": [subtitle] if colon else [],
        "author": [
            {"given": each.given, "family": each.family, "sequence": "additional", "affiliation": []}
            if each.given
            else {"name": each.family, "sequence": "first", "affiliation": []}
            for each in work.authors
        ],
        "issued": {"date-parts": [[work.year, 3, 1] if work.year else [None]]},
        "container-title": [work.container] if work.container else [],
        "volume": work.volume,
        "issue": work.issue,
        "page": work.pages,
        "publisher": work.publisher,
        "URL": f"https://doi.org/{work.doi}",
        "abstract": f"<jats:p>{escape(work.abstract)}</jats:p>" if work.abstract else None,
        "references-count": 3,
        "score": 87.1,
    }
    if work.notice:
        sent["updated-by"] = [
            {
                "type": work.notice.kind.replace("concern", "expression_of_concern"),
                "label": work.notice.kind.title(),
                "source": "retraction-watch",
                "DOI": work.notice.doi,
                "updated": {"date-parts": [[2015, 1, 1]]},
            }
        ]
    return {key: value for key, value in sent.items() if value not in (None, "", [])}


def openalex(work: RecordedWork) -> Json:
    """A work of ``/works``."""
    ids = {"openalex": "https://openalex.org/W1", "doi": f"https://doi.org/{work.doi}" if work.doi else None}
    if work.pmid:
        ids["pmid"] = f"https://pubmed.ncbi.nlm.nih.gov/{work.pmid}"
    index: dict[str, list[int]] = {}
    for place, word in enumerate(work.abstract.split()):
        index.setdefault(word, []).append(place)
    first, _, last = work.pages.partition("-")
    return {
        "id": "https://openalex.org/W1",
        "doi": ids["doi"],
        "ids": ids,
        "title": work.title,
        "display_name": work.title,
        "publication_year": work.year,
        "type": work.kind,
        "authorships": [
            {
                "author_position": "middle",
                "author": {"display_name": f"{each.given} {each.family}".strip()},
                "raw_author_name": f"{each.family}, {each.given}" if each.given else each.family,
            }
            for each in work.authors
        ],
        "biblio": {
            "volume": work.volume or None,
            "issue": work.issue or None,
            "first_page": first or None,
            "last_page": last or None,
        },
        "primary_location": {
            "source": {"display_name": work.container, "host_organization_name": work.publisher}
            if work.container
            else None,
            "landing_page_url": f"https://doi.org/{work.doi}",
        },
        "is_retracted": bool(work.notice and work.notice.kind == "retraction"),
        "abstract_inverted_index": index or None,
    }


def datacite(work: RecordedWork) -> Json:
    """An item of ``/dois``."""
    return {
        "id": work.doi,
        "type": "dois",
        "attributes": {
            "doi": work.doi,
            "titles": [
                {"lang": "en", "title": work.title},
                {"title": "A translation", "titleType": "TranslatedTitle"},
            ],
            "creators": [
                {
                    "name": f"{each.family}, {each.given}" if each.given else each.family,
                    "givenName": each.given or None,
                    "familyName": each.family if each.given else None,
                    "nameType": "Personal" if each.given else "Organizational",
                }
                for each in work.authors
            ],
            "publicationYear": work.year,
            "publisher": work.publisher,
            "container": {},
            "types": {"resourceTypeGeneral": work.kind.title()},
            "descriptions": [{"description": work.abstract, "descriptionType": "Abstract"}],
            "url": f"https://example.org/{work.doi}",
            "state": "findable",
        },
    }


def pubmed(works: Sequence[RecordedWork]) -> str:
    """The answer of ``efetch.fcgi``, with its document type, and references that have DOIs of their own."""
    return (
        '<?xml version="1.0" ?>\n<!DOCTYPE PubmedArticleSet PUBLIC '
        '"-//NLM//DTD PubMedArticle, 1st January 2025//EN" '
        '"https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">\n'
        f"<PubmedArticleSet>{''.join(map(_article, works))}</PubmedArticleSet>"
    )


def _article(work: RecordedWork) -> str:
    authors = "".join(
        f"<Author><LastName>{escape(each.family)}</LastName><ForeName>{escape(each.given)}</ForeName></Author>"
        if each.given
        else f"<Author><CollectiveName>{escape(each.family)}</CollectiveName></Author>"
        for each in work.authors
    )
    retracted = bool(work.notice and work.notice.kind == "retraction")
    types = "<PublicationType>Journal Article</PublicationType>" + (
        "<PublicationType>Retracted Publication</PublicationType>" if retracted else ""
    )
    comment = (
        '<CommentsCorrectionsList><CommentsCorrections RefType="RetractionIn"><RefSource>Some J. doi: '
        f"{escape(work.notice.doi)}</RefSource></CommentsCorrections></CommentsCorrectionsList>"
        if work.notice and retracted
        else ""
    )
    return (
        f'<PubmedArticle><MedlineCitation><PMID Version="1">{work.pmid}</PMID><Article><Journal>'
        f"<JournalIssue><Volume>{work.volume}</Volume><Issue>{work.issue}</Issue><PubDate><Year>{work.year}</Year></PubDate>"
        f"</JournalIssue><Title>{escape(work.container)}</Title></Journal>"
        f"<ArticleTitle>{escape(work.title)}.</ArticleTitle><Pagination><MedlinePgn>{work.pages}</MedlinePgn>"
        f"</Pagination><Abstract><AbstractText>{escape(work.abstract)}</AbstractText></Abstract>"
        f"<AuthorList>{authors}</AuthorList><PublicationTypeList>{types}</PublicationTypeList></Article>{comment}"
        f'</MedlineCitation><PubmedData><ArticleIdList><ArticleId IdType="pubmed">{work.pmid}</ArticleId>'
        f'<ArticleId IdType="doi">{escape(work.doi)}</ArticleId></ArticleIdList><ReferenceList><Reference>'
        '<ArticleIdList><ArticleId IdType="doi">10.9999/of.a.reference</ArticleId></ArticleIdList>'
        "</Reference></ReferenceList></PubmedData></PubmedArticle>"
    )


def arxiv(works: Sequence[RecordedWork]) -> str:
    """The feed of ``/api/query``."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom"><title>ArXiv Query'
        f"</title>{''.join(map(_entry, works))}</feed>"
    )


def _entry(work: RecordedWork) -> str:
    authors = "".join(
        f"<author><name>{escape(f'{each.given} {each.family}'.strip())}</name></author>"
        for each in work.authors
    )
    own = not work.doi or work.doi.startswith("10.48550")
    doi = "" if own else f'<doi xmlns="http://arxiv.org/schemas/atom">{escape(work.doi)}</doi>'
    withdrawn = work.notice and work.notice.kind == "withdrawal"
    comment = "This paper has been withdrawn by the author" if withdrawn else "12 pages"
    return (
        f"<entry><id>http://arxiv.org/abs/{work.arxiv}v2</id><published>{work.year}-06-12T17:57:34Z</published>"
        f"<title>{escape(work.title)}</title><summary>  {escape(work.abstract)}\n</summary>{authors}{doi}"
        f'<comment xmlns="http://arxiv.org/schemas/atom">{comment}</comment>'
        f"<link href={quoteattr('http://arxiv.org/abs/' + work.arxiv)}/></entry>"
    )


def as_bytes(value: object) -> bytes:
    """JSON or text as it goes over the wire."""
    return (value if isinstance(value, str) else json.dumps(value)).encode()
