"""Audits of citations as Temporal carries them out: real texts, a stub registry or given works, no model."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest
from temporalio.testing import WorkflowEnvironment

from gateway.desk.engine.pipelines import Timetable
from gateway.desk.engine.temporal.citation_audits import TemporalAudits
from penwright.adapters.memory_scholarly import MemoryScholarly
from penwright.adapters.scholarly import Registries, open_sources
from penwright.errors import Refused
from schemas.control import KillRequest
from schemas.scholarly import EditorialNotice, Outage
from tests.support.citations.audits import CITED, SILENT, SIZES, AuditDesk, audit_desk, stock, until_it_waits
from tests.support.citations.desk import HARBOURS, TIDES
from tests.support.scholarly.server import running_registries
from workflows.citation_audit import CitationAudit


async def test_each_of_two_hundred_references_is_in_its_class_and_no_model_is_asked(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    given = stock()
    with running_registries(given.works) as server:
        server.unanswered = SILENT
        registries = Registries(
            sources=("crossref", "openalex"),
            addresses=server.addresses,
            gap_factor=0,
            contact="a@example.org",
        )
        async with (
            open_sources(registries) as sources,
            audit_desk(temporal_env.client, tmp_path, sources) as desk,
        ):
            handle = await desk.start(desk.of_file(given.bibtex))
            ended = await handle.result()
            history = await handle.fetch_history()

    asked = {
        each.activity_task_scheduled_event_attributes.activity_type.name
        for each in history.events
        if each.HasField("activity_task_scheduled_event_attributes")
    }
    entries = desk.report(ended).entries
    assert {each.key: each.state for each in entries} == given.states
    assert ended.counts == SIZES
    assert asked == {"list_entries", "audit_entries", "end_audit"}
    assert len(history.to_json()) < 200_000  # what a session may have
    swapped = next(each for each in entries if each.state == "differs")
    assert "title" in {each.name for each in swapped.differs}
    assert all(each.recorded and each.cited for each in swapped.differs)
    fallen = next(each for each in entries if each.state == "retracted")
    assert [(each.doi[:15], each.date) for each in fallen.notices if each.source == "crossref"] == [
        ("10.5555/notice.", "2015-01-01")
    ]


async def test_a_document_is_audited_with_its_bibliography_at_the_tip(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    sources = MemoryScholarly([TIDES, HARBOURS])
    async with audit_desk(temporal_env.client, tmp_path, sources, text=CITED) as desk:
        ended = await desk.run(desk.of_document())

    report = desk.report(ended)
    assert [(each.key, each.state, each.file, each.line) for each in report.entries] == [
        ("lee2020tides", "found", "manuscript.md", 3)
    ]
    assert [(each.code, each.key, each.line) for each in report.findings] == [
        ("UNKNOWN_KEY", "nobody1999", 3)
    ]
    (row,) = desk.novel.store.records.runs(pipeline="citation-audit")
    assert (row.subject, row.outcome, row.detail["counts"]) == (f"{desk.queue}/-", "done", {"found": 1})


async def test_a_registry_that_asks_for_an_hour_is_asked_again_after_it(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    sources = MemoryScholarly([TIDES])
    sources.outages["crossref"] = Outage(source="crossref", reason="rate-limited", retry_after=1.5)
    async with audit_desk(temporal_env.client, tmp_path, sources, text=CITED) as desk:
        handle = await desk.start(desk.of_document(waits=True))
        shown = await until_it_waits(handle)
        sources.outages.clear()
        ended = await handle.result()

    assert "to ask registries again for 1 of 1 entry" in shown
    assert ended.counts == {"found": 1}


async def test_what_is_unreachable_is_said_at_once_without_waiting(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    sources = MemoryScholarly([TIDES])
    sources.outages["crossref"] = Outage(source="crossref", reason="rate-limited", retry_after=3600)
    async with audit_desk(temporal_env.client, tmp_path, sources, text=CITED) as desk:
        ended = await desk.run(desk.of_document())

    (entry,) = desk.report(ended).entries
    assert (entry.state, entry.outages[0].retry_after) == ("unreachable", 3600)


async def test_an_audit_that_is_killed_while_it_waits_reports_what_it_has(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    sources = MemoryScholarly([TIDES])
    sources.outages["crossref"] = Outage(source="crossref", reason="rate-limited", retry_after=3600)
    async with audit_desk(temporal_env.client, tmp_path, sources, text=CITED) as desk:
        handle = await desk.start(desk.of_document(waits=True))
        await until_it_waits(handle)
        await handle.signal(CitationAudit.kill, KillRequest(who="ada", reason="enough"))
        ended = await handle.result()

    assert (ended.outcome, ended.code, ended.counts) == ("stopped", "killed", {"unreachable": 1})


async def test_a_schedule_tells_of_a_retraction_once(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    sources = MemoryScholarly([TIDES])
    async with audit_desk(temporal_env.client, tmp_path, sources, text=CITED) as desk:
        audits = TemporalAudits(temporal_env.client, desk.queue)
        weekly = Timetable(every=timedelta(days=7))
        made = await audits.schedule(desk.of_document(repo_queue=desk.queue), weekly)
        await run_scheduled(desk)
        before = len(desk.posted.notices)
        notice = EditorialNotice(kind="retraction", source="crossref")
        sources.records = (TIDES.model_copy(update={"notices": (notice,)}),)
        await run_scheduled(desk)
        await run_scheduled(desk)
        await audits.unschedule(f"{desk.queue}/-")
        with pytest.raises(Refused) as refused:
            await audits.unschedule(f"{desk.queue}/-")

    assert made.next_run is not None
    assert refused.value.code == "not-scheduled"
    assert before == 0
    (told,) = desk.posted.notices
    assert told.title == f"{desk.queue}/-: 1 cited work retracted"
    assert "lee2020tides" in told.body
    assert len(desk.novel.store.records.runs(pipeline="citation-audit")) == 3


async def run_scheduled(desk: AuditDesk) -> None:
    """Start one run of the document's schedule, and wait for its end."""
    handle = desk.client.get_schedule_handle(f"audit/{desk.queue}/-")
    before = (await handle.describe()).info.num_actions
    await handle.trigger()
    async with asyncio.timeout(60):
        while (found := await handle.describe()).info.num_actions == before:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        while (found := await handle.describe()).info.running_actions:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    assert found.info.recent_actions
