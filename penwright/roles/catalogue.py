"""The catalogue of agents: the built-in ones and those that the settings' modules register."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pydantic import BaseModel

from penwright.agents.definition.agent import AgentDefinition
from penwright.domain.text.nearest import meant
from penwright.errors import NotFound, UsageMistake
from penwright.roles.ink_clerk.definition import CLERK
from penwright.roles.ink_clerk.definition import EXAMPLE as A_PASSAGE
from penwright.roles.ink_editor.definition import INK_EDITOR
from penwright.roles.ink_planner.definition import EXAMPLE as A_CHAPTER
from penwright.roles.ink_planner.definition import PLANNER
from penwright.roles.ink_session_editor.definition import EXAMPLE as A_DRAFT
from penwright.roles.ink_session_editor.definition import SESSION_EDITOR
from penwright.roles.ink_writer.definition import EXAMPLE as A_SESSION
from penwright.roles.ink_writer.definition import INK_WRITER
from penwright.roles.manuscript.cast import ROLES as MANUSCRIPT
from penwright.roles.scene.cast import ROLES as SCENE
from penwright.roles.scene.painter.definition import PAINTER


@dataclass(frozen=True, slots=True)
class Entry:
    """An agent, with example parameters for rendering it."""

    definition: AgentDefinition
    example: tuple[BaseModel, ...] = ()
    """One value for each type of parameters that has no default."""
    needs_tools: bool = True
    """Whether a model without tools is refused; else it goes without those that it would be offered."""


def _by_name(*entries: Entry) -> Mapping[str, Entry]:
    return MappingProxyType({entry.definition.name: entry for entry in entries})


AGENTS = _by_name(
    Entry(INK_WRITER, A_SESSION, needs_tools=False),
    Entry(PLANNER, A_CHAPTER),
    Entry(SESSION_EDITOR, A_DRAFT),
    Entry(CLERK, A_PASSAGE),
    Entry(INK_EDITOR),
    *(Entry(each.definition) for each in MANUSCRIPT.values()),
    *(Entry(each) for each in SCENE.values()),
    Entry(PAINTER),
)
"""The built-in agents, by ``namespace/key``."""
_REGISTERED: dict[str, Entry] = {}
"""Agents from the modules in the settings. Registered at start-up; workflows look them up, and Temporal
constructs those itself, so the catalogue cannot be passed to them."""


def register_agents(*entries: Entry) -> None:
    """Register custom agents at startup. Idempotent.

    Raises:
        UsageMistake: ``agent-twice``, if another definition has the same name.
    """
    for entry in entries:
        name = entry.definition.name
        known = all_agents().get(name)
        if known is not None and known is not entry:
            raise UsageMistake("agent-twice", f"two agents are called {name!r}; give one of them another key")
        _REGISTERED[name] = entry


def all_agents() -> Mapping[str, Entry]:
    """All agents of this process."""
    return MappingProxyType({**AGENTS, **_REGISTERED})


def find(name: str, agents: Mapping[str, Entry] | None = None) -> Entry:
    """The agent called ``name``, or with this key if it is unique.

    Raises:
        NotFound: ``unknown-agent``, with the nearest name.
    """
    agents = all_agents() if agents is None else agents
    if name in agents:
        return agents[name]
    by_key = [entry for entry in agents.values() if entry.definition.key == name]
    if len(by_key) == 1:
        return by_key[0]
    raise NotFound(
        "unknown-agent",
        f"there is no agent {name!r}{meant(name, agents)}",
        hint="`penwright agent list` shows them all",
    )
