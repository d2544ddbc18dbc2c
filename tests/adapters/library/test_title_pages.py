"""The work that the first page of a PDF names, in many layouts; what was guessed is never said as certain."""

import json
from io import BytesIO

import pytest
from pypdf import PdfReader

from penwright.adapters.library.pdf_pages import found_in
from penwright.adapters.library.reading import read_pages
from penwright.domain.library.describing import described
from schemas.library import SaidWork
from tests.support.title_pages import LAYOUTS, UNSEEN, Page, typeset

_PAGES = {**LAYOUTS, **UNSEEN}
_FIELDS = ("title", "authors", "year", "doi", "arxiv")
_LEAST_RIGHT = {"title": 38, "authors": 36, "year": 37, "doi": 39, "arxiv": 39}
"""Of 39 pages, right or rightly empty."""


@pytest.fixture(scope="module")
def read() -> dict[str, SaidWork]:
    return {name: _work(typeset(page)) for name, page in _PAGES.items()}


def test_title_authors_year_and_doi_are_read_in_most_layouts(read: dict[str, SaidWork]) -> None:
    right = {
        field: sum(_is_right(read[name], page, field) for name, page in _PAGES.items()) for field in _FIELDS
    }
    assert len(_PAGES) == 39
    assert {field: right[field] >= least for field, least in _LEAST_RIGHT.items()} == dict.fromkeys(
        _FIELDS, True
    ), right


def test_what_is_read_wrongly_is_always_said_to_be_a_guess(read: dict[str, SaidWork]) -> None:
    certain = {
        (name, field): getattr(read[name], field)
        for name, page in _PAGES.items()
        for field in _FIELDS
        if getattr(read[name], field) and field not in {each.field for each in read[name].unsure}
        if not _is_right(read[name], page, field)
    }
    assert certain == {}


def test_the_day_on_which_a_file_was_made_is_the_last_guess(read: dict[str, SaidWork]) -> None:
    guessed = {name: work for name, work in read.items() if work.year == 2019}
    assert {"undated", "described", "body only"} <= set(guessed)
    for work in guessed.values():
        (why,) = (each.why for each in work.unsure if each.field == "year")
        assert "the file was made" in why


def _work(content: bytes) -> SaidWork:
    found = found_in(content, PdfReader(BytesIO(content)))
    return described(read_pages(json.loads(json.dumps(found)))).work


def _is_right(work: SaidWork, page: Page, field: str) -> bool:
    if field == "authors":
        named = [f"{each.given} {each.family}".casefold() for each in work.authors]
        return named == [each.casefold() for each in page.authors]
    said, wanted = getattr(work, field), getattr(page, field)
    return str(said).casefold() == str(wanted).casefold()
