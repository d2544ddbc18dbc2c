"""Signed orders on a real server: clients, workflows and schedules are obeyed, and nothing else is."""

import asyncio
import json
import logging
import os
import pwd
import subprocess
import time
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from uuid import uuid4

import pytest
from temporalio.api.common.v1 import Payload
from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import (
    Client,
    Schedule,
    ScheduleActionStartWorkflow,
    ScheduleHandle,
    ScheduleSpec,
    ScheduleUpdate,
    ScheduleUpdateInput,
    WithStartWorkflowOperation,
    WorkflowFailureError,
    WorkflowHandle,
    WorkflowUpdateFailedError,
)
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Replayer, Worker

from penwright.agents.tools.resources import opened
from penwright.errors import Refused, UsageMistake
from tests.support.workflows.ordered import Asking, Ordered, Ordering, Wish, start_another
from workers import scene_wiring, wiring
from workers.engine.temporal import binary
from workers.failures import as_error
from workers.orders.receiving import ReceiveOrders
from workers.orders.sending import SignOrders
from workers.orders.signatures import ORDER_HEADER, START_HEADER, Key
from workers.settings import load
from workers.store_opening import open_store_of
from workers.temporal_plugin import STRICT_PLUGIN
from workflows.unknown import UnknownWorkflow

pytestmark = [pytest.mark.server]

SECRET = b"s" * 32
ORDERED = (Ordered, Ordering)


