"""Sub-agents: an agent that another one calls like a tool."""

from collections.abc import Callable, Mapping

from pydantic import BaseModel, JsonValue

from penwright.agents.tools.tool import Declared, ToolContext, ToolResult
from penwright.errors import BrokenDefinition
from schemas.agent_run import RunLimits


class SubAgent(Declared):
    """The handler of a tool whose calls are runs of another agent.

    The tool's effect says whether several may run at once: ``read`` they may, otherwise one at a time.
    """

    agent: str
    """``namespace/key``."""
    task: Callable[[BaseModel], str]
    """Makes the task from the call's arguments; pure."""
    params: Callable[[BaseModel], Mapping[str, JsonValue]] | None = None
    """Makes its sections' parameters from the call's arguments; pure. None: it needs none."""
    limits: RunLimits = RunLimits()
    """Its limits; never more than its caller has left."""
    model_role: str = ""
    """Empty: the caller's."""

    async def __call__(self, params: BaseModel, context: ToolContext) -> ToolResult:
        raise BrokenDefinition(
            "sub-agent-not-started",
            f"the sub-agent {self.agent!r} was called as a tool of a worker; the loop starts it as a run",
        )
