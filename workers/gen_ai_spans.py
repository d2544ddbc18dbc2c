"""Spans and metrics by OpenTelemetry's conventions for generative AI, those of a run in one trace.

Imported only where they are sent.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from hashlib import sha256
from time import time_ns
from typing import Any, Final, NoReturn, TypeVar

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.metrics import Meter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as gen_ai
from opentelemetry.semconv._incubating.metrics import gen_ai_metrics
from opentelemetry.semconv.attributes.error_attributes import ERROR_TYPE
from opentelemetry.trace import SpanKind, Status, StatusCode, Tracer
from opentelemetry.util.types import AttributeValue
from temporalio import activity, workflow
from temporalio.api.common.v1 import Payload
from temporalio.client import Interceptor as ClientInterceptor
from temporalio.contrib.opentelemetry import TracingInterceptor
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

from penwright.adapters.store.ledger import prompt_digest
from penwright.domain.models.refusal import is_refusal
from penwright.ports.models import CallLedger
from schemas.agent_run import CallModel, RunToolCall
from schemas.base import Effect
from schemas.model import ModelRequest, ModelResponse, Usage
from workers.run_counters import CallCounters, RunCounters

SUBJECT: Final = "penwright.subject"
RUN: Final = "penwright.run"
ROLE: Final = "penwright.role"
PROMPT: Final = "penwright.prompt_digest"
COST: Final = "penwright.cost_micros"
LOST: Final = "lost"
"""Error type of a call that brought no answer and may be billed."""
_NANOSECONDS: Final = 1_000_000_000
TRACER: Final = "penwright"

_HEADER = "penwright-run"
"""Of Temporal's messages: the id of a workflow and of the first of its runs."""
_RUN: ContextVar[str] = ContextVar("run")
"""That header, of the activity in hand."""
_CONVERTER = PayloadConverter.default

Input = TypeVar("Input", StartActivityInput, StartChildWorkflowInput, ContinueAsNewInput)


def providers(endpoint: str, process: str) -> tuple[TracerProvider, MeterProvider]:
    """Those that send what a process tells to an OTLP receiver over HTTP."""
    base, resource = endpoint.rstrip("/"), Resource.create({"service.name": f"penwright-{process}"})
    traces = TracerProvider(resource=resource, id_generator=RunTraceIds())
    traces.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=f"{base}/v1/traces")))
    reader = PeriodicExportingMetricReader(OTLPMetricExporter(endpoint=f"{base}/v1/metrics"))
    return traces, MeterProvider([reader], resource=resource)


def interceptors(
    provider: TracerProvider, meters: MeterProvider, *, texts: bool
) -> Sequence[ClientInterceptor]:
    """Spans of activities in the trace of their run, and below them those of agents and tools; counters."""
    tracer, counters = provider.get_tracer(TRACER), RunCounters(meters.get_meter(TRACER))
    return (RunTraces(), TracingInterceptor(tracer), _AgentInterceptor(tracer, texts=texts), counters)


class _AgentInterceptor(ClientInterceptor, Interceptor):
    def __init__(self, tracer: Tracer, *, texts: bool) -> None:
        self._tracer = tracer
        self._texts = texts

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        return _AgentSpans(next, self._tracer, texts=self._texts)


class _AgentSpans(ActivityInboundInterceptor):
    """``invoke_agent`` around a turn of an agent, ``execute_tool`` around a call of a tool."""

    def __init__(self, next: ActivityInboundInterceptor, tracer: Tracer, *, texts: bool) -> None:
        super().__init__(next)
        self._tracer = tracer
        self._texts = texts

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:  # the SDK's own signature
        asked = input.args[0] if input.args else None
        match asked:
            case CallModel():
                name = f"invoke_agent {asked.agent}"
                told = {**_named("invoke_agent", asked), PROMPT: asked.prompt_digest, ROLE: asked.model_role}
            case RunToolCall():
                name, told = f"execute_tool {asked.tool}", self._of_tool(asked)
            case _:
                return await super().execute_activity(input)
        with self._tracer.start_as_current_span(name, kind=SpanKind.INTERNAL, attributes=told):
            return await super().execute_activity(input)

    def _of_tool(self, asked: RunToolCall) -> dict[str, AttributeValue]:
        called = {gen_ai.GEN_AI_TOOL_NAME: asked.tool, gen_ai.GEN_AI_TOOL_CALL_ID: asked.call_id}
        texts = {gen_ai.GEN_AI_TOOL_CALL_ARGUMENTS: json.dumps(asked.arguments)} if self._texts else {}
        return {**_named("execute_tool", asked), **called, **texts}


def _named(operation: str, asked: CallModel | RunToolCall) -> dict[str, AttributeValue]:
    return {
        gen_ai.GEN_AI_OPERATION_NAME: operation,
        gen_ai.GEN_AI_AGENT_NAME: asked.agent,
        gen_ai.GEN_AI_CONVERSATION_ID: asked.run_id,
        RUN: asked.run_id,
        SUBJECT: asked.subject,
    }


