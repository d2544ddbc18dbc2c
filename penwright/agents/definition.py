"""What an agent is: one versioned, frozen object, checked when it is declared."""

from collections.abc import Callable
from typing import Literal

from pydantic import BaseModel

from penwright.agents.guardrail import CompletionChecker, FeedbackProvider, Policy
from penwright.agents.state import StateView
from penwright.agents.tool import Declared, Tool

Visibility = Literal["full", "summary"]
Condition = Callable[[BaseModel | None, StateView], bool]
"""Pure function of a section's parameters and the state."""


class Skill(Declared):
    """A folder with a ``SKILL.md``, mounted for the agent while its section is visible."""

    name: str
    description: str
    folder: str
    """Resource folder, ``package:path``."""


class Section(Declared):
    """A piece of the prompt with the capabilities it documents."""

    key: str
    """1–64 of ``a-z0-9-``; the keys from the root make the path, joined by ``/``."""
    title: str
    body: str = ""
    """Markdown, used word for word; ``$name`` is a field of ``params``, ``$$`` a dollar."""
    summary: str = ""
    """What stands there while the section is summarised."""
    params: type[BaseModel] | None = None
    defaults: BaseModel | None = None
    enabled: Condition | None = None
    visibility: Visibility | Callable[[BaseModel | None, StateView], Visibility] = "full"
    tools: tuple[Tool, ...] = ()
    skills: tuple[Skill, ...] = ()
    policies: tuple[Policy, ...] = ()
    """For the tools of this section and of those below it."""
    children: "tuple[Section, ...]" = ()


class AgentDefinition(Declared):
    """Instructions, tools, gates, nudges and the definition of done, in one piece."""

    namespace: str
    """1–64 of ``a-z0-9._-``, beginning with a letter or digit; so too ``key``."""
    key: str
    version: int = 1
    title: str
    sections: tuple[Section, ...]
    policies: tuple[Policy, ...] = ()
    """For every tool."""
    feedback: tuple[FeedbackProvider, ...] = ()
    completion: CompletionChecker | None = None
    output: type[BaseModel] | None = None
    """What the run answers; None for plain text."""
    finalize: Callable[[BaseModel, StateView], BaseModel] | None = None
    """Fills what the model is not asked for; pure."""
    slices: tuple[type[BaseModel], ...] = ()
    """Slices of its own; the built-in ones are always there."""
    repairs: int = 2
    """How often the model may mend an output that does not fit its type."""
