"""Metrics and traces of a worker process, when the settings name somewhere to send them."""

import logging
from collections.abc import Sequence

from temporalio.client import Interceptor
from temporalio.runtime import (
    LogForwardingConfig,
    LoggingConfig,
    OpenTelemetryConfig,
    PrometheusConfig,
    Runtime,
    TelemetryConfig,
    TelemetryFilter,
)

from workers.settings import TelemetrySettings


def runtime(telemetry: TelemetrySettings) -> Runtime:
    """The SDK's runtime; one per process, made before its first client."""
    return Runtime(
        telemetry=TelemetryConfig(
            logging=LoggingConfig(
                filter=TelemetryFilter(core_level="WARN", other_level="ERROR"),
                forwarding=LogForwardingConfig(logger=logging.getLogger("temporalio.core")),
            ),
            metrics=_metrics(telemetry),
        )
    )


def tracing(telemetry: TelemetrySettings, *, process: str) -> Sequence[Interceptor]:
    """An interceptor that sends spans of workflows and activities; none without an endpoint."""
    if telemetry.otlp_endpoint is None:
        return ()
    # Imported here: most installations send no traces, and these cost a fifth of a second.
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from temporalio.contrib.opentelemetry import TracingInterceptor

    provider = TracerProvider(resource=Resource.create({"service.name": f"penwright-{process}"}))
    exporter = OTLPSpanExporter(endpoint=f"{telemetry.otlp_endpoint.rstrip('/')}/v1/traces")
    provider.add_span_processor(BatchSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    return (TracingInterceptor(),)


def _metrics(telemetry: TelemetrySettings) -> PrometheusConfig | OpenTelemetryConfig | None:
    if telemetry.metrics_address is not None:
        return PrometheusConfig(bind_address=telemetry.metrics_address, durations_as_seconds=True)
    if telemetry.otlp_endpoint is not None:
        url = f"{telemetry.otlp_endpoint.rstrip('/')}/v1/metrics"
        return OpenTelemetryConfig(url=url, http=True, durations_as_seconds=True)
    return None