@dataclass
class SpannedLedger:
    """Implements ``CallLedger``: each call that is paid, or may be, is one span ``chat`` as well."""

    ledger: CallLedger
    tracer: Tracer
    meter: Meter
    models: Mapping[str, str] = field(default_factory=dict)
    """Vendor and model, as litellm names them, by the name in the settings."""
    texts: bool = False
    clock: Callable[[], int] = time_ns
    _began: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._tokens = gen_ai_metrics.create_gen_ai_client_token_usage(self.meter)
        self._counters = CallCounters(self.meter)
        self._duration = gen_ai_metrics.create_gen_ai_client_operation_duration(self.meter)

    def stored(self, effect: Effect) -> ModelResponse | None:
        return self.ledger.stored(effect)

    def reserve(self, request: ModelRequest, *, estimate_micros: int | None, estimate_tokens: int) -> None:
        self.ledger.reserve(request, estimate_micros=estimate_micros, estimate_tokens=estimate_tokens)
        self._began[request.effect.op_id] = self.clock()

    def settle(self, request: ModelRequest, response: ModelResponse) -> None:
        self.ledger.settle(request, response)
        answered: dict[str, AttributeValue] = {
            gen_ai.GEN_AI_RESPONSE_MODEL: response.model,
            gen_ai.GEN_AI_RESPONSE_FINISH_REASONS: (response.finish_reason,),
        }
        if self.texts:
            answered |= _texts(request, response)
        self._counters.paid(response.model, response.usage, refused=is_refusal(response))
        self._told(request, response.model, response.usage, answered)

    def release(self, request: ModelRequest) -> None:
        self.ledger.release(request)
        self._began.pop(request.effect.op_id, None)

    def lose(self, request: ModelRequest, estimate: Usage, *, model: str) -> None:
        self.ledger.lose(request, estimate, model=model)
        self._told(request, model, estimate, {ERROR_TYPE: LOST})

    def _told(
        self, request: ModelRequest, model: str, usage: Usage, more: Mapping[str, AttributeValue]
    ) -> None:
        ends = self.clock()
        begins = self._began.pop(request.effect.op_id, ends)
        which = self._which(model)
        span = self.tracer.start_span(
            f"chat {model}",
            kind=SpanKind.CLIENT,
            start_time=begins,
            attributes={**which, **_asked(request), **_used(usage), **more},
        )
        if ERROR_TYPE in more:
            span.set_status(Status(StatusCode.ERROR))
        span.end(ends)
        self._duration.record((ends - begins) / _NANOSECONDS, which)
        for kind, count in (("input", usage.input_tokens), ("output", usage.output_tokens)):
            self._tokens.record(count, {**which, gen_ai.GEN_AI_TOKEN_TYPE: kind})

    def _which(self, name: str) -> dict[str, AttributeValue]:
        vendor, slash, model = self.models.get(name, name).partition("/")
        return {
            gen_ai.GEN_AI_OPERATION_NAME: "chat",
            gen_ai.GEN_AI_PROVIDER_NAME: vendor,
            gen_ai.GEN_AI_REQUEST_MODEL: model if slash else vendor,
        }


def _asked(request: ModelRequest) -> dict[str, AttributeValue]:
    return {
        gen_ai.GEN_AI_REQUEST_MAX_TOKENS: request.max_output_tokens,
        gen_ai.GEN_AI_CONVERSATION_ID: request.scope.run,
        RUN: request.scope.run,
        SUBJECT: request.scope.subject,
        ROLE: request.role,
        PROMPT: prompt_digest(request),
    }


def _used(usage: Usage) -> dict[str, AttributeValue]:
    """The tokens; the cost where it is known."""
    return {
        gen_ai.GEN_AI_USAGE_INPUT_TOKENS: usage.input_tokens,
        gen_ai.GEN_AI_USAGE_OUTPUT_TOKENS: usage.output_tokens,
        gen_ai.GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS: usage.cached_tokens,
        gen_ai.GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS: usage.written_tokens,
        gen_ai.GEN_AI_USAGE_REASONING_OUTPUT_TOKENS: usage.thought_tokens,
        **({} if usage.cost_micros is None else {COST: usage.cost_micros}),
    }


def _texts(request: ModelRequest, response: ModelResponse) -> dict[str, AttributeValue]:
    sent = [_message(each.role, each.content) for each in request.messages]
    said = [{**_message("assistant", response.text), "finish_reason": response.finish_reason}]
    return {
        gen_ai.GEN_AI_INPUT_MESSAGES: json.dumps(sent),
        gen_ai.GEN_AI_OUTPUT_MESSAGES: json.dumps(said),
    }


def _message(role: str, content: str) -> dict[str, Any]:  # JSON
    return {"role": role, "parts": [{"type": "text", "content": content}]}


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
