"""Offers to clients: the tools of a book, a novel or a scene."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

import mcp_types as types

from penwright.agents.tools.argument_types import arguments_schema
from penwright.agents.tools.tool import Arguments
from penwright.roles.outside_agent import round_tools, scene_tools, tools
from penwright.roles.outside_agent.admission import OutsideTool, admitted
from penwright.roles.prompt_file import PromptFile


class Offer(Protocol):
    """The tools of one server."""

    @property
    def title(self) -> str: ...

    @property
    def instructions(self) -> str: ...

    @property
    def hints(self) -> Mapping[str, str]:
        """Advice to an agent by error code, where it differs from a book's."""
        ...

    @property
    def changes(self) -> bool:
        """Whether there may be other tools later."""
        ...

    async def listed(self) -> Sequence[types.Tool]:
        """The tools that can be called now."""
        ...

    def admit(self, name: str, arguments: Mapping[str, object]) -> Arguments:
        """A call as the desk takes it; ``UsageMistake`` for one that it cannot take."""
        ...

    def has_changed(self) -> bool:
        """Whether other tools can be called than clients were told of; true once for each change."""
        ...


@dataclass(frozen=True, slots=True)
class FixedOffer:
    """Tools that are always the same. Implements ``Offer``."""

    title: str
    instructions: str
    tools: Mapping[str, OutsideTool]
    hints: Mapping[str, str] = field(default_factory=dict)
    changes: bool = False

    async def listed(self) -> Sequence[types.Tool]:
        return [described(tool) for tool in self.tools.values()]

    def admit(self, name: str, arguments: Mapping[str, object]) -> Arguments:
        return admitted(self.tools, name, arguments)

    def has_changed(self) -> bool:
        return False


def described(tool: OutsideTool) -> types.Tool:
    """A tool as clients are told of it."""
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=arguments_schema(tool.params),
        annotations=hints_of(writes=tool.writes),
    )


def hints_of(*, writes: bool) -> types.ToolAnnotations:
    """Hints on what a client may assume of a tool."""
    return types.ToolAnnotations(read_only_hint=not writes, destructive_hint=False, open_world_hint=False)


BOOK: Final = FixedOffer(
    title="Penwright: the book tools",
    instructions=PromptFile.load("penwright.roles.outside_agent", "instructions.md").text,
    tools=tools.TOOLS,
)
NOVEL: Final = FixedOffer(
    title="Penwright: the scene tools",
    instructions=PromptFile.load("penwright.roles.outside_agent", "scene_instructions.md").text,
    tools=scene_tools.TOOLS,
    hints=scene_tools.HINTS,
)
SCENE: Final = FixedOffer(
    title="Penwright: a scene to play in",
    instructions=PromptFile.load("penwright.roles.outside_agent", "round_instructions.md").text,
    tools=round_tools.TOOLS,
    hints=round_tools.HINTS,
)
