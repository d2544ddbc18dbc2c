"""A real citation scan and a real manuscript loop on one document: only one of them at a time has it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from temporalio import activity
from temporalio.client import WorkflowHandle
from temporalio.testing import WorkflowEnvironment

from schemas.citation_scan import CitationScanResult
from schemas.manuscript import ManuscriptResult
from tests.support.citations.desk import TEXT, ScanDesk, scan_desk
from tests.support.manuscripts.studio import Studio, planned, studio
from workflows.citation_scan import CitationScan
from workflows.holding import DOCUMENT_BUSY, DocumentLock
from workflows.manuscript_loop import ManuscriptLoop

Fakes = Mapping[str, Callable[..., Any]]


@asynccontextmanager
async def rooms(
    env: WorkflowEnvironment, folder: Path, fakes: Fakes | None = None
) -> AsyncIterator[tuple[Studio, ScanDesk]]:
    """Both pipelines at work on one novel; ``fakes``: activities of the scan."""
    async with (
        studio(env.client, folder, TEXT) as writing,
        scan_desk(env.client, folder, novel=writing.queue, fakes=fakes) as citing,
    ):
        writing.cast.scripts["planner"] = iter([planned("Shores")] * 9)
        yield writing, citing


async def loop_at_work(writing: Studio) -> WorkflowHandle[ManuscriptLoop, ManuscriptResult]:
    """A run that goes on until its planner may answer."""
    writing.cast.gates["planner"] = asyncio.Event()
    handle = await writing.start()
    await writing.cast.reached["planner"].wait()
    return handle


async def start_scan(
    writing: Studio, citing: ScanDesk, session: str
) -> WorkflowHandle[CitationScan, CitationScanResult]:
    """A scan of the text that the loop writes."""
    return await citing.start(session, workspace=writing.novel.workspace)


async def until_free(writing: Studio) -> None:
    """Until the document's lock has ended."""
    lock: WorkflowHandle[DocumentLock, None] = writing.client.get_workflow_handle_for(
        DocumentLock.run, f"document/{writing.queue}/-"
    )
    async with asyncio.timeout(30):
        while (await lock.describe()).close_time is None:  # noqa: ASYNC110  # another process answers
            await asyncio.sleep(0.02)


async def test_a_scan_is_refused_while_the_loop_writes_and_runs_once_that_is_terminated(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with rooms(temporal_env, tmp_path) as (writing, citing), asyncio.timeout(120):
        loop = await loop_at_work(writing)
        refused = await (await start_scan(writing, citing, "s1")).result()
        asked = list(citing.asked)
        await loop.terminate("a test")
        await until_free(writing)
        ended = await (await start_scan(writing, citing, "s2")).result()
        writing.cast.gates["planner"].set()

    assert (refused.outcome, refused.code) == ("refused", DOCUMENT_BUSY)
    assert loop.id in refused.message
    assert asked == []
    assert (ended.outcome, ended.counts.proposed) == ("waiting", 2)


@pytest.mark.long
async def test_a_loop_is_refused_while_the_scan_reads_and_runs_once_that_is_terminated(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    reached, gate = asyncio.Event(), asyncio.Event()

    @activity.defn(name="call_model")
    async def call_model(request: Any) -> None:  # Any: nobody reads it
        reached.set()
        await gate.wait()

    async with rooms(temporal_env, tmp_path, {"call_model": call_model}) as (writing, citing):
        async with asyncio.timeout(120):
            scan = await start_scan(writing, citing, "s1")
            await reached.wait()
            refused = await writing.run()
            prompts = list(writing.cast.prompts)
            await scan.terminate("a test")
            await until_free(writing)
            ended = await writing.run()
        gate.set()

    assert (refused.outcome, refused.code) == ("refused", DOCUMENT_BUSY)
    assert scan.id in refused.message
    assert prompts == []
    assert (ended.outcome, ended.stop) == ("finished", "finished")
