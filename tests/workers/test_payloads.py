"""Payloads of a history: small values inline, larger ones by reference, huge ones refused."""

import hashlib

import pytest
from temporalio.api.common.v1 import Payload
from temporalio.client import Client, WorkflowFailureError
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.converter import (
    ActivitySerializationContext,
    StorageDriverStoreContext,
    StorageDriverWorkflowInfo,
    WorkflowSerializationContext,
)
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Replayer, Worker

from penwright.adapters.sealing import Keys
from schemas.base import BlobRef
from tests.workers.probes import Growing, Text
from workers.failures import as_error
from workers.payloads.codec import Cipher
from workers.payloads.conversion import converter
from workers.payloads.values import (
    LARGEST_INLINE,
    LARGEST_PAYLOAD,
    BlobDriver,
    BoundedPayloadConverter,
    outside_storage,
)
from workers.temporal_plugin import PLUGIN

QUEUE = "payloads"


class KeptBlobs:
    """The Blobs port in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def put(self, content: bytes) -> BlobRef:
        digest = hashlib.sha256(content).hexdigest()
        self.kept[digest] = content
        return BlobRef(sha256=digest, size=len(content))

    def get(self, ref: BlobRef) -> bytes:
        return self.kept[ref.sha256]

    def sweep(self, *, keep_days: int, referenced: object) -> int:
        raise NotImplementedError("the driver never sweeps")


def client_with(env: WorkflowEnvironment, blobs: KeptBlobs | None) -> Client:
    """A second client of the same server, with our converter."""
    storage = outside_storage(lambda: blobs) if blobs else None
    return Client(env.client.service_client, data_converter=converter(storage=storage), plugins=[PLUGIN])


def test_a_value_at_the_limit_passes_and_one_above_is_refused() -> None:
    converting = converter().payload_converter
    room = LARGEST_PAYLOAD - len('{"text":""}')

    assert len(converting.to_payloads([Text(text="x" * room)])[0].data) == LARGEST_PAYLOAD
    with pytest.raises(ApplicationError) as caught:
        converting.to_payloads([Text(text="x" * (room + 1))])
    assert (caught.value.type, caught.value.non_retryable) == ("payload-too-large", True)


async def test_a_huge_input_is_refused_before_a_run_starts(time_skipping_env: WorkflowEnvironment) -> None:
    with pytest.raises(ApplicationError) as caught:
        await time_skipping_env.client.start_workflow(
            Growing.run, Text(text="1" * 200_000), id="huge-input", task_queue=QUEUE
        )

    assert caught.value.type == "payload-too-large"


async def test_a_huge_result_fails_the_run_instead_of_wedging_it(temporal_env: WorkflowEnvironment) -> None:
    async with Worker(temporal_env.client, task_queue=QUEUE, workflows=[Growing]):
        with pytest.raises(WorkflowFailureError) as caught:
            await temporal_env.client.execute_workflow(
                Growing.run, Text(text="9" + "x" * 50_000), id="huge-result", task_queue=QUEUE
            )

    error = as_error(caught.value)
    assert error is not None
    assert error.code == "payload-too-large"


async def test_a_large_value_is_kept_outside_the_history_and_replays(
    temporal_env: WorkflowEnvironment,
) -> None:
    blobs = KeptBlobs()
    client = client_with(temporal_env, blobs)
    given = Text(text="1" + "x" * (LARGEST_INLINE + 1_000))

    async with Worker(client, task_queue=QUEUE, workflows=[Growing]):
        result = await client.execute_workflow(Growing.run, given, id="large", task_queue=QUEUE)
    history = await client.get_workflow_handle("large").fetch_history()

    assert result == given
    assert len(blobs.kept) == 1
    assert len(history.to_json()) < 20_000
    replayer = Replayer(workflows=[Growing], data_converter=client.data_converter, plugins=[PLUGIN])
    await replayer.replay_workflow(history)


async def test_a_small_value_stays_in_the_history(temporal_env: WorkflowEnvironment) -> None:
    blobs = KeptBlobs()
    client = client_with(temporal_env, blobs)

    async with Worker(client, task_queue=QUEUE, workflows=[Growing]):
        await client.execute_workflow(Growing.run, Text(text="1 small"), id="small", task_queue=QUEUE)

    assert blobs.kept == {}


async def test_the_plugin_replaces_a_default_converter_and_keeps_our_own(
    temporal_env: WorkflowEnvironment,
) -> None:
    service, own = temporal_env.client.service_client, converter()

    assert (
        Client(service, plugins=[PLUGIN]).data_converter.payload_converter_class
        is own.payload_converter_class
    )
    assert Client(service, plugins=[PLUGIN], data_converter=own).data_converter is own
    replaced = Client(service, plugins=[PLUGIN], data_converter=pydantic_data_converter).data_converter
    assert replaced.payload_converter_class is own.payload_converter_class


def test_the_sandbox_is_not_asked_for_serialization_contexts() -> None:
    """The sandbox is spared that question, see ``Sandbox``."""
    converting = converter(codec=Cipher(Keys([bytes(32)])), storage=outside_storage(KeptBlobs))
    contexts = [
        WorkflowSerializationContext(namespace="default", workflow_id="book/a"),
        ActivitySerializationContext(
            namespace="default",
            activity_id="1",
            activity_type="open_session",
            activity_task_queue=QUEUE,
            workflow_id="book/a",
            workflow_type="BookSession",
            is_local=False,
        ),
    ]

    assert [context for context in contexts if converting.with_context(context) is not converting] == []


async def test_a_blob_has_one_claim_whatever_its_source() -> None:
    driver, payload = BlobDriver(KeptBlobs), Payload(data=b"x" * LARGEST_INLINE)
    book = StorageDriverWorkflowInfo(namespace="default", id="book/a", run_id="1", type="BookSession")

    claims = [
        await driver.store(StorageDriverStoreContext(target=target), [payload]) for target in (book, None)
    ]

    assert claims[0] == claims[1]


def test_every_converter_shares_the_adapters_of_the_types_it_met() -> None:
    first, second = BoundedPayloadConverter(), BoundedPayloadConverter()

    assert all(one is first.converters[name] for name, one in second.converters.items())
