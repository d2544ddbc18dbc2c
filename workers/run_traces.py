"""One trace for each run: what its activities are told of it, over retries, kills and continuing as new."""

from collections.abc import Mapping
from contextvars import ContextVar
from hashlib import sha256
from typing import Any, NoReturn, TypeVar

from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from temporalio import activity, workflow
from temporalio.api.common.v1 import Payload
from temporalio.client import Interceptor as ClientInterceptor
from temporalio.converter import PayloadConverter
from temporalio.worker import (
    ActivityInboundInterceptor,
    ContinueAsNewInput,
    ExecuteActivityInput,
    ExecuteWorkflowInput,
    Interceptor,
    StartActivityInput,
    StartChildWorkflowInput,
    WorkflowInboundInterceptor,
    WorkflowInterceptorClassInput,
    WorkflowOutboundInterceptor,
)

_HEADER = "penwright-run"
"""Of Temporal's messages: the id of a workflow and of the first of its runs."""
_RUN: ContextVar[str] = ContextVar("run")
"""That header, of the activity in hand."""
_CONVERTER = PayloadConverter.default

Input = TypeVar("Input", StartActivityInput, StartChildWorkflowInput, ContinueAsNewInput)


class RunTraceIds(RandomIdGenerator):
    """All activities of one run are in one trace, whatever process does them and however often."""

    def generate_trace_id(self) -> int:
        if not activity.in_activity():
            return super().generate_trace_id()
        info = activity.info()
        run = _RUN.get("") or f"{info.workflow_id}/{info.workflow_run_id}"
        return int.from_bytes(sha256(run.encode()).digest()[:16])


class RunTraces(ClientInterceptor, Interceptor):
    """Tells the activities of a run, and the runs that it starts, which one it is."""

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        return _Activity(next)

    def workflow_interceptor_class(
        self, input: WorkflowInterceptorClassInput
    ) -> type[WorkflowInboundInterceptor]:
        return _Workflow


class _Activity(ActivityInboundInterceptor):
    async def execute_activity(self, input: ExecuteActivityInput) -> Any:  # the SDK's own signature
        before = _RUN.set(_told(input.headers))
        try:
            return await super().execute_activity(input)
        finally:
            _RUN.reset(before)


class _Workflow(WorkflowInboundInterceptor):
    def init(self, outbound: WorkflowOutboundInterceptor) -> None:
        self._outbound = _Outbound(outbound)
        super().init(self._outbound)

    async def execute_workflow(self, input: ExecuteWorkflowInput) -> Any:  # the SDK's own signature
        info = workflow.info()
        own = f"{info.workflow_id}/{info.first_execution_run_id}"
        # One that another run has started belongs to that one's trace.
        self._outbound.run = _told(input.headers) or own
        return await super().execute_workflow(input)


class _Outbound(WorkflowOutboundInterceptor):
    run = ""

    # Any: the SDK's own signatures.
    def start_activity(self, input: StartActivityInput) -> Any:
        return super().start_activity(self._telling(input))

    async def start_child_workflow(self, input: StartChildWorkflowInput) -> Any:
        return await super().start_child_workflow(self._telling(input))

    def continue_as_new(self, input: ContinueAsNewInput) -> NoReturn:
        super().continue_as_new(self._telling(input))

    def _telling(self, input: Input) -> Input:
        input.headers = {**input.headers, _HEADER: _CONVERTER.to_payload(self.run)}
        return input


def _told(headers: Mapping[str, Payload]) -> str:
    found = headers.get(_HEADER)
    return _CONVERTER.from_payload(found, str) if found else ""
