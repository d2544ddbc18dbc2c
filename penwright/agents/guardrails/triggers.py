"""Triggers: when a feedback provider is asked."""

from datetime import timedelta
from typing import Annotated

from pydantic import AfterValidator, Field

from penwright.agents.files.paths import canonical
from penwright.agents.tools.tool import Declared
from penwright.errors import BrokenDefinition


def _spelled(path: str) -> str:
    spelled = canonical(path)
    if spelled is None:
        raise BrokenDefinition(
            "bad-path", f"{path!r} is not the path of a file in a workspace; give a relative path", path=path
        )
    return spelled


WorkspacePath = Annotated[str, AfterValidator(_spelled)]
"""Canonical."""
Span = Annotated[timedelta, Field(gt=timedelta(0))]


class EveryCalls(Declared):
    """After ``calls`` calls since it last fired, or since the run began."""

    calls: int = Field(ge=1)

    @property
    def key(self) -> str:
        """Names the trigger among those of its provider."""
        return f"every {self.calls} calls"


class EverySeconds(Declared):
    """After ``every`` since it last fired, or since the run began."""

    every: Span

    @property
    def key(self) -> str:
        return f"every {self.every.total_seconds():g} s"


class FileCreated(Declared):
    """Once, when the run has written this file."""

    path: WorkspacePath

    @property
    def key(self) -> str:
        return f"created {self.path}"


class DeadlineNear(Declared):
    """Once, when at most ``within`` is left before the deadline."""

    within: Span

    @property
    def key(self) -> str:
        return f"deadline within {self.within.total_seconds():g} s"


Trigger = EveryCalls | EverySeconds | FileCreated | DeadlineNear
