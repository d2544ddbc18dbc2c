"""Set up logging: one JSON object a line, with the run and the attempt that wrote it."""

import logging
import sys
from typing import Any

import structlog
from structlog.typing import EventDict, Processor

from penwright.masking import masked
from workers.settings import TelemetrySettings


def configure(telemetry: TelemetrySettings, *, process: str) -> None:
    """Send every log of this process, including the libraries', to standard error in one format."""
    structlog.configure(
        processors=[*_before(process), structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter(telemetry, process=process))
    logging.basicConfig(handlers=[handler], level=telemetry.log_level.upper(), force=True)
    for chatty in ("alembic", "httpx", "httpcore"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    # What it says of broken entries, our findings say with their lines.
    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)


def formatter(telemetry: TelemetrySettings, *, process: str) -> logging.Formatter:
    """Turns what any library logs into a line of this process's log."""
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=_before(process),
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_rendering(telemetry)],
    )


def _before(process: str) -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _naming(process),
    ]


def _naming(process: str) -> Processor:
    # Any: structlog's own type of a logger.
    def name(_logger: Any, _method: str, event: EventDict) -> EventDict:
        return {**event, "process": process}

    return name


# Any: structlog's own type of a logger, and of the line that a renderer has made of the event.
def _mask(_logger: Any, _method: str, line: Any) -> str:
    return masked(line)


def _rendering(telemetry: TelemetrySettings) -> list[Processor]:
    if telemetry.log_format == "console":
        return [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty()), _mask]
    # Local variables stay out of the log: they hold manuscripts, addresses with passwords, environments.
    traces = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
    return [
        structlog.processors.ExceptionRenderer(traces),
        structlog.processors.JSONRenderer(ensure_ascii=False),
        _mask,
    ]
