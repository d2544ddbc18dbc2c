"""References of seven sorts, judged through the activities, the clients and a local server."""

import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from activities.citations.scholarly import ScholarlyActivities
from penwright.adapters.clock import SystemClock
from penwright.adapters.scholarly import Registries, bibliography, open_sources
from penwright.adapters.scholarly.recorded import recorded_works
from schemas.scholarly import (
    Answer,
    Author,
    Identifier,
    LookUp,
    Query,
    Reference,
    ReferenceVerified,
    ScholarlyRecord,
    VerifyReference,
)
from tests.support.doubles.store import memory_store
from tests.support.each import for_each
from tests.support.scholarly.references import ALLOWED, INVENTED, Case, all_cases, cited
from tests.support.scholarly.server import NAMES, Fault, RegistryServer, running_registries

CASES = all_cases()
OUT = Fault(status=503, headers={"Retry-After": "0"}, body=b"")
OUTAGES = {
    "server-error": OUT,
    "rate-limited": Fault(status=429, headers={"Retry-After": "0"}, body=b""),
    "unreadable": Fault(body=b"<html>Sign in"),
}
DNA = recorded_works()[0]
WORD = re.compile(r"\w+")


@pytest.fixture
def server() -> Iterator[RegistryServer]:
    with running_registries(recorded_works()) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def activities(server: RegistryServer) -> AsyncIterator[ScholarlyActivities]:
    registries = Registries(sources=NAMES, addresses=server.addresses, gap_factor=0, contact="a@example.org")
    async with open_sources(registries) as sources:
        yield ScholarlyActivities(sources, memory_store(clock=SystemClock()).blobs, bibliography)


async def verified(activities: ScholarlyActivities, case: Case) -> ReferenceVerified:
    return await activities.verify_reference(VerifyReference(reference=case.reference))


def test_there_are_twelve_of_each_sort() -> None:
    assert Counter(each.sort for each in CASES) == dict.fromkeys(ALLOWED, 12)


@for_each("case", CASES)
async def test_each_reference_gets_the_verdict_of_its_sort(
    activities: ScholarlyActivities, case: Case
) -> None:
    found = await verified(activities, case)

    assert found.verdict.status in ALLOWED[case.sort], found.verdict.reason


@pytest.mark.parametrize(
    "fault",
    [
        "server-error",
        pytest.param("rate-limited", marks=pytest.mark.long),
        pytest.param("unreadable", marks=pytest.mark.long),
    ],
)
async def test_with_all_sources_out_nothing_is_verified_and_nothing_is_not_found(
    server: RegistryServer, activities: ScholarlyActivities, fault: str
) -> None:
    server.all_out(OUTAGES[fault])

    found = [await verified(activities, case) for case in CASES]

    assert {each.verdict.status for each in found} == {"unverifiable"}
    assert {out.reason for each in found for out in each.verdict.outages} == {fault}


@pytest.mark.parametrize(
    "source", [NAMES[0], *(pytest.param(each, marks=pytest.mark.long) for each in NAMES[1:])]
)
async def test_with_one_source_out_no_reference_gets_a_verdict_that_is_wrong(
    server: RegistryServer, activities: ScholarlyActivities, source: str
) -> None:
    for case in CASES:
        server.faults = {source: OUT}

        found = await verified(activities, case)

        assert found.verdict.status in ALLOWED[case.sort] | {"unverifiable"}, (case, found.verdict.reason)
        assert found.verdict.status != "not_found" or not found.verdict.outages


async def test_eleven_of_the_invented_are_found_nowhere(activities: ScholarlyActivities) -> None:
    found = [await verified(activities, case) for case in CASES if case.sort == "invented"]

    assert Counter(each.verdict.status for each in found) == {"not_found": 11, "mismatch": 1}


