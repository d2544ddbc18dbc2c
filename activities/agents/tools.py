"""A tool call of an agent, carried out: its facts checked, its handler run, its answer made fit to carry."""

import asyncio
from collections.abc import Awaitable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol, TypeVar, cast

from pydantic import BaseModel
from temporalio import activity
from temporalio.exceptions import FailureError

from penwright.agents.calls import results as concluding
from penwright.agents.definition.output import loaded
from penwright.agents.files.filesystem import Filesystem
from penwright.agents.guardrails.completion import looked, world_checkers
from penwright.agents.state import StateView, load_state
from penwright.agents.tools.plan import PlanPublisher
from penwright.agents.tools.resources import Resources
from penwright.agents.tools.tool import Failed, Ok, Stale, Tool, ToolContext, ToolResult
from penwright.errors import PassingError, PenwrightError
from penwright.ports.blobs import Blobs
from penwright.roles import catalogue
from schemas.agent_run import Checked, CheckerVerdict, CheckWork, RunToolCall, ToolCallResult
from schemas.base import BlobRef
from schemas.workspace import Published

Resource = TypeVar("Resource")

_ATTEMPTS = 3
"""Calls of a handler that raises an error of its own."""
_BETWEEN_S = 0.3


class Workbench(Protocol):
    """Resources of a worker for the tools of agents."""

    def call(self, request: RunToolCall | CheckWork) -> AbstractAsyncContextManager[Resources]: ...

    def publisher(self, request: RunToolCall) -> PlanPublisher | None:
        """Publisher of a call's plan; None without a workspace. No handler can have it."""
        ...


@dataclass(frozen=True, slots=True)
class _Context:
    """Implements ``ToolContext``."""

    key: str
    state: StateView
    resources: Resources

    def resource(self, protocol: type[Resource]) -> Resource:
        return self.resources.get(protocol)


@dataclass(frozen=True)
class AgentToolActivities:
    """Tools that touch the world. Attempts share one key, so that a repeated call does nothing twice."""

    workbench: Workbench
    blobs: Blobs

    @activity.defn
    async def carry_out(self, request: RunToolCall) -> ToolCallResult:
        """One call; a rule's no and a tool's own failure are answers, and only what may pass is raised."""
        tool = catalogue.find(request.agent).definition.tools[request.tool]
        try:
            async with self.workbench.call(request) as resources:
                publisher = await self._publisher(tool, request)
                result = await _handled(tool, request, resources, publisher)
                carried = concluding.answer(tool, request.number, result)
        except Exception as error:  # whatever a handler raises
            mistaken = concluding.mistaken(tool, request.number, error)
            if mistaken is None:
                raise
            carried = mistaken
        except asyncio.CancelledError:
            if tool.effect == "external":
                # The worker stops. What the call has done is unknown, so no other worker makes it again.
                raise concluding.interrupted(tool) from None
            raise
        return await asyncio.to_thread(self._fit, tool, carried)

    @activity.defn
    async def check_work(self, request: CheckWork) -> Checked:
        """The verdicts of every checker that looks at the world; it changes nothing."""
        definition = catalogue.find(request.agent).definition
        state = load_state(request.state, definition.registry)
        kind, given = definition.output, request.output
        output = given if isinstance(given, str) or kind is None else loaded(kind, given)
        assert output is None or isinstance(output, str | BaseModel), "an answer is text or of its type"
        verdicts: list[CheckerVerdict] = []
        async with self.workbench.call(request) as resources:
            for checker in world_checkers(definition.completion):
                found = await looked(checker, output, state, resources)
                verdicts.append(
                    CheckerVerdict(checker=checker.name, complete=found.complete, reason=found.reason)
                )
        return Checked(verdicts=tuple(verdicts))

    async def _publisher(self, tool: Tool, request: RunToolCall) -> PlanPublisher | None:
        if tool.effect != "workspace-write":
            return None
        return await asyncio.to_thread(self.workbench.publisher, request)

    def _fit(self, tool: Tool, carried: ToolCallResult) -> ToolCallResult:
        try:
            return self._stored(carried)
        except PassingError:
            if tool.effect != "external":
                raise
            # Another attempt, made only to store the result, would do outside what is done already.
            return concluding.unstored(carried)

    def _stored(self, carried: ToolCallResult) -> ToolCallResult:
        if concluding.is_long(carried):
            carried = concluding.excerpted(carried, self._kept(carried.text))
        kept = self._kept(carried.text)
        # The chain takes the text from where it is kept; a history needs only what its outcome shows.
        return carried.model_copy(update={"text_at": kept, "text": carried.text[: concluding.PREVIEW]})

    def _kept(self, text: str) -> BlobRef:
        return self.blobs.put(text.encode("utf-8", "surrogatepass"))


async def _handled(
    tool: Tool, request: RunToolCall, resources: Resources, publisher: PlanPublisher | None
) -> ToolResult:
    state = load_state(request.state, catalogue.find(request.agent).definition.registry)
    params = tool.params.model_validate(request.arguments, strict=False)
    context: ToolContext = _Context(request.effect.op_id, state, resources)
    if publisher is not None and (done := await asyncio.to_thread(publisher.earlier, params)):
        return await asyncio.to_thread(_concluded, tool, params, context, publisher, done)
    changed = await asyncio.to_thread(_changed, request, resources)
    if changed:
        return Stale(message="A file is not what you believe it is.", paths=changed)
    result = await _called(tool, params, context)
    if not isinstance(result, Ok) or result.plan is None:
        return result
    if (failed := concluding.misplaced_plan(tool, result)) is not None:
        return failed
    if publisher is None:
        return Failed(code="no-workspace", message=f"{request.subject!r} is no book that could be changed.")
    published = await asyncio.to_thread(publisher.publish, result.plan, params, state)
    return await asyncio.to_thread(_concluded, tool, params, context, publisher, published)


async def _called(tool: Tool, params: BaseModel, context: ToolContext) -> ToolResult:
    """Call the handler; one that raises an error of its own is called a few times.

    Our errors are left to the caller, and so is whatever an external tool raises: what that has done is
    not known.
    """
    attempt = 1
    while True:
        try:
            return await cast("Awaitable[ToolResult]", tool.handler(params, context))  # type: ignore[arg-type]
        except (PenwrightError, FailureError):
            raise
        except Exception as error:  # whatever a handler raises
            if tool.effect == "external":
                raise
            if attempt == _ATTEMPTS:
                activity.logger.warning(
                    "the tool %r failed in each of %d attempts", tool.name, attempt, exc_info=error
                )
                return concluding.raised(tool, error, attempt)
        attempt += 1
        await asyncio.sleep(_BETWEEN_S)


def _concluded(
    tool: Tool, params: BaseModel, context: ToolContext, publisher: PlanPublisher, published: Published
) -> ToolResult:
    if tool.published is None:
        result = concluding.of_published(published)
    else:
        result = tool.published(params, context, published)
    return concluding.with_files(result, publisher.files(published)) if published.commit else result


def _changed(request: RunToolCall, resources: Resources) -> tuple[str, ...]:
    if not request.facts:
        return ()
    files = resources.get(Filesystem)  # type: ignore[type-abstract]
    return tuple(path for path, digest in request.facts.items() if files.digest(path) != digest)
