"""Services for the calls of outside agents: the tools of a book, or of a novel."""

from dataclasses import dataclass
from typing import Any, Protocol

from gateway.desk.engine.agent_runs import Waiting
from penwright.agents.tools.tool import Arguments

Answer = dict[str, Any]  # Any: JSON


@dataclass(frozen=True, slots=True)
class Caller:
    """Caller, as the transport knows them."""

    who: str
    connection: str = ""
    """Names what they call through; empty where every call comes by itself."""


class ToolDesk(Protocol):
    """One work, served to outside agents for as long as the process lives."""

    async def carry_out(self, caller: Caller, asked: Arguments) -> Answer:
        """One call; raises what the pipelines and the work's rules raise."""
        ...

    async def doing(self) -> str:
        """Say what goes on now, in a sentence; empty when that is unknown."""
        ...

    async def close(self) -> None:
        """Close the connection."""
        ...


class Approver(Protocol):
    """Asks a person whether a call may be made, where the client can show them the question."""

    async def question(self) -> Waiting | None:
        """The call that waits for a person now, or None."""
        ...

    async def answered(self, waiting: Waiting, *, allowed: bool, client: str) -> None:
        """Approve or deny that call; nothing if it was decided meanwhile."""
        ...
