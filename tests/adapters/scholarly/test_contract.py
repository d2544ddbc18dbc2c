"""What every scholarly source does: the registries on a local server, and the recorded double."""

import pytest

from penwright.adapters.scholarly import recorded_sources
from penwright.ports.scholarly import ScholarlySources
from schemas.scholarly import Answer, Author, Identifier, IdentifierKind, Query, SourceName

DNA = "10.1038/171737a0"


@pytest.fixture(params=["registries", "recorded"])
def sources(request: pytest.FixtureRequest) -> ScholarlySources:
    found: ScholarlySources = (
        recorded_sources() if request.param == "recorded" else request.getfixturevalue("registries")
    )
    return found


async def resolved(sources: ScholarlySources, kind: IdentifierKind, value: str) -> Answer:
    return await sources.resolve(Identifier(kind=kind, value=value))


@pytest.mark.parametrize(
    ("kind", "value", "found", "asked"),
    [
        ("doi", DNA, ["crossref", "pubmed", "openalex"], ["crossref", "pubmed", "openalex", "datacite"]),
        ("pmid", "13054692", ["pubmed", "openalex"], ["pubmed", "openalex"]),
        ("arxiv", "1706.03762", ["arxiv"], ["arxiv"]),
        (
            "doi",
            "10.48550/arxiv.1706.03762",
            ["openalex", "datacite"],
            ["crossref", "pubmed", "openalex", "datacite"],
        ),
    ],
)
async def test_an_identifier_is_asked_of_those_who_know_its_kind(
    sources: ScholarlySources,
    kind: IdentifierKind,
    value: str,
    found: list[SourceName],
    asked: list[SourceName],
) -> None:
    answer = await resolved(sources, kind, value)

    assert [each.source for each in answer.records] == found
    assert list(answer.asked) == asked
    assert answer.outages == ()


async def test_each_source_tells_the_same_work(sources: ScholarlySources) -> None:
    answer = await resolved(sources, "doi", DNA)

    told = {(each.title, each.authors[0].family, each.year, each.container) for each in answer.records}
    assert told == {
        (
            "Molecular Structure of Nucleic Acids: A Structure for Deoxyribose Nucleic Acid",
            "Watson",
            1953,
            "Nature",
        )
    }
    assert {each.pages for each in answer.records} == {"737-738"}
    assert all("two helical chains" in each.abstract for each in answer.records)


async def test_an_organisation_is_one_author_without_a_given_name(sources: ScholarlySources) -> None:
    answer = await resolved(sources, "doi", "10.1126/science.aac4716")

    first = {each.source: each.authors[0] for each in answer.records}
    assert {first["crossref"], first["pubmed"]} == {Author(family="Open Science Collaboration")}


@pytest.mark.parametrize(
    ("kind", "value"), [("doi", "10.9999/nobody.knows.1"), ("pmid", "999999999"), ("arxiv", "9912.99999")]
)
async def test_an_unknown_identifier_is_answered_with_nothing(
    sources: ScholarlySources, kind: IdentifierKind, value: str
) -> None:
    answer = await resolved(sources, kind, value)

    assert answer.records == ()
    assert answer.outages == ()
    assert answer.asked != ()


async def test_a_retraction_is_told_by_each_source_that_knows(sources: ScholarlySources) -> None:
    answer = await resolved(sources, "doi", "10.1038/nature12968")

    told = {each.source: {notice.kind for notice in each.notices} for each in answer.records}
    assert told == {"crossref": {"retraction"}, "pubmed": {"retraction"}, "openalex": {"retraction"}}


async def test_a_title_is_found_by_every_source_that_has_it(sources: ScholarlySources) -> None:
    answer = await sources.search(Query(title="Long short-term memory", limit=3))

    first = {each.source: each.doi for each in reversed(answer.records)}
    assert {first[name] for name in ("crossref", "pubmed", "openalex")} == {"10.1162/neco.1997.9.8.1735"}


async def test_works_on_a_subject_are_found_by_its_words(sources: ScholarlySources) -> None:
    answer = await sources.search(Query(text="people choose under risk, losses weigh more than gains"))

    assert "10.2307/1914185" in {each.doi for each in answer.records}


@pytest.mark.parametrize("limit", [1, 3])
async def test_no_source_gives_more_than_it_is_asked_for(sources: ScholarlySources, limit: int) -> None:
    answer = await sources.search(Query(text="science data learning", limit=limit))

    told = [each.source for each in answer.records]
    assert told
    assert max(told.count(name) for name in told) <= limit


@pytest.mark.parametrize("query", [Query(), Query(title="  ", year=1953)])
async def test_an_empty_query_asks_nobody(sources: ScholarlySources, query: Query) -> None:
    assert await sources.search(query) == Answer()


@pytest.mark.parametrize("title", ['"] OR all:* AND (', "a, b | c: d {e} \\f $g$", "🜚", "x" * 5_000])
async def test_no_title_breaks_a_query(sources: ScholarlySources, title: str) -> None:
    answer = await sources.search(Query(title=title))

    assert answer.outages == ()
