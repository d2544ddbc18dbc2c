"""Metrics and traces of a worker process, when the settings name somewhere to send them."""

import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

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

from penwright.ports.models import CallLedger
from schemas.model_catalog import ModelCatalog
from workers.settings import TelemetrySettings

Waiting = Callable[[], AbstractContextManager[None]]


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
    """Interceptors that send spans of workflows, activities, agents and tools; none without an endpoint."""
    if telemetry.otlp_endpoint is None:
        return ()
    # Imported here: most installations send no traces, and these cost a fifth of a second.
    from opentelemetry import metrics, trace

    from workers.gen_ai_spans import interceptors, providers

    tracer_provider, meter_provider = providers(telemetry.otlp_endpoint, process)
    trace.set_tracer_provider(tracer_provider)
    metrics.set_meter_provider(meter_provider)
    return interceptors(tracer_provider, meter_provider, texts=telemetry.texts)


def spanned(telemetry: TelemetrySettings, ledger: CallLedger, models: ModelCatalog) -> CallLedger:
    """``ledger``, which tells of each call as a span as well, if there is an endpoint."""
    if telemetry.otlp_endpoint is None:
        return ledger
    from opentelemetry import metrics, trace

    from workers.gen_ai_spans import TRACER, SpannedLedger

    names = {entry.name: entry.model or entry.provider for entry in models.models}
    tracer, meter = trace.get_tracer(TRACER), metrics.get_meter(TRACER)
    return SpannedLedger(ledger, tracer, meter, names, texts=telemetry.texts)


def counted(telemetry: TelemetrySettings, waiting: Waiting) -> Waiting:
    """``waiting``, which counts the calls that enter it, if there is an endpoint."""
    if telemetry.otlp_endpoint is None:
        return waiting
    from opentelemetry import metrics

    from workers.gen_ai_spans import TRACER
    from workers.run_counters import CallCounters

    return CallCounters(metrics.get_meter(TRACER)).counted(waiting)


def _metrics(telemetry: TelemetrySettings) -> PrometheusConfig | OpenTelemetryConfig | None:
    if telemetry.metrics_address is not None:
        return PrometheusConfig(bind_address=telemetry.metrics_address, durations_as_seconds=True)
    if telemetry.otlp_endpoint is not None:
        url = f"{telemetry.otlp_endpoint.rstrip('/')}/v1/metrics"
        return OpenTelemetryConfig(url=url, http=True, durations_as_seconds=True)
    return None
