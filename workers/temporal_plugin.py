"""The Temporal plugin of every client, worker and replayer: converter, sandbox, failures, workflows."""

from collections.abc import Sequence
from typing import Any

from temporalio import activity
from temporalio.contrib.pydantic import PydanticPayloadConverter
from temporalio.converter import DataConverter, DefaultPayloadConverter
from temporalio.plugin import SimplePlugin
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor, WorkerConfig
from temporalio.worker.workflow_sandbox import SandboxRestrictions

from activities.heartbeat import HeartbeatInterceptor
from penwright.errors import PenwrightError
from workers.failures import FailureTranslator
from workers.payloads.conversion import converter
from workers.sandbox import Sandbox
from workflows.agents.eval_run import EvalRun
from workflows.agents.loop import AgentLoop
from workflows.book_errand import BookErrand
from workflows.book_schedule import ScheduledBookSession
from workflows.book_session import BookSession
from workflows.citation_audit import CitationAudit
from workflows.citation_scan import CitationScan
from workflows.continuity import BookContinuity
from workflows.director_round import DirectorRound
from workflows.editing import Editing
from workflows.holding import DocumentLock
from workflows.housekeeping import Housekeeping
from workflows.manuscript_loop import ManuscriptLoop
from workflows.memory_indexing import MemoryIndexing
from workflows.model_trial import ModelTrial
from workflows.notification import Notification
from workflows.planning import BookPlanning
from workflows.scene_memory import SceneMemory

WORKFLOWS: Sequence[type] = (
    BookSession,
    BookErrand,
    ScheduledBookSession,
    BookContinuity,
    BookPlanning,
    Notification,
    AgentLoop,
    EvalRun,
    DocumentLock,
    Editing,
    ManuscriptLoop,
    CitationScan,
    CitationAudit,
    DirectorRound,
    MemoryIndexing,
    SceneMemory,
    Housekeeping,
    ModelTrial,
)

SHARED = (
    "schemas",
    "activities",
    "penwright.errors",
    "penwright.ports",
    "penwright.agents",
    "penwright.roles",
    "workflows.failures",
    "workflows.options",
    "workflows.visibility",
)
"""Modules shared with the sandbox, which imports all others again for every run."""
PURE = ("penwright.domain", "workflows")
"""Shared with the sandbox by ``PLUGIN`` only; see ``STRICT_PLUGIN``."""


class LogContext(Interceptor):
    """Adds workflow id, activity and attempt to every line an activity logs."""

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        return _ActivityLogContext(next)


class _ActivityLogContext(ActivityInboundInterceptor):
    # Any: the SDK's own signature.
    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        # Imported here: clients share this class with the workers but do not log.
        from structlog.contextvars import bound_contextvars

        info = activity.info()
        with bound_contextvars(
            workflow_id=info.workflow_id, activity=info.activity_type, attempt=info.attempt
        ):
            return await super().execute_activity(input)


class PenwrightPlugin(SimplePlugin):
    """Plugin of a client, which passes it on to its workers."""

    def configure_worker(self, config: WorkerConfig) -> WorkerConfig:
        """Keep the worker's own list of workflows: one that only runs activities must not poll for any."""
        chosen = list(config.get("workflows") or ())
        configured = super().configure_worker(config)
        configured["workflows"] = chosen
        return configured


def _own_converter(given: DataConverter | None) -> DataConverter:
    """Return ``given`` if it was made by ``converter``; replace a default of the SDK by the plain one."""
    if given is None or given.payload_converter_class in (DefaultPayloadConverter, PydanticPayloadConverter):
        return converter()
    return given


def _plugin(*shared: str) -> PenwrightPlugin:
    return PenwrightPlugin(
        "penwright",
        data_converter=_own_converter,
        interceptors=[HeartbeatInterceptor(), FailureTranslator(), LogContext()],
        workflows=WORKFLOWS,
        workflow_runner=Sandbox(SandboxRestrictions.default.with_passthrough_modules(*shared)),
        workflow_failure_exception_types=[PenwrightError],
    )


PLUGIN = _plugin(*SHARED, *PURE)
STRICT_PLUGIN = _plugin(*SHARED)
"""The same with rules and workflows inside the sandbox, which checks that they are deterministic. Importing
them costs milliseconds per run, so only the tests use it."""
