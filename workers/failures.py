"""Translate our errors to Temporal failures and back.

The code is the failure's type, permanent means one attempt, and the details are the facts and the family.
"""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from temporalio import activity, workflow
from temporalio.exceptions import ApplicationError, FailureError
from temporalio.service import RPCError
from temporalio.worker import (
    ActivityInboundInterceptor,
    ExecuteActivityInput,
    ExecuteWorkflowInput,
    HandleQueryInput,
    HandleUpdateInput,
    Interceptor,
    WorkflowInboundInterceptor,
    WorkflowInterceptorClassInput,
)

from penwright.errors import EngineUnavailable, ModelUnavailable, PenwrightError, error_of
from workflows.failures import facts_of, family_details, family_of

MESSAGE_LIMIT = 2_000
"""Characters of an error message that enter a history."""
DETAIL_LIMIT = 500
NOT_PREPARED = "namespace-not-prepared"
"""Code of the error for a Temporal on which no session can start."""


def not_prepared(what: str) -> EngineUnavailable:
    """Return the error for a Temporal on which no session can start."""
    return EngineUnavailable(
        NOT_PREPARED,
        f"Temporal was not prepared: {what}; run `penwright operator setup`",
        hint="run `penwright operator setup` with these settings, then repeat the command",
    )


def unprepared(error: RPCError) -> EngineUnavailable | None:
    """Return the error of a Temporal that lacks our namespace or attributes; None for any other answer."""
    said = error.message
    if "search attribute" in said or (said.startswith("Namespace ") and "not found" in said):
        return not_prepared(said)
    return None


def as_failure(error: PenwrightError) -> ApplicationError:
    """Convert ``error``: its code becomes the type; message and details are shortened to the limits above."""
    wait_s = error.retry_after_s if isinstance(error, ModelUnavailable) else None
    details = {name: _clip(value, DETAIL_LIMIT) for name, value in error.details.items()}
    return ApplicationError(
        _clip(error.message, MESSAGE_LIMIT),
        *family_details(details, error.family),
        type=error.code,
        non_retryable=not error.retryable,
        next_retry_delay=None if wait_s is None else timedelta(seconds=wait_s),
    )


def as_error(failure: BaseException) -> PenwrightError | None:
    """Return the first of our errors among the causes of a failed call, update or workflow; None without one.

    Its class is that of its family in ``penwright.errors``.
    """
    found = next(
        (cause for cause in _causes(failure) if isinstance(cause, PenwrightError | ApplicationError)), None
    )
    if found is None or isinstance(found, PenwrightError):
        return found
    if not found.type:
        return None
    return error_of(
        family_of(found), found.type, found.message, facts_of(found), retryable=not found.non_retryable
    )


class FailureTranslator(Interceptor):
    """Translates our errors where they leave activities and workflows; keeps long texts out of histories."""

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        return _TranslatingActivities(next)

    def workflow_interceptor_class(
        self, input: WorkflowInterceptorClassInput
    ) -> type[WorkflowInboundInterceptor]:
        return _TranslatingWorkflows


class _TranslatingActivities(ActivityInboundInterceptor):
    # Any: the SDK's own signature.
    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        try:
            return await super().execute_activity(input)
        except PenwrightError as error:
            raise as_failure(error) from None
        except FailureError:
            raise
        except Exception as error:
            if len(str(error)) <= MESSAGE_LIMIT:
                raise
            activity.logger.exception("the error message is too long for a history")
            raise ApplicationError(_clip(str(error), MESSAGE_LIMIT), type=type(error).__name__) from None


class _TranslatingWorkflows(WorkflowInboundInterceptor):
    # Any: the SDK's own signatures.
    async def execute_workflow(self, input: ExecuteWorkflowInput) -> Any:
        try:
            return await super().execute_workflow(input)
        except PenwrightError as error:
            raise as_failure(error) from None

    async def handle_query(self, input: HandleQueryInput) -> Any:
        try:
            return await super().handle_query(input)
        except PenwrightError as error:
            raise as_failure(error) from None

    def handle_update_validator(self, input: HandleUpdateInput) -> None:
        try:
            super().handle_update_validator(input)
        except PenwrightError as error:
            raise as_failure(error) from None

    async def handle_update_handler(self, input: HandleUpdateInput) -> Any:
        try:
            return await super().handle_update_handler(input)
        except PenwrightError as error:
            workflow.logger.info("an update failed: %s", error.code)
            raise as_failure(error) from None


def _causes(failure: BaseException) -> Iterator[BaseException]:
    seen: BaseException | None = failure
    while seen is not None:
        yield seen
        seen = seen.__cause__


def _clip(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
