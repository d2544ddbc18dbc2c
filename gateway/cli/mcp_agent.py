"""``penwright mcp --agent``: an agent of the catalogue, served to an outside harness."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from gateway.desk.agents.runs import RunRequest
from gateway.desk.agents.tools import AgentToolService
from gateway.desk.services import Services
from gateway.mcp.agent_offer import AgentOffer
from schemas.agent_run import RunLimits


@dataclass(frozen=True, slots=True)
class Wish:
    """Which agent to serve, on what, and how."""

    agent: str
    work: str
    run_id: str
    params: Mapping[str, Any]
    """Any: JSON. By type name."""
    flags: Mapping[str, str]
    tag: str
    minutes: float

    def served(self, services: Services) -> tuple[AgentToolService, AgentOffer]:
        """What carries the calls out, and what clients are offered."""
        desk = AgentToolService(services, self._request(), timedelta(minutes=self.minutes))
        sys.stderr.write(
            f"serving {self.agent} in the run {desk.run_id}; --id {desk.run_id} goes on with it\n"
        )
        return desk, AgentOffer(desk)

    def _request(self) -> RunRequest:
        return RunRequest(
            agent=self.agent,
            task="",
            params=self.params,
            flags=self.flags,
            limits=RunLimits(),
            subject=_subject(self.work),
            run_id=self.run_id,
            override_tag=self.tag,
        )


def _subject(work: str) -> str:
    """A folder by its whole path, whatever the server's own folder is; any other name as it is."""
    folder = Path(work).expanduser()
    return str(folder.resolve()) if work and folder.is_dir() else work
