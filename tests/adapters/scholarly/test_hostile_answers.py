"""Answers of any shape: each is read as a record or is an outage, and nothing else."""

import asyncio
from typing import Any
from xml.etree.ElementTree import Element

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from penwright.adapters.scholarly import arxiv, crossref, datacite, openalex, pubmed
from penwright.adapters.scholarly.bibliography import bibliography
from penwright.adapters.scholarly.bounded_xml import parse
from penwright.adapters.scholarly.host import HostQueue, Pace
from penwright.adapters.scholarly.recorded import recorded_works
from penwright.adapters.scholarly.source import UnansweredError
from schemas.scholarly import Identifier, ScholarlyRecord
from tests.support.scholarly import wire
from tests.support.sweeps import EXAMPLES

KEYS = st.sampled_from(
    [
        *("DOI", "title", "subtitle", "author", "family", "given", "name", "issued", "date-parts", "type"),
        *("updated-by", "page", "relation", "is-retracted-by", "doi", "ids", "pmid", "authorships"),
        *(
            "publication_year",
            "abstract_inverted_index",
            "primary_location",
            "source",
            "biblio",
            "first_page",
        ),
        *("attributes", "titles", "titleType", "creators", "familyName", "publicationYear", "publisher"),
        *("container", "types", "descriptions", "descriptionType", "description", "display_name"),
    ]
)
TEXTS = ["retraction", "10.1000/x", "<i>x</i>", "\ud800", "\x00", "Subtitle", "Abstract", "12", "&#0;"]
LEAVES = st.none() | st.booleans() | st.integers(-5, 10**6) | st.floats() | st.sampled_from(TEXTS)
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5)
)
XML_ANSWERS = [wire.pubmed(recorded_works()[:2]).encode(), wire.arxiv(recorded_works()[2:3]).encode()]
READERS = {"crossref": crossref.record, "openalex": openalex.record, "datacite": datacite.record}


@pytest.mark.parametrize("source", READERS)
@given(JSON)
@example({"title": ["\ud800"], "author": [{"family": "\udfff"}], "issued": {"date-parts": "x"}})
@settings(max_examples=EXAMPLES)
def test_json_of_any_shape_is_read_as_a_record(source: str, work: Any) -> None:
    record = READERS[source](work)

    assert ScholarlyRecord.model_validate_json(record.model_dump_json()) == record


def read(content: bytes) -> Element:
    """The root; of what cannot be read, an empty one. Any other error fails the test."""
    try:
        return parse(content)
    except UnansweredError:
        return Element("unreadable")


@pytest.mark.parametrize("answer", XML_ANSWERS, ids=["pubmed", "arxiv"])
@given(st.data())
@settings(max_examples=EXAMPLES)
def test_damaged_xml_is_read_or_unreadable(answer: bytes, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(answer)))
    end = data.draw(st.integers(start, min(len(answer), start + 40)))
    damaged = answer[:start] + data.draw(st.binary(max_size=6)) + answer[end:]

    root = read(damaged)

    found = [pubmed.record(each) for each in root.iter("PubmedArticle")]
    found += [arxiv.record(each) for each in root.iter(f"{arxiv.ATOM}entry")]
    assert all(ScholarlyRecord.model_validate_json(each.model_dump_json()) == each for each in found)


@given(st.text(max_size=200))
@example('@article{k, title = {T}, doi = "10.1000/x", author = {A and and B}, year = {{20}}}')
@example("@article{k, title = {T}, title = {U}}")
@example("@string{a = {b}}@comment{x}@article{,title={x}}")
def test_any_bibliography_is_a_source(text: str) -> None:
    records = bibliography(text).records

    assert all(each.source == "bibliography" and each.title for each in records)


async def test_a_bibliography_is_searched_and_resolved() -> None:
    own = bibliography(
        "@article{tides, title = {Tides of {N}orthern harbours}, year = 2011, journal = {Harbours},"
        r" author = {M{\"u}ller, Anna and {The Gauge Group}}, pages = {3--9},"
        " doi = {https://doi.org/10.1000/Tides}}"
    )

    answer = await own.resolve(Identifier(kind="doi", value="10.1000/tides"))

    (record,) = answer.records
    assert (record.title, record.year, record.container) == ("Tides of Northern harbours", 2011, "Harbours")
    assert [each.family for each in record.authors] == ["Müller", "The Gauge Group"]
    assert record.pages == "3-9"


async def test_a_queue_lets_in_no_more_than_its_pace() -> None:
    queue, running, most = HostQueue(Pace(2, 0)), 0, 0

    async def visit() -> None:
        nonlocal running, most
        async with queue.turn():
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.01)
            running -= 1

    await asyncio.gather(*(visit() for _ in range(12)))

    assert most == 2


async def test_who_waits_too_long_is_told_to_come_back() -> None:
    queue = HostQueue(Pace(1, 0), patience_s=0.05)

    async with queue.turn():
        with pytest.raises(UnansweredError) as caught:
            async with queue.turn():
                pass

    assert caught.value.reason == "rate-limited"
    async with queue.turn():
        pass


async def test_a_visitor_who_is_cancelled_leaves_the_queue() -> None:
    queue = HostQueue(Pace(1, 0), patience_s=5)

    async def stay() -> None:
        async with queue.turn():
            await asyncio.sleep(60)

    first, second = asyncio.create_task(stay()), asyncio.create_task(stay())
    await asyncio.sleep(0.02)
    for task in (first, second):
        task.cancel()
    await asyncio.gather(first, second, return_exceptions=True)

    async with asyncio.timeout(1), queue.turn():
        pass


async def test_an_hour_that_a_host_asked_for_is_not_cut_short_by_an_answer_that_names_no_time() -> None:
    queue = HostQueue(Pace(3, 0))
    queue.learn(429, {"retry-after": "3600"})
    queue.learn(503, {})

    with pytest.raises(UnansweredError) as caught:
        async with queue.turn():
            pass

    assert 3_500 < (caught.value.retry_after or 0) <= 3_600
