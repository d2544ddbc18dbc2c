"""What every client, worker and replayer agrees on: values, sandbox, failures, and the list of workflows."""

import dataclasses
from collections.abc import Sequence

from temporalio.contrib.pydantic import PydanticPayloadConverter
from temporalio.converter import (
    DataConverter,
    DefaultFailureConverterWithEncodedAttributes,
    DefaultPayloadConverter,
    ExternalStorage,
    PayloadCodec,
)
from temporalio.plugin import SimplePlugin
from temporalio.worker import WorkerConfig
from temporalio.worker.workflow_sandbox import SandboxRestrictions

from activities.heartbeat import HeartbeatInterceptor
from penwright.errors import PenwrightError
from workers.failures import Permanence
from workers.log_context import Journal
from workers.payloads import BoundedPayloadConverter
from workers.sandbox import Sandbox
from workflows.agent_loop import AgentLoop
from workflows.book_errand import BookErrand
from workflows.book_schedule import ScheduledBookSession
from workflows.book_session import BookSession
from workflows.eval_run import EvalRun

WORKFLOWS: Sequence[type] = (BookSession, BookErrand, ScheduledBookSession, AgentLoop, EvalRun)

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
"""Modules shared with the sandbox, which imports all others anew for every run."""
PURE = ("penwright.domain", "workflows")
"""Shared too, but only where books are written: see ``STRICT_HOUSE``."""


class House(SimplePlugin):
    """The plugin of this project; given to a client, it reaches that client's workers."""

    def configure_worker(self, config: WorkerConfig) -> WorkerConfig:
        """Leave the choice of workflows to the worker: one that only runs activities polls for none."""
        chosen = list(config.get("workflows") or ())
        configured = super().configure_worker(config)
        configured["workflows"] = chosen
        return configured


def converter(*, codec: PayloadCodec | None = None, storage: ExternalStorage | None = None) -> DataConverter:
    """How values become bytes; with a codec, the texts of failures are encrypted too."""
    plain = DataConverter(
        payload_converter_class=BoundedPayloadConverter, payload_codec=codec, external_storage=storage
    )
    if codec is None:
        return plain
    return dataclasses.replace(plain, failure_converter_class=DefaultFailureConverterWithEncodedAttributes)


def _ours(given: DataConverter | None) -> DataConverter:
    """``given`` if a process made its own with ``converter``, else the plain one."""
    if given is None or given.payload_converter_class in (DefaultPayloadConverter, PydanticPayloadConverter):
        return converter()
    return given


def _house(*shared: str) -> House:
    return House(
        "penwright",
        data_converter=_ours,
        interceptors=[HeartbeatInterceptor(), Permanence(), Journal()],
        workflows=WORKFLOWS,
        workflow_runner=Sandbox(restrictions=SandboxRestrictions.default.with_passthrough_modules(*shared)),
        workflow_failure_exception_types=[PenwrightError],
    )


HOUSE = _house(*SHARED, *PURE)
STRICT_HOUSE = _house(*SHARED)
"""The same with rules and workflows inside the sandbox, which polices their purity; importing them takes it
some milliseconds a run, so the tests run the workflows in it and workers do not."""
