"""Definition of an agent: one versioned, frozen object, checked when it is declared."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Self

from pydantic import model_validator

from penwright.agents.definition import checking
from penwright.agents.definition.declaration import Declaration
from penwright.agents.definition.run_slices import registry_of
from penwright.agents.definition.section import Condition, Section, Selector, Visibility
from penwright.agents.definition.skills import Skill, SkillFile
from penwright.agents.state import Registry

__all__ = [
    "AgentDefinition",
    "Condition",
    "Section",
    "Selector",
    "Skill",
    "SkillFile",
    "Visibility",
]


class AgentDefinition(Declaration):
    """Instructions, tools, policies, feedback and the completion checker of an agent.

    Raises:
        BrokenDefinition: when it is declared, listing every problem with its section path and token.
    """

    @model_validator(mode="after")
    def _is_sound(self) -> Self:
        checking.check(self)
        return self

    # Any: values of any field.
    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A changed copy is declared again, so it is checked too."""
        kept = {name: getattr(self, name) for name in type(self).model_fields}
        return type(self)(**{**kept, **(update or {})})

    @cached_property
    def registry(self) -> Registry:
        """The slices of its runs."""
        return registry_of(self)
