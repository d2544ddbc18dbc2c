"""The spans of a run are in one trace: of its retries, of what it goes on as, and of what it starts."""

from datetime import timedelta
from uuid import uuid4

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from temporalio import activity, workflow
from temporalio.client import Client
from temporalio.common import RetryPolicy
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from workers.gen_ai_spans import RunTraceIds, interceptors


@activity.defn
async def write() -> None:
    if activity.info().attempt == 1:
        raise ConnectionError("not yet")


async def _written() -> None:
    again = RetryPolicy(initial_interval=timedelta(milliseconds=1))
    await workflow.execute_activity(write, start_to_close_timeout=timedelta(minutes=1), retry_policy=again)


@workflow.defn(sandboxed=False)
class Part:
    @workflow.run
    async def run(self, left: int) -> None:
        await _written()
        if left:
            workflow.continue_as_new(left - 1)


@workflow.defn(sandboxed=False)
class Whole:
    @workflow.run
    async def run(self, left: int) -> None:
        await _written()
        if left:
            workflow.continue_as_new(left - 1)
        await workflow.execute_child_workflow(Part.run, 1)


async def test_a_run_is_one_trace_and_another_run_of_the_same_workflow_another(
    temporal_env: WorkflowEnvironment,
) -> None:
    told, provider = InMemorySpanExporter(), TracerProvider(id_generator=RunTraceIds())
    provider.add_span_processor(SimpleSpanProcessor(told))
    config, id = temporal_env.client.config(), uuid4().hex
    config["interceptors"] = [*config["interceptors"], *interceptors(provider, MeterProvider(), texts=False)]
    client = Client(**config)
    worker = Worker(
        client,
        task_queue=id,
        workflows=[Whole, Part],
        activities=[write],
        workflow_runner=UnsandboxedWorkflowRunner(),
    )
    # Started by one without spans, as the commands are.
    async with worker:
        await temporal_env.client.execute_workflow(Whole.run, 2, id=id, task_queue=id)
        first = {span.context.trace_id for span in told.get_finished_spans() if span.context}
        spans = [span for span in told.get_finished_spans() if span.name == "RunActivity:write"]
        told.clear()
        await temporal_env.client.execute_workflow(Whole.run, 0, id=id, task_queue=id)
        second = {span.context.trace_id for span in told.get_finished_spans() if span.context}

    assert len(spans) == 2 * (3 + 2), "two attempts in each of three runs, and in both of what they start"
    assert len(first) == len(second) == 1
    assert first != second