@dataclass
class Bench:
    """One queue, with clients that have the key and one that has not."""

    target: str
    namespace: str
    key: Key
    owner: Client
    stranger: Client
    queue: str = field(default_factory=lambda: uuid4().hex)

    async def client(self, *interceptors: SignOrders | ReceiveOrders) -> Client:
        return await _client(self.owner, *interceptors)

    def name(self) -> str:
        return f"ordered/{uuid4().hex[:8]}"

    async def started(self, wish: Wish | None = None) -> WorkflowHandle[Ordered, str]:
        """A run that the owner started."""
        return await self.owner.start_workflow(
            Ordered.run, wish or Wish(), id=self.name(), task_queue=self.queue
        )

    @asynccontextmanager
    async def serving(self, key: Key | None = None) -> AsyncIterator[None]:
        """A worker that checks orders with ``key``."""
        client = await self.client(ReceiveOrders(key or self.key), SignOrders(key or self.key, None))
        async with Worker(
            client,
            task_queue=self.queue,
            workflows=[*ORDERED, UnknownWorkflow],
            activities=[start_another],
            max_cached_workflows=0,
        ):
            yield

    async def cli(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """The plain ``temporal``, as the user ``nobody`` where we may become that."""
        return await asyncio.to_thread(self._cli, *words)

    def _cli(self, *words: str) -> "subprocess.CompletedProcess[str]":
        nobody = pwd.getpwnam("nobody") if os.geteuid() == 0 else None
        return subprocess.run(
            [
                str(binary(None, None)),
                *words,
                "--address",
                self.target,
                "--namespace",
                self.namespace,
                "--output",
                "json",
            ],
            env={"HOME": "/tmp", "PATH": "/usr/bin:/bin"},
            cwd="/",
            user=nobody.pw_uid if nobody else None,
            group=nobody.pw_gid if nobody else None,
            extra_groups=[] if nobody else None,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )


@pytest.fixture
async def bench(temporal_env: WorkflowEnvironment) -> Bench:
    key = Key(SECRET, since=int(time.time() * 1e6) - 1_000_000)
    env = temporal_env.client
    owner = await _client(env, SignOrders(key, None))
    return Bench(env.service_client.config.target_host, env.namespace, key, owner, await _client(env))


async def _client(env: Client, *interceptors: SignOrders | ReceiveOrders) -> Client:
    target = env.service_client.config.target_host
    return await Client.connect(
        target, namespace=env.namespace, interceptors=list(interceptors), plugins=[STRICT_PLUGIN]
    )


def _code(failure: BaseException) -> str:
    found = as_error(failure)
    assert isinstance(found, Refused), found
    return found.code


async def _ending(handle: WorkflowHandle[Ordered, str]) -> str:
    """What a run was told by the end; ends it."""
    await handle.signal(Ordered.end)
    return await handle.result()


async def test_every_order_of_the_owner_is_obeyed(bench: Bench) -> None:
    async with bench.serving():
        run = await bench.started()
        await run.signal(Ordered.tell, Wish(words="a", marks={"x": 1.0, "y": 1e-7}))
        said = await run.execute_update(Ordered.say, Wish(words="b"))
        checked = await run.execute_update(Ordered.say_checked, Wish(words="c"))

        assert (said, checked) == ("b", "c")
        assert await _ending(run) == "a,b,c"


async def test_a_start_with_an_update_is_obeyed_and_so_is_the_next(bench: Bench) -> None:
    def start(name: str) -> WithStartWorkflowOperation[Ordered, str]:
        return WithStartWorkflowOperation(
            Ordered.run,
            Wish(),
            id=name,
            task_queue=bench.queue,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
        )

    name = bench.name()
    async with bench.serving():
        for words in ("a", "b"):
            await bench.owner.execute_update_with_start_workflow(
                Ordered.say, Wish(words=words), start_workflow_operation=start(name)
            )

        assert await _ending(bench.owner.get_workflow_handle_for(Ordered.run, name)) == "a,b"


async def test_what_a_workflow_and_its_activities_order_is_obeyed(bench: Bench) -> None:
    name = bench.name()
    async with bench.serving():
        told = await bench.owner.execute_workflow(Ordering.run, name, id=name, task_queue=bench.queue)

    assert told == ["child:inner,outer", ""]


async def test_a_run_that_continues_as_new_goes_on_obeying_and_repeats_nothing(bench: Bench) -> None:
    async with bench.serving():
        run = await bench.started()
        latest: WorkflowHandle[Ordered, str] = bench.owner.get_workflow_handle_for(Ordered.run, run.id)
        for words in ("a", "b"):
            await latest.execute_update(Ordered.say, Wish(words=words))
            await latest.signal(Ordered.turn)
        await latest.execute_update(Ordered.say, Wish(words="c"))
        history = [event async for event in _first(bench, run)]
        copied = await _sent_again(bench, run, history)

        assert copied == "order-unsigned"
        told = await _ending(latest)

    # It continues when it gets to it; what is told meanwhile is told to the run of before.
    assert [words for words in told.replace(";", ",").split(",") if words] == ["a", "b", "c"]
    assert ";" in told


async def test_what_a_schedule_starts_is_obeyed_also_after_it_was_paused_and_resumed(bench: Bench) -> None:
    def turned(found: ScheduleUpdateInput) -> ScheduleUpdate:
        found.description.schedule.state.note = "seen"
        return ScheduleUpdate(schedule=found.description.schedule)

    name = bench.name()
    action = ScheduleActionStartWorkflow(
        Ordered.run, Wish(words="by schedule", waits=False), id=name, task_queue=bench.queue
    )
    async with bench.serving():
        unsigned = await bench.stranger.create_schedule(name, Schedule(action=action, spec=ScheduleSpec()))
        await _triggered_until(bench, unsigned, "order-unsigned")
        # The user of the key touches it, as ``penwright book schedule`` does.
        await bench.owner.get_schedule_handle(name).update(turned)
        await _triggered_until(bench, unsigned, "by schedule")
        await unsigned.delete()


async def _triggered_until(bench: Bench, schedule: ScheduleHandle, wanted: str) -> None:
    """Trigger a schedule until a run of it ends as ``wanted``.

    Again and again: its runs are named by the second, and one of two triggers may start nothing.
    """
    ends: set[str] = set()
    while wanted not in ends:
        await schedule.trigger()
        await asyncio.sleep(0.2)
        ends = {
            await _end_of(bench, each.action.workflow_id)  # type: ignore[attr-defined]
            for each in (await schedule.describe()).info.recent_actions
        }


async def _end_of(bench: Bench, id: str) -> str:
    try:
        run: WorkflowHandle[Ordered, str] = bench.owner.get_workflow_handle_for(Ordered.run, id)
        return await run.result()
    except WorkflowFailureError as failure:
        return _code(failure)


async def test_a_start_without_a_signature_is_refused_by_name(bench: Bench) -> None:
    async with bench.serving():
        forged = await bench.cli(
            *("workflow", "execute", "--type", "Ordered", "--task-queue", bench.queue),
            *("--workflow-id", bench.name(), "--input", '{"waits": false}'),
        )

    assert forged.returncode != 0
    assert "order-unsigned" in forged.stdout + forged.stderr


@pytest.mark.parametrize(
    ("kind", "given", "code"),
    [
        ("Ordered", ["--input", '{"waits": "perhaps"}'], "input-unreadable"),
        ("Ordered", [], "order-unsigned"),
        ("Ordered", ["--input", "1", "--input", "2"], "order-unsigned"),
        ("Nothing", ["--input", "{}"], "order-unsigned"),
    ],
)
async def test_an_unsigned_start_that_cannot_be_read_ends_by_itself(
    bench: Bench, kind: str, given: list[str], code: str
) -> None:
    async with bench.serving():
        forged = await bench.cli(
            *("workflow", "execute", "--type", kind, "--task-queue", bench.queue),
            *("--workflow-id", bench.name(), *given, "--execution-timeout", "15s"),
        )

    assert forged.returncode != 0
    assert code in forged.stdout + forged.stderr


async def test_a_signed_start_of_no_workflow_of_ours_is_told_that_it_is_unknown(bench: Bench) -> None:
    async with bench.serving():
        with pytest.raises(WorkflowFailureError) as unknown:
            await bench.owner.execute_workflow(
                "Nothing", Wish(words="a"), id=bench.name(), task_queue=bench.queue
            )

    assert isinstance(found := as_error(unknown.value), UsageMistake)
    assert found.code == "workflow-unknown"


async def test_a_signal_without_a_signature_is_dropped_and_logged(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    async with bench.serving():
        run = await bench.started()
        with caplog.at_level(logging.WARNING):
            forged = await bench.cli(
                *("workflow", "signal", "--workflow-id", run.id, "--name", "tell"),
                *("--input", '{"words": "forged"}'),
            )
            await run.signal(Ordered.tell, Wish(words="real"))
            ending = await _ending(run)

    assert forged.returncode == 0, "the server takes it; the workflow does not"
    assert ending == "real"
    assert "a signal is dropped: 'tell' carries no valid signature" in caplog.text


@pytest.mark.parametrize("update", ["say", "say_checked"])
async def test_an_update_without_a_signature_is_refused_by_name(bench: Bench, update: str) -> None:
    async with bench.serving():
        run = await bench.started()
        forged = await bench.cli(
            *("workflow", "update", "execute", "--workflow-id", run.id, "--name", update),
            *("--input", '{"words": "forged"}'),
        )
        ending = await _ending(run)

    assert forged.returncode != 0
    assert "was not signed by this installation" in forged.stdout + forged.stderr
    assert ending == ""


async def test_a_copy_of_an_order_is_not_obeyed_again(bench: Bench) -> None:
    async with bench.serving():
        run = await bench.started()
        await run.signal(Ordered.tell, Wish(words="once"))
        await run.execute_update(Ordered.say, Wish(words="twice"))
        history = [event async for event in run.fetch_history_events()]
        copied = await _sent_again(bench, run, history)

        assert copied == "order-unsigned"
        assert await _ending(run) == "once,twice"


async def _first(bench: Bench, run: WorkflowHandle[Ordered, str]) -> AsyncIterator[HistoryEvent]:
    first = bench.owner.get_workflow_handle(run.id, run_id=run.first_execution_run_id)
    async for event in first.fetch_history_events():
        yield event


async def _sent_again(
    bench: Bench, run: WorkflowHandle[Ordered, str], history: Sequence[HistoryEvent]
) -> str:
    """Send each signal and update of ``history`` again with its header, as any user can read and do."""
    code = ""
    for event in history:
        signal = event.workflow_execution_signaled_event_attributes
        update = event.workflow_execution_update_accepted_event_attributes.accepted_request.input
        copying = await bench.client(Copied(dict(signal.header.fields) or dict(update.header.fields)))
        handle = copying.get_workflow_handle(run.id)
        if signal.signal_name:
            await handle.signal(signal.signal_name, Wish(words="once"))
        elif update.name:
            words = json.loads(update.args.payloads[0].data)["words"]
            try:
                await handle.execute_update(update.name, Wish(words=words))
            except WorkflowUpdateFailedError as failure:
                code = _code(failure)
    return code


class Copied(SignOrders):
    """Sends headers of earlier orders."""

    def __init__(self, headers: dict[str, Payload]) -> None:
        super().__init__(CopiedKey(headers), None)


class CopiedKey(Key):
    """Seals nothing anew."""

    def __init__(self, headers: dict[str, Payload]) -> None:
        super().__init__(b"", since=int(time.time() * 1e6) + 600_000_000)
        object.__setattr__(self, "_headers", headers)

    __slots__ = ("_headers",)

    def seal(self, order: object) -> Payload:
        found: Payload = next(iter(self._headers.values()))  # type: ignore[attr-defined]
        return found


async def test_a_copy_of_a_start_is_refused_while_the_first_is_remembered(bench: Bench) -> None:
    async with bench.serving():
        run = await bench.started(Wish(waits=False))
        await run.result()
        (event, *_) = [event async for event in run.fetch_history_events()]
        headers = event.workflow_execution_started_event_attributes.header.fields
        copying = await bench.client(Copied(dict(headers)))
        with pytest.raises(WorkflowFailureError) as refused:
            await copying.execute_workflow(Ordered.run, Wish(waits=False), id=run.id, task_queue=bench.queue)
        with pytest.raises(WorkflowFailureError) as elsewhere:
            await copying.execute_workflow(
                Ordered.run, Wish(waits=False), id=bench.name(), task_queue=bench.queue
            )

    assert START_HEADER in headers
    assert _code(refused.value) == "order-unsigned"
    assert _code(elsewhere.value) == "order-unsigned", "it names the workflow that it starts"


async def test_a_run_of_before_goes_on_without_signatures(bench: Bench) -> None:
    """It was started while the setting was off; turning it on must not end it."""
    off = replace(bench.key, since=None)
    async with bench.serving(off):
        run = await bench.stranger.start_workflow(
            Ordered.run, Wish(), id=bench.name(), task_queue=bench.queue
        )
        await run.signal(Ordered.tell, Wish(words="before"))
        await run.query(Ordered.told)
    now = replace(bench.key, since=int(time.time() * 1e6) + 1)
    async with bench.serving(now):
        await run.signal(Ordered.tell, Wish(words="after"))
        assert await _ending(run) == "before,after"


async def test_a_signed_run_demands_signatures_also_after_the_setting_was_turned_off(bench: Bench) -> None:
    async with bench.serving():
        run = await bench.started()
        await bench.stranger.get_workflow_handle(run.id).signal(Ordered.tell, Wish(words="forged"))
        await run.query(Ordered.told)
    async with bench.serving(replace(bench.key, since=None)):
        await bench.stranger.get_workflow_handle(run.id).signal(Ordered.tell, Wish(words="forged"))
        off = await bench.client(SignOrders(replace(bench.key, since=None), None))
        await off.get_workflow_handle(run.id).signal(Ordered.tell, Wish(words="real"))
        plain = await off.execute_workflow(
            Ordered.run, Wish(waits=False, words="free"), id=bench.name(), task_queue=bench.queue
        )

        assert await _ending(run) == "real"
        assert plain == "free"


async def test_an_activity_that_no_workflow_ordered_is_refused_by_name(bench: Bench) -> None:
    async with bench.serving():
        forged = await bench.cli(
            *("activity", "execute", "--type", "start_another", "--task-queue", bench.queue),
            *("--activity-id", bench.name(), "--start-to-close-timeout", "20s", "--input", '"forged"'),
        )

    assert forged.returncode != 0
    assert "order-unsigned" in forged.stdout + forged.stderr


async def test_the_signature_of_an_activity_counts_only_in_its_run(bench: Bench) -> None:
    """A second user may read it in the history, and copy it into a run of their own."""
    name = bench.name()
    async with bench.serving():
        await bench.owner.execute_workflow(Ordering.run, name, id=name, task_queue=bench.queue)
        history = await bench.owner.get_workflow_handle(name).fetch_history()
        headers = next(
            dict(event.activity_task_scheduled_event_attributes.header.fields)
            for event in history.events
            if event.HasField("activity_task_scheduled_event_attributes")
        )
        copying = await bench.client(ReceiveOrders(CopiedKey(headers)))
        own = uuid4().hex
        async with Worker(copying, task_queue=own, workflows=[Asking], max_cached_workflows=0):
            with pytest.raises(WorkflowFailureError) as refused:
                await bench.stranger.execute_workflow(
                    Asking.run, args=[f"{name}/other", bench.queue], id=name, task_queue=own
                )

    assert ORDER_HEADER in headers
    assert _code(refused.value) == "order-unsigned"


@pytest.mark.parametrize("later", [True, False])
async def test_an_activity_without_a_signature_is_done_if_it_is_older_than_the_key(
    bench: Bench, later: bool
) -> None:
    """It was ordered while the setting was off, or by an engine that signed none."""
    name, own = bench.name(), uuid4().hex
    async with Worker(bench.stranger, task_queue=own, workflows=[Asking], max_cached_workflows=0):
        run = await bench.stranger.start_workflow(
            Asking.run, args=[f"{name}/other", bench.queue], id=name, task_queue=own
        )
        await _scheduled(run)
        since = int(time.time() * 1e6) + (1 if later else -600_000_000)
        async with bench.serving(replace(bench.key, since=since)):
            if later:
                assert await run.result() == ""
            else:
                with pytest.raises(WorkflowFailureError) as refused:
                    await run.result()
                assert _code(refused.value) == "order-unsigned"


async def _scheduled(run: WorkflowHandle[Asking, str]) -> None:
    async for event in run.fetch_history_events(wait_new_event=True):
        if event.HasField("activity_task_scheduled_event_attributes"):
            return


async def test_a_signed_history_replays_without_the_key(bench: Bench, tmp_path: Path) -> None:
    async with bench.serving():
        run = await bench.started()
        await run.execute_update(Ordered.say, Wish(words="a"))
        await _ending(run)
        history = await run.fetch_history()

    result = await Replayer(workflows=ORDERED, plugins=[STRICT_PLUGIN]).replay_workflow(history)

    assert result.replay_failure is None


@pytest.mark.long
async def test_every_activity_is_refused_by_name_to_another_user(bench: Bench, tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        done = await _activities_of_engine(tmp_path, bench.target, stack)
        kinds = {each.__name__: each for each in done}
        client = await bench.client(ReceiveOrders(bench.key))
        threads = stack.enter_context(ThreadPoolExecutor(1))
        worker = Worker(
            client,
            task_queue=bench.queue,
            activities=list(kinds.values()),
            activity_executor=threads,
            max_concurrent_activities=1,
        )
        await stack.enter_async_context(worker)
        said = {kind: await _told(bench, kind) for kind in kinds}

    assert {"restore_book", "push_book", "edit_book", "carry_out", "call_model"} <= said.keys()
    assert [kind for kind, words in said.items() if f"{kind!r} was not signed by this" not in words] == []


async def _told(bench: Bench, kind: str) -> str:
    order = ("activity", "execute", "--type", kind, "--task-queue", bench.queue, "--activity-id", kind)
    done = await bench.cli(*order, "--start-to-close-timeout", "30s")
    return done.stdout + done.stderr if done.returncode else "done"


async def _activities_of_engine(home: Path, target: str, stack: AsyncExitStack) -> Sequence[wiring.Activity]:
    """What all its processes do; the store is never asked."""
    loaded = load(
        {
            "PENWRIGHT_CONFIG": "",
            "PENWRIGHT_HOME": str(home),
            "PENWRIGHT_ENGINE__ADDRESS": target,
            "PENWRIGHT_DATABASE_URL": "postgresql+psycopg://none@127.0.0.1:1/none",
            "PENWRIGHT_SCHOLARLY__SOURCES": '["recorded"]',
        }
    )
    store = open_store_of(loaded.settings)
    stack.callback(store.close)
    workshop = await stack.enter_async_context(opened(()))
    return [
        *wiring.main_activities(loaded.settings, store),
        *wiring.repo_activities(loaded, store, workshop, owner="engine"),
        *wiring.notice_activities(loaded.settings, store),
        *await stack.enter_async_context(wiring.scholarly_activities(loaded, store)),
        *await stack.enter_async_context(wiring.model_activities(loaded)),
        *scene_wiring.round_activities(loaded.settings, store),
        *scene_wiring.brief_activities(loaded, store),
    ]


def test_the_second_user_was_one(request: pytest.FixtureRequest) -> None:
    if os.geteuid() != 0:
        pytest.skip(
            "NOT SHOWN: only root can become `nobody`; the forged orders above came from our own user"
        )
    assert pwd.getpwnam("nobody").pw_uid != os.geteuid()
