"""A tool call of an agent, carried out: its facts checked, its handler run, its answer made fit to carry."""

import asyncio
from collections.abc import Awaitable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol, TypeVar, cast

from temporalio import activity

from penwright.agents.calls import results as concluding
from penwright.agents.files.filesystem import Filesystem
from penwright.agents.state import StateView, load_state
from penwright.agents.tools.resources import Resources
from penwright.agents.tools.tool import Stale, Tool, ToolContext, ToolResult
from penwright.ports import Blobs
from penwright.roles import catalogue
from schemas.agent_run import RunToolCall, ToolCallResult
from schemas.base import BlobRef

Resource = TypeVar("Resource")


class Workbench(Protocol):
    """What a worker has for the tools of agents."""

    def call(self, request: RunToolCall) -> AbstractAsyncContextManager[Resources]: ...


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
                carried = concluding.answer(tool, request.number, await _handled(tool, request, resources))
        except Exception as error:  # whatever a handler raises
            mistaken = concluding.mistaken(tool, request.number, error)
            if mistaken is None:
                raise
            carried = mistaken
        except asyncio.CancelledError:
            if tool.effect == "external":
                # The worker stops. Nobody knows what the call has done, so no other worker makes it again.
                raise concluding.interrupted(tool) from None
            raise
        return await asyncio.to_thread(self._fit, carried)

    def _fit(self, carried: ToolCallResult) -> ToolCallResult:
        if concluding.is_long(carried):
            carried = concluding.excerpted(carried, self._kept(carried.text))
        kept = self._kept(carried.text)
        # The chain takes the text from where it is kept; a history needs only what its outcome shows.
        return carried.model_copy(update={"text_at": kept, "text": carried.text[: concluding.PREVIEW]})

    def _kept(self, text: str) -> BlobRef:
        return self.blobs.put(text.encode("utf-8", "surrogatepass"))


async def _handled(tool: Tool, request: RunToolCall, resources: Resources) -> ToolResult:
    changed = await asyncio.to_thread(_changed, request, resources)
    if changed:
        return Stale(message="A file is not what you believe it is.", paths=changed)
    state = load_state(request.state, catalogue.find(request.agent).definition.registry)
    params = tool.params.model_validate(request.arguments, strict=False)
    context: ToolContext = _Context(request.effect.op_id, state, resources)
    return await cast("Awaitable[ToolResult]", tool.handler(params, context))  # type: ignore[arg-type]


def _changed(request: RunToolCall, resources: Resources) -> tuple[str, ...]:
    if not request.facts:
        return ()
    files = resources.get(Filesystem)  # type: ignore[type-abstract]
    return tuple(path for path, digest in request.facts.items() if files.digest(path) != digest)
