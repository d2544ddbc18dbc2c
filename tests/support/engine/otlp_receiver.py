"""A receiver of OpenTelemetry's protocol over HTTP, which keeps the spans and metrics that it is sent."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric
from opentelemetry.proto.trace.v1.trace_pb2 import Span


@dataclass
class OtlpReceiver:
    """The spans and metrics that came so far."""

    address: str = ""
    spans: list[Span] = field(default_factory=list)
    metrics: list[Metric] = field(default_factory=list)
    raw: bytes = b""

    def named(self, operation: str) -> list[Span]:
        """Spans of one operation, such as ``chat``."""
        return [each for each in self.spans if told(each).get("gen_ai.operation.name") == operation]

    def take(self, path: str, body: bytes) -> None:
        self.raw += body
        if path == "/v1/traces":
            for sent in ExportTraceServiceRequest.FromString(body).resource_spans:
                self.spans += [span for scope in sent.scope_spans for span in scope.spans]
        else:
            for measured in ExportMetricsServiceRequest.FromString(body).resource_metrics:
                self.metrics += [metric for scope in measured.scope_metrics for metric in scope.metrics]


def told(span: Span) -> dict[str, Any]:  # values of several types
    """The attributes of a span."""
    pairs = ((each.key, each.value) for each in span.attributes)
    return {key: getattr(value, value.WhichOneof("value") or "string_value") for key, value in pairs}


@contextmanager
def otlp_receiver() -> Iterator[OtlpReceiver]:
    """A running one."""
    receiver = OtlpReceiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            receiver.take(self.path, self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver.address = f"http://127.0.0.1:{http.server_address[1]}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        http.shutdown()
        http.server_close()
        thread.join()
