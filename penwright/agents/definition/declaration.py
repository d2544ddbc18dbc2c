"""The fields of an agent's definition and what follows from them; `agent` checks them."""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from pydantic import BaseModel

from penwright.agents.definition.flags import Flags
from penwright.agents.definition.outline import Place, every, outline
from penwright.agents.definition.reply_reading import AnswerReader
from penwright.agents.definition.section import Section
from penwright.agents.guardrails.guardrail import CompletionChecker, FeedbackProvider, Policy
from penwright.agents.state import StateView
from penwright.agents.tools.tool import Declared, Tool


class Declaration(Declared):
    """What the author of an agent writes down."""

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
    reads: AnswerReader | None = None
    """Reads the output out of plain text, for answers too long for JSON; None: JSON is asked for."""
    finalize: Callable[[BaseModel, StateView], BaseModel] | None = None
    """Fills what the model is not asked for; pure."""
    slices: tuple[type[BaseModel], ...] = ()
    """Slices of its own; the built-in ones are always there."""
    flags: type[Flags] | None = None
    """What an experiment may set; conditions read it from the state."""
    repairs: int = 2
    """How often the model may mend an output that does not fit its type."""

    @property
    def name(self) -> str:
        """``namespace/key``."""
        return f"{self.namespace}/{self.key}"

    @property
    def answers_in_json(self) -> bool:
        """Whether the model gives its answer as an object, by a call or as text."""
        return self.output is not None and self.reads is None

    @cached_property
    def outline(self) -> tuple[Place, ...]:
        """The sections with their addresses, whatever the state."""
        return outline(self.sections)

    @property
    def places(self) -> Iterator[Place]:
        """Every section with its address, parents first."""
        return every(self.outline)

    @property
    def tools(self) -> Mapping[str, Tool]:
        """Every tool that any section declares, by name, whether or not the state hides it."""
        return {tool.name: tool for place in self.places for tool in place.section.tools}

    @property
    def every_policy(self) -> tuple[Policy, ...]:
        """The definition's own policies, then those of its sections, parents first."""
        return (*self.policies, *(policy for place in self.places for policy in place.section.policies))
