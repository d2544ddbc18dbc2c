"""Thirty articles set as PDF, and ninety claims: nothing is said without a quote that stands on its page."""

from collections import Counter

import pytest

from penwright.adapters.documents import PandocDocuments
from penwright.adapters.library import SourceReader
from penwright.domain.citations.support.comparing import support_in
from penwright.domain.library.passages import passages_of
from schemas.citations import ClaimSupport
from schemas.library import ReadSource
from schemas.scholarly import Author, Reference
from tests.support.citations.articles import ARTICLES, Article
from tests.support.library import paper_pdf

KINDS = ("said", "off", "only")


def read(article: Article) -> ReadSource:
    pdf = paper_pdf(article.body, title=article.title)
    return SourceReader(PandocDocuments()).read("article.pdf", pdf)


def compared(article: Article, text: ReadSource) -> dict[str, ClaimSupport]:
    work = Reference(title=article.title, authors=(Author(family="Marsh"), Author(family="Li")), year=2019)
    passages = passages_of(text, "article.pdf")
    return {kind: support_in(getattr(article, kind), work, passages) for kind in KINDS}


def stands_on(page: str, quote: str) -> bool:
    """Whether a page has these words, but for its line ends and the hyphens at them."""
    return "".join(quote.split()) in "".join(page.replace("\xad", "").split())


@pytest.mark.long
def test_of_ninety_claims_only_those_that_a_page_carries_are_said() -> None:
    assert len(ARTICLES) == 30
    found: Counter[tuple[str, str]] = Counter()
    wrong: list[str] = []
    for article in ARTICLES:
        text = read(article)
        for kind, said in compared(article, text).items():
            found[kind, said.support] += 1
            if said.support != "says":
                continue
            assert said.quote is not None
            assert said.quote.page == 2
            assert stands_on(text.pages[1].text, said.quote.quote)
            if kind != "said":
                wrong.append(getattr(article, kind))

    print(found)
    assert wrong == []
    assert found["said", "says"] >= 27
    assert found["only", "not found"] == 30
