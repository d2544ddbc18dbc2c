"""A section: a piece of the prompt with the capabilities it documents."""

from collections.abc import Callable
from typing import Literal

from pydantic import BaseModel

from penwright.agents.definition.skills import Skill
from penwright.agents.guardrails.guardrail import Policy
from penwright.agents.state import StateView
from penwright.agents.tools.tool import Declared, Tool

Visibility = Literal["full", "summary"]
Condition = Callable[[BaseModel | None, StateView], bool]
"""Pure function of a section's parameters and the state."""
Selector = Callable[[BaseModel | None, StateView], Visibility]
"""Pure, like a condition."""


class Section(Declared):
    """A piece of the prompt with the capabilities it documents."""

    key: str
    """1–64 of ``a-z0-9-``; the keys from the root make the path, joined by ``/``."""
    title: str
    body: str = ""
    """Markdown, used verbatim; ``$name`` is a field of ``params``, ``$$`` a dollar."""
    summary: str = ""
    """Shown instead of the body while the section is summarised."""
    params: type[BaseModel] | None = None
    defaults: BaseModel | None = None
    """Of type ``params``; used by every section of that type unless the run gives a value."""
    enabled: Condition | None = None
    """False removes the whole branch: text, tools, skills and policies."""
    visibility: Visibility | Selector = "full"
    """A summarised section hides its children, tools and skills until the model opens it."""
    tools: tuple[Tool, ...] = ()
    skills: tuple[Skill, ...] = ()
    policies: tuple[Policy, ...] = ()
    """For the tools of this section and of those below it."""
    children: "tuple[Section, ...]" = ()
