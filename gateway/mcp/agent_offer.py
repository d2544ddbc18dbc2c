"""Offer of an agent's tools to clients: those of the present state, and those of every run."""

from collections.abc import Mapping, Sequence

import mcp_types as types

from gateway.desk.agents.tools import AgentToolService
from gateway.mcp.offers import described, hints_of
from penwright.agents.loop import outside
from penwright.agents.loop.run import Run
from penwright.agents.tools.tool import Arguments
from penwright.roles.outside_agent.admission import OutsideTool, admitted, measured
from penwright.roles.outside_agent.agent_tools import HINTS, STATUS, AgentCall
from penwright.roles.prompt_file import PromptFile
from schemas.agent import ToolOffer

_OWN = {STATUS.name: STATUS}


class AgentOffer:
    """Implements ``gateway.mcp.offers.Offer``.

    Arguments are checked by the run, as a model's are, so that every call is recorded.
    """

    hints = HINTS
    changes = True

    def __init__(self, desk: AgentToolService) -> None:
        self._desk = desk
        begun = desk.begun_run
        self._listed = begun.shown.tools_digest
        said = PromptFile.load("penwright.roles.outside_agent", "agent_instructions.md").text
        self.title = f"Penwright: {desk.title}"
        self.instructions = f"{said}\n\n{begun.shown.text}"

    async def listed(self) -> Sequence[types.Tool]:
        run = await self._desk.present()
        self._listed = run.shown.tools_digest
        return [*(_told(each, run) for each in outside.offered(run)), described(STATUS)]

    def admit(self, name: str, arguments: Mapping[str, object]) -> Arguments:
        if name == STATUS.name:
            return admitted(_OWN, name, arguments)
        known = OutsideTool(name=name[:64], description="", params=AgentCall)
        return AgentCall(tool=name, arguments=measured(known, arguments))

    def has_changed(self) -> bool:
        before, self._listed = self._listed, self._desk.tools or self._listed
        return self._listed != before


def _told(offer: ToolOffer, run: Run) -> types.Tool:
    tool = run.shown.tools.get(offer.name)
    return types.Tool(
        name=offer.name,
        description=offer.description,
        input_schema=offer.parameters,
        annotations=hints_of(writes=tool is None or tool.effect in ("workspace-write", "external")),
    )
