"""How a citation scan ended: what the list of runs shows of it, and what people are told."""

from datetime import UTC, datetime

import pytest
from temporalio.testing import ActivityEnvironment

from activities.citations.endings import CitationEndingActivities
from penwright.adapters.clock import SystemClock
from schemas.base import BookId, Effect, OpId
from schemas.citation_scan import CitationScanResult, EndScan
from schemas.records import RunRow
from schemas.workspace import Workspace
from tests.activities.test_approvals import PaperOutbox
from tests.support.books.sessions import NOON
from tests.support.doubles.store import memory_store

BEGUN = datetime(2026, 5, 4, 11, 30, 5, tzinfo=UTC)


async def ended(session: str, scene: str = "-", outbox: PaperOutbox | None = None) -> RunRow:
    store = memory_store(clock=SystemClock())
    result = CitationScanResult(
        outcome="waiting",
        novel=BookId("ebb"),
        scene=scene,
        message="1 waits",
        cost_micros=5_000,
        session=session,
    )
    request = EndScan(
        effect=Effect(op_id=OpId("citations/ebb/-#s:9"), issued_at=NOON),
        workspace=Workspace(path="/n/ebb"),
        subject="ebb",
        scene=scene,
        session=session,
        result=result,
    )
    made = CitationEndingActivities(store.records, outbox or PaperOutbox())
    await ActivityEnvironment().run(made.end_scan, request)
    (row,) = store.records.runs(pipeline="citation-scan", limit=2)
    return row


@pytest.mark.parametrize(("session", "begun"), [("20260504T113005Z-abcdef", BEGUN), ("mine", NOON)])
async def test_a_run_of_a_scan_has_its_cost_and_its_times(session: str, begun: datetime) -> None:
    row = await ended(session)

    assert (row.stage, row.cost_micros) == ("ended", 5_000)
    assert (row.started_at, row.ended_at) == (begun, NOON)


@pytest.mark.parametrize(("scene", "named"), [("-", "ebb"), ("Part One", "ebb --scene 'Part One'")])
async def test_the_notice_names_the_scene_in_its_command(scene: str, named: str) -> None:
    outbox = PaperOutbox()

    await ended("s1", scene, outbox)

    assert [each.body for each in outbox.posted] == [f"1 waits. `penwright cite review {named}` shows them."]
