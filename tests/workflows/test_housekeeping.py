"""The nightly housekeeping: what runs under way need stays, the rest goes; and its schedule."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from temporalio import workflow
from temporalio.client import Client, Schedule, ScheduleActionStartWorkflow, ScheduleSpec
from temporalio.service import RPCError
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from activities.housekeeping import HousekeepingActivities
from activities.packing import PackingActivities
from activities.under_way import under_way
from gateway.desk import housekeeping as desk
from penwright.adapters.clock import SystemClock
from penwright.adapters.sealing import Keys
from penwright.errors import PassingError, PenwrightError, UsageMistake, WorkspaceBusy
from penwright.ports.retention import UnderWay
from schemas.base import BlobRef, BookId
from schemas.housekeeping import Cleared, HousekeepingInput, RetentionDays
from schemas.records import BookRow
from schemas.workspace import Workspace
from tests.support.doubles.store import MemoryStore, memory_store
from workers.payloads.codec import Cipher
from workers.payloads.conversion import converter
from workers.payloads.values import outside_storage
from workers.preparing.housekeeping import NAME, schedule_housekeeping
from workers.settings import load
from workers.temporal_plugin import WORKFLOWS
from workers.wiring import activity_methods
from workflows.housekeeping import Housekeeping
from workflows.steering import Steered
from workflows.visibility import STAGE


@dataclass
class Emptying:
    """A retention that deletes nothing; ``failures``: what its attempts raise, in turn."""

    failures: list[Exception] = field(default_factory=list)
    asked: list[UnderWay] = field(default_factory=list)

    def clear(
        self, days: RetentionDays, under_way: UnderWay, *, only_look: bool = False
    ) -> Iterator[Cleared]:
        self.asked.append(under_way)
        if self.failures:
            raise self.failures.pop(0)
        yield Cleared(table="events", what="events of runs", days=days.events, rows=3, size=300)


@dataclass
class Folders:
    """Repositories of which some are in use or broken."""

    packed: list[str] = field(default_factory=list)

    def kept_open(self, workspace: Workspace) -> AbstractContextManager[None]:
        return nullcontext()

    def pack(self, workspace: Workspace) -> int | None:
        if workspace.path == "/busy":
            raise WorkspaceBusy("workspace-busy", "in use")
        if workspace.path == "/gone":
            raise UsageMistake("no-such-folder", "it is gone")
        self.packed.append(workspace.path)
        return None if workspace.path == "/small" else 1000


def register(store: MemoryStore, queue: str, *paths: str) -> None:
    for path in paths:
        store.records.register(BookRow(book_id=BookId(path.strip("/")), path=path, queue=queue))


@asynccontextmanager
async def house(
    client: Client, store: MemoryStore, retention: Emptying, folders: Folders
) -> AsyncIterator[str]:
    queue = f"housekeeping-{uuid4().hex[:8]}"
    activities = [
        *activity_methods(HousekeepingActivities(retention, store.records, RetentionDays())),
        *activity_methods(PackingActivities(store.records, {"book": folders, "novel": folders}, "main")),  # type: ignore[dict-item]
    ]
    with ThreadPoolExecutor(2) as pool:
        async with Worker(
            client, task_queue=queue, workflows=WORKFLOWS, activities=activities, activity_executor=pool
        ):
            yield queue


@pytest.fixture
def store() -> MemoryStore:
    return memory_store(clock=SystemClock())


async def test_an_housekeeping_clears_the_store_and_packs_every_repository(
    temporal_env: WorkflowEnvironment, store: MemoryStore
) -> None:
    retention, folders = Emptying([PassingError("store-busy", "later")]), Folders()
    async with house(temporal_env.client, store, retention, folders) as queue:
        register(store, queue, "/one", "/small", "/busy", "/gone")
        result = await desk.run(temporal_env.client, queue, datetime.now(UTC))

    assert (result.outcome, [each.rows for each in result.tables]) == ("done", [3])
    (host,) = result.packed
    assert (host.looked_at, host.packed, host.busy, host.needless, host.freed) == (4, 1, 1, 1, 1000)
    assert host.failed == ("gone: no-such-folder: it is gone",)
    (row,) = store.records.runs(pipeline="housekeeping")
    assert (row.outcome, row.subject) == ("done", "store")
    (event,) = store.records.events_after(0, run=row.run)
    assert event.kind == "housekeeping.ended"


async def test_what_cannot_be_read_deletes_nothing_and_says_so(
    temporal_env: WorkflowEnvironment, store: MemoryStore
) -> None:
    retention = Emptying([UsageMistake("encryption-key-unknown", "the key is not set")])
    async with house(temporal_env.client, store, retention, Folders()) as queue:
        with pytest.raises(PenwrightError) as caught:
            await desk.run(temporal_env.client, queue, datetime.now(UTC))

    assert caught.value.code == "encryption-key-unknown"
    (row,) = store.records.runs(pipeline="housekeeping")
    assert row.outcome == "failed"


@workflow.defn(sandboxed=False)
class Waiting:
    """A run that is under way until it is told otherwise."""

    def __init__(self) -> None:
        self.over = False

    @workflow.run
    async def run(self, given: list[str]) -> None:
        await workflow.wait_condition(lambda: self.over)

    @workflow.signal
    def end(self) -> None:
        self.over = True


@pytest.mark.parametrize("cipher", [None, Cipher(Keys([b"k" * 32]))], ids=["plain", "encrypted"])
async def test_a_run_under_way_is_named_with_every_digest_in_its_history(
    temporal_env: WorkflowEnvironment, store: MemoryStore, cipher: Cipher | None
) -> None:
    """Also of a payload that is stored outside of the history, and of the text in it."""
    kept: list[BlobRef] = []

    class Keeping:
        def put(self, content: bytes) -> BlobRef:
            kept.append(store.blobs.put(content))
            return kept[-1]

        def get(self, ref: BlobRef) -> bytes:
            return store.blobs.get(ref)

    config = temporal_env.client.config()
    config["data_converter"] = converter(codec=cipher, storage=outside_storage(Keeping))
    client, queue = Client(**config), f"waiting-{uuid4().hex[:8]}"
    inside, outside = "ab" * 32, "cd" * 32
    async with Worker(client, task_queue=queue, workflows=[Waiting]):
        small = await client.start_workflow(Waiting.run, [inside], id=f"{queue}-1", task_queue=queue)
        long = await client.start_workflow(
            Waiting.run, [outside, "x" * 80_000], id=f"{queue}-2", task_queue=queue
        )
        found = await _under_way(client, lambda found: {small.id, long.id} <= found.workflow_ids)
        for run in (small, long):
            await run.signal(Waiting.end)
            await run.result()

    assert {inside, outside, kept[0].sha256} <= found.digests
    await _under_way(client, lambda found: small.id not in found.workflow_ids)


async def _under_way(client: Client, awaited: Callable[[UnderWay], bool]) -> UnderWay:
    """The first report that is as awaited. A server lists what was started or ended a moment later."""
    async with asyncio.timeout(20):
        while True:
            found = await under_way(client)
            if awaited(found):
                return found
            await asyncio.sleep(0.05)


async def test_a_run_that_cannot_be_read_is_named_and_stops_nothing_else(
    temporal_env: WorkflowEnvironment,
) -> None:
    def client(key: bytes) -> Client:
        config = temporal_env.client.config()
        config["data_converter"] = converter(codec=Cipher(Keys([key * 32])))
        return Client(**config)

    theirs, ours, queue = client(b"a"), client(b"b"), f"waiting-{uuid4().hex[:8]}"
    digest = uuid4().hex * 2
    async with Worker(ours, task_queue=queue, workflows=[Waiting]):
        await theirs.start_workflow(Waiting.run, ["x"], id=f"{queue}-lost", task_queue="nobody")
        mine = await ours.start_workflow(Waiting.run, [digest], id=queue, task_queue=queue)
        found = await _under_way(ours, lambda found: {mine.id, f"{queue}-lost"} <= found.workflow_ids)
        await theirs.get_workflow_handle(f"{queue}-lost").terminate()
        await mine.signal(Waiting.end)
        await mine.result()

    assert [each for each in found.unread if each.startswith(f"{queue}-lost: encryption-key-unknown: ")]
    assert digest in found.digests


async def test_what_a_schedule_begins_with_is_needed(temporal_env: WorkflowEnvironment) -> None:
    digest = uuid4().hex * 2
    action = ScheduleActionStartWorkflow(Waiting.run, [digest], id="w", task_queue="nobody")
    schedule = await temporal_env.client.create_schedule(f"s-{digest}", Schedule(action, spec=ScheduleSpec()))
    try:
        await _under_way(temporal_env.client, lambda found: digest in found.digests)
    finally:
        await schedule.delete()


async def test_the_schedule_follows_the_settings(temporal_env: WorkflowEnvironment, tmp_path: Path) -> None:
    client = temporal_env.client

    async def scheduled(**more: str) -> None:
        environ = {"PENWRIGHT_HOME": str(tmp_path), "PENWRIGHT_CONFIG": "", **more}
        await schedule_housekeeping(client, load(environ).settings)

    for at, zone, times in (
        ("03:40", "UTC", {(3, 40)}),
        ("23:05", "UTC", {(23, 5)}),
        ("02:30", "Europe/Berlin", {(2, 30), (3, 30)}),
    ):
        await scheduled(PENWRIGHT_HOUSEKEEPING__AT=at, PENWRIGHT_HOUSEKEEPING__TIME_ZONE=zone)
        spec = (await client.get_schedule_handle(NAME).describe()).schedule.spec
        assert {(each.hour[0].start, each.minute[0].start) for each in spec.calendars} == times
    for _ in range(2):
        await scheduled(PENWRIGHT_HOUSEKEEPING__ENABLED="false")
        with pytest.raises(RPCError):
            await client.get_schedule_handle(NAME).describe()


async def test_a_paused_run_is_at_paused_and_then_at_its_work_again(
    temporal_env: WorkflowEnvironment, store: MemoryStore
) -> None:
    async with house(temporal_env.client, store, Emptying([]), Folders()) as queue:
        handle = await temporal_env.client.start_workflow(
            Housekeeping.run,
            HousekeepingInput(),
            id=f"housekeeping-{queue}",
            task_queue=queue,
            start_signal="pause",
        )
        asked = await handle.query(Steered.progress)
        listed = (await handle.describe()).typed_search_attributes.get(STAGE)
        await handle.signal(Steered.resume)
        result = await handle.result()

    assert (asked.stage, listed, result.outcome) == ("paused", "paused", "done")
    assert (await handle.describe()).typed_search_attributes.get(STAGE) != "paused"
