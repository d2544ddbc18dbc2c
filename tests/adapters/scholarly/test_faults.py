"""What registries do wrong: it becomes an outage with its reason, or a record without the part."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from penwright.adapters.scholarly import open_sources
from penwright.adapters.scholarly.recorded import RecordedWork
from penwright.ports.scholarly import ScholarlySources
from schemas.scholarly import Answer, Identifier, Outage, OutageReason, Query, SourceName
from tests.adapters.scholarly.conftest import of
from tests.support.each import for_each
from tests.support.scholarly.server import NAMES, Fault, RegistryServer, bodies, moved

DNA = Identifier(kind="doi", value="10.1038/171737a0")
PMID = Identifier(kind="pmid", value="13054692")
ARXIV = Identifier(kind="arxiv", value="1706.03762")
ONE_OF: dict[SourceName, Identifier] = {
    "crossref": DNA,
    "pubmed": PMID,
    "openalex": DNA,
    "datacite": Identifier(kind="doi", value="10.5281/zenodo.3960218"),
    "arxiv": ARXIV,
}
"""A work that each source has."""
BOMB = b'<?xml version="1.0"?><!DOCTYPE f [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><f>&b;</f>'
OUTSIDE = b'<?xml version="1.0"?><!DOCTYPE f [<!ENTITY a SYSTEM "file:///etc/hostname">]><f>&a;</f>'
DEEP = b"<a>" * 5_000 + b"</a>" * 5_000
FAULTS: dict[str, tuple[Fault, OutageReason]] = {
    "asked to wait": (Fault(status=429, headers={"Retry-After": "7"}, body=b"{}"), "rate-limited"),
    "overloaded": (Fault(status=503, body=b"busy"), "server-error"),
    "broken": (Fault(status=500, body=b"<html>"), "server-error"),
    "key refused": (Fault(status=401, body=b"{}"), "refused"),
    "truncated": (Fault(cut=True), "unreadable"),
    "not the protocol": (Fault(body=b"<html><body>Down for maintenance"), "unreadable"),
    "empty": (Fault(body=b""), "unreadable"),
    "null": (bodies(None), "unreadable"),
    "a list": (bodies([[], 1]), "unreadable"),
    "nested too deep": (Fault(body=b"[" * 100_000), "unreadable"),
    "not UTF-8": (Fault(body=b'{"message": "\xff\xfe"}'), "unreadable"),
    "compressed all the same": (Fault(headers={"Content-Encoding": "gzip"}, body=b"\x1f\x8b"), "unreadable"),
    "entities": (Fault(body=BOMB), "unreadable"),
    "outside entities": (Fault(body=OUTSIDE), "unreadable"),
    "deep XML": (Fault(body=DEEP), "unreadable"),
    "endless": (Fault(huge=True), "too-large"),
    "hanging": (Fault(hang=True), "slow"),
    "moved away": (moved("http://localhost:9/elsewhere"), "redirected"),
    "moved in circles": (moved("circle"), "redirected"),
}


def patience(fault: Fault) -> float:
    """Seconds for one request: few where it hangs, and enough for a busy machine where it does not."""
    return 0.5 if fault.hang else 30


async def outage(server: RegistryServer, source: SourceName, fault: Fault) -> Answer:
    server.faults = {source: fault}
    async with open_sources(of(server, timeout_s=patience(fault))) as sources:
        return await sources.resolve(ONE_OF[source])


@for_each("source", NAMES)
@for_each("name", FAULTS)
async def test_a_fault_is_an_outage_by_name(server: RegistryServer, source: SourceName, name: str) -> None:
    fault, reason = FAULTS[name]

    answer = await outage(server, source, fault)

    assert [each.reason for each in answer.outages if each.source == source] == [reason]
    assert source in answer.asked
    assert source not in {each.source for each in answer.records}


@for_each("name", FAULTS)
async def test_a_search_that_fails_is_an_outage_too(server: RegistryServer, name: str) -> None:
    fault, reason = FAULTS[name]
    server.all_out(fault)

    async with open_sources(of(server, timeout_s=patience(fault))) as sources:
        answer = await sources.search(Query(title="Deep learning"))

    assert {(each.source, each.reason) for each in answer.outages} == {(each, reason) for each in NAMES}
    assert answer.records == ()


async def test_a_closed_port_is_unreachable(server: RegistryServer) -> None:
    settings = of(server)
    gone = dict.fromkeys(NAMES, "http://127.0.0.1:9/gone")

    async with open_sources(type(settings)(sources=NAMES, addresses=gone, gap_factor=0)) as sources:
        answer = await sources.resolve(DNA)

    assert {each.reason for each in answer.outages} == {"unreachable"}


async def test_other_sources_answer_while_one_is_out(server: RegistryServer) -> None:
    answer = await outage(server, "crossref", Fault(status=503, body=b""))

    assert [each.source for each in answer.records] == ["pubmed", "openalex"]


async def test_a_redirect_on_the_same_host_is_followed(server: RegistryServer) -> None:
    server.faults = {"crossref": moved("/openalex/works/doi:10.1038%2F171737a0")}

    async with open_sources(of(server)) as sources:
        await sources.resolve(DNA)

    assert any("doi:" in each.path for each in server.asked("openalex"))


async def test_a_source_that_asks_to_wait_is_left_alone_that_long(server: RegistryServer) -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=600), usegmt=True)
    server.faults = {"crossref": Fault(status=429, headers={"Retry-After": later}, body=b"")}

    async with open_sources(of(server)) as sources:
        first = await sources.resolve(DNA)
        server.faults = {}
        second = await sources.resolve(DNA)

    assert len(server.asked("crossref")) == 1
    for answer in (first, second):
        (out,) = answer.outages
        assert out.reason == "rate-limited"
        assert out.retry_after == pytest.approx(600, abs=60)


@pytest.mark.parametrize(
    ("asked", "wait"),
    [
        ("9" * 30, 86_400.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 86_400.0),
        ("Fri, 31 Dec 99999999999 23:59:59 GMT", None),
        ("Fri, 31 Dec 2027 23:59:59 +99999999999999999", None),
        ("-5", None),
    ],
)
async def test_no_wait_that_a_source_asks_for_hides_the_others(
    server: RegistryServer, asked: str, wait: float | None
) -> None:
    server.faults = {"crossref": Fault(status=429, headers={"Retry-After": asked}, body=b"")}

    async with open_sources(of(server)) as sources:
        answer = await sources.resolve(DNA)

    assert answer.outages == (Outage(source="crossref", reason="rate-limited", retry_after=wait),)
    assert [each.source for each in answer.records] == ["pubmed", "openalex"]


async def test_fields_without_end_are_cut(server: RegistryServer) -> None:
    def swollen(work: RecordedWork) -> RecordedWork:
        authors = tuple(
            each.model_copy(update={"family": each.family + "x" * 15_000, "given": "g" * 15_000})
            for each in work.authors
        )
        long = {"container": "J" * 15_000, "volume": "1" * 15_000, "publisher": "P" * 15_000}
        return work.model_copy(update={"authors": authors, **long})

    server.faults = {"crossref": Fault(lie=swollen)}
    async with open_sources(of(server)) as sources:
        answer = await sources.resolve(DNA)

    (record,) = (each for each in answer.records if each.source == "crossref")
    assert record.title.startswith("Molecular Structure")
    assert record.authors[0].family.startswith("Watsonx")
    assert len(record.model_dump_json()) < 3_000


async def test_a_short_wait_is_waited_for(server: RegistryServer) -> None:
    server.faults = {"crossref": Fault(status=429, headers={"Retry-After": "0.4"}, body=b"")}

    async with open_sources(of(server)) as sources:
        begun = time.monotonic()
        first = await sources.resolve(DNA)
        server.faults = {}
        second = await sources.resolve(DNA)

    assert first.outages == (Outage(source="crossref", reason="rate-limited", retry_after=0.4),)
    assert second.outages == ()
    assert time.monotonic() - begun >= 0.4


@pytest.mark.parametrize("limit", ["5", "5, 5"])
async def test_the_pace_that_headers_name_is_kept(server: RegistryServer, limit: str) -> None:
    server.extra_headers = {
        "x-rate-limit-limit": limit,
        "x-rate-limit-interval": "1s",
        "x-concurrency-limit": "1",
    }

    async with open_sources(of(server)) as sources:
        await sources.resolve(DNA)
        begun = time.monotonic()
        await asyncio.gather(*(sources.resolve(DNA) for _ in range(3)))

    assert time.monotonic() - begun >= 0.4


async def test_every_request_says_who_asks_and_keys_go_to_their_registry_only(server: RegistryServer) -> None:
    async with open_sources(of(server, keys=True)) as sources:
        await sources.resolve(DNA)
        await sources.search(Query(title="Deep learning"))

    assert {each.headers["user-agent"] for each in server.requests} == {
        "Penwright/0.0 (mailto:tests@example.org)"
    }
    asked = {each.source: each for each in server.requests}
    assert asked["crossref"].params["mailto"] == "tests@example.org"
    assert asked["crossref"].headers["crossref-plus-api-token"] == "Bearer plus-key"
    assert (asked["pubmed"].params["email"], asked["pubmed"].params["tool"]) == (
        "tests@example.org",
        "penwright",
    )
    holders = {
        key: {each.source for each in server.requests if key in str((each.params, each.headers))}
        for key in ("plus-key", "open-key", "ncbi-key")
    }
    assert holders == {"plus-key": {"crossref"}, "open-key": {"openalex"}, "ncbi-key": {"pubmed"}}


def another_doi(work: RecordedWork) -> RecordedWork:
    return work.model_copy(update={"doi": "10.1000/another", "pmid": "42", "arxiv": "2001.00001"})


@pytest.mark.parametrize("source", NAMES)
async def test_another_work_than_the_one_asked_for_is_an_outage(
    server: RegistryServer, source: SourceName
) -> None:
    answer = await outage(server, source, Fault(lie=another_doi))

    assert source not in {each.source for each in answer.records}
    assert [each.reason for each in answer.outages] == ["another-work"]


def marked_up(work: RecordedWork) -> RecordedWork:
    title = work.title.replace("Learning", "<i>Learning</i> &amp; more").replace(
        "learning", "<b>learning</b>"
    )
    return work.model_copy(update={"title": title, "authors": (), "year": None, "abstract": ""})


@pytest.mark.parametrize("source", ["crossref", "openalex"])
async def test_markup_goes_and_missing_parts_stay_missing(
    server: RegistryServer, registries: ScholarlySources, source: SourceName
) -> None:
    server.faults = {name: Fault(deny=True) for name in NAMES if name != source}
    server.faults[source] = Fault(lie=marked_up)

    answer = await registries.resolve(Identifier(kind="doi", value="10.1038/nature14539"))

    (record,) = answer.records
    assert (record.title, record.authors, record.year, record.abstract) == ("Deep learning", (), None, "")


@pytest.mark.parametrize(
    ("published", "year"),
    [
        ([["1953-04-25"]], 1953),
        ([[None]], None),
        ([[12]], None),
        ("1953", None),
        ([[999999]], None),
        ({}, None),
    ],
)
async def test_a_year_is_read_from_whatever_holds_one(
    server: RegistryServer, registries: ScholarlySources, published: Any, year: int | None
) -> None:
    work = {"DOI": DNA.value, "title": ["A title"], "author": "nobody", "issued": {"date-parts": published}}
    server.faults = {"crossref": bodies({"message": work})}

    answer = await registries.resolve(DNA)

    assert next((each.year, each.authors) for each in answer.records if each.source == "crossref") == (
        year,
        (),
    )


async def test_a_record_without_a_title_exists_where_it_was_asked_for_by_its_identifier(
    server: RegistryServer, registries: ScholarlySources
) -> None:
    server.faults = {"crossref": bodies({"message": {"DOI": DNA.value}})}

    answer = await registries.resolve(DNA)

    assert [each.title for each in answer.records if each.source == "crossref"] == [""]
    assert answer.outages == ()


async def test_no_more_than_a_few_words_of_a_search_are_sent(
    server: RegistryServer, registries: ScholarlySources
) -> None:
    await registries.search(Query(text="harbour " * 500))

    sent = [max(map(len, each.params.values())) for each in server.requests]
    assert max(sent) <= 400