async def test_a_pmid_leads_to_the_registry_that_knows_of_the_retraction(
    server: RegistryServer, activities: ScholarlyActivities
) -> None:
    work = next(each for each in server.works if each.notice and each.pmid)
    silent = Fault(lie=lambda told: told.model_copy(update={"notice": None}))
    server.faults = {"pubmed": silent, "openalex": silent}
    reference = cited(work).model_copy(update={"doi": ""})

    found = await activities.verify_reference(VerifyReference(reference=reference))

    assert found.verdict.status == "retracted"
    assert {each.source for each in found.verdict.notices} == {"crossref"}


async def test_a_registry_that_lies_about_a_title_leaves_it_to_a_person(
    server: RegistryServer, activities: ScholarlyActivities
) -> None:
    server.faults = {"openalex": Fault(lie=lambda told: told.model_copy(update={"title": "Of other things"}))}

    found = await activities.verify_reference(VerifyReference(reference=cited(DNA)))

    assert (found.verdict.status, found.verdict.fields) == ("mismatch", ("title",))


async def test_a_reference_that_only_the_workspace_has_is_unverifiable(
    activities: ScholarlyActivities,
) -> None:
    invented = next(each for each in INVENTED if not (each.doi or each.pmid or each.arxiv))
    authors = "Aldercott, R. and Quillfeather, S."
    entry = f"@book{{x, title = {{{invented.title}}}, author = {{{authors}}}, year = 1997}}"
    kept = activities.blobs.put(f"{entry}\n@broken{{".encode())

    found = await activities.verify_reference(VerifyReference(reference=invented, bibliography=kept))

    assert found.verdict.status == "unverifiable"
    assert found.verdict.record is not None
    assert found.verdict.record.source == "bibliography"


async def test_works_are_looked_up_by_identifier_and_by_subject(activities: ScholarlyActivities) -> None:
    asked = LookUp(
        identifiers=(Identifier(kind="doi", value=DNA.doi),),
        query=Query(text="data that are findable and reusable", limit=2),
    )

    found = await activities.look_up(asked)

    assert {DNA.doi, "10.1038/sdata.2016.18"} <= {each.doi for each in found.answer.records}
    assert found.found == len(found.answer.records)
    assert Answer.model_validate_json(activities.blobs.get(found.whole)) == found.answer


async def test_a_huge_record_fits_a_payload_and_is_kept_whole(
    server: RegistryServer, activities: ScholarlyActivities
) -> None:
    authors = tuple(Author(family=f"Surname{number}", given="A. B. C.") for number in range(3_000))
    huge = DNA.model_copy(update={"authors": authors, "abstract": "word " * 3_000, "publisher": "x" * 5_000})
    server.works[0] = huge

    found = await activities.look_up(LookUp(identifiers=(Identifier(kind="doi", value=DNA.doi),)))
    verdict = await activities.verify_reference(VerifyReference(reference=cited(DNA)))

    assert len(found.model_dump_json()) < 60_000
    assert len(verdict.model_dump_json()) < 20_000
    whole = Answer.model_validate_json(activities.blobs.get(found.whole))
    assert {len(each.authors) for each in whole.records} == {3_000}


async def test_a_verdict_keeps_its_whole_record(activities: ScholarlyActivities) -> None:
    found = await activities.verify_reference(VerifyReference(reference=cited(DNA)))

    assert found.record is not None
    kept = ScholarlyRecord.model_validate_json(activities.blobs.get(found.record))
    assert (kept.title, kept.volume, kept.pages) == (DNA.title, DNA.volume, DNA.pages)


async def test_registries_are_sent_identifiers_and_titles_only(
    server: RegistryServer, activities: ScholarlyActivities
) -> None:
    reference = Reference(title="Tidal memory in archives", authors=(Author(family="Okonedo"),), year=2019)

    await activities.verify_reference(VerifyReference(reference=reference))

    allowed = {"tidal", "memory", "in", "archives", "okonedo", "2019"}
    syntax = {"and", "ti", "title", "titles", "search", "pubmed", "json", "5", "penwright"}
    asked = [
        each.params for each in server.requests if "id" not in each.params
    ]  # not what PubMed found itself
    values = [value.lower() for params in asked for value in params.values()]
    sent = {word for value in values for word in WORD.findall(value)}
    assert sent - syntax - {"a", "example", "org"} <= allowed
