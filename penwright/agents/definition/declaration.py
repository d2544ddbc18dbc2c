"""The fields of an agent's definition and what follows from them; `agent` checks them."""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from pydantic import BaseModel

from penwright.agents.definition.flags import Flags
from penwright.agents.definition.outline import PlacedSection, every, outline
from penwright.agents.definition.reply_reading import AnswerReader
from penwright.agents.definition.section import Section
from penwright.agents.guardrails.guardrail import CompletionChecker, FeedbackProvider, Policy
from penwright.agents.state import StateView
from penwright.agents.tools.tool import Declared, Tool


class Declaration(Declared):
    """Fields that the author of an agent writes down."""

    namespace: str
    """1–64 of ``a-z0-9._-``, beginning with a letter or digit; so too ``key``."""
    key: str
    version: int = 1
    title: str
    sections: tuple[Section, ...]
    policies: tuple[Policy, ...] = ()
    """Apply to every tool."""
    feedback: tuple[FeedbackProvider, ...] = ()
    completion: CompletionChecker | None = None
    output: type[BaseModel] | None = None
    """Type of the run's output; None for plain text."""
    reads: AnswerReader | None = None
    """Parses the output from plain text, for answers too long for JSON; None: the model answers in JSON."""
    wanted: type[BaseModel] | None = None
    """With ``reads``: the JSON that the model is asked for; None: plain text. What it says is still read by
    ``reads``, which may know more than a schema can say."""
    finalize: Callable[[BaseModel, StateView], BaseModel] | None = None
    """Fills hidden fields of the output; pure."""
    slices: tuple[type[BaseModel], ...] = ()
    """Its own slices; the built-in ones are added."""
    flags: type[Flags] | None = None
    """Flags that an experiment may set; conditions read them from the state."""
    repairs: int = 2
    """Number of times the model may correct an output that does not fit its type."""

    @property
    def name(self) -> str:
        """``namespace/key``."""
        return f"{self.namespace}/{self.key}"

    @property
    def answers_in_json(self) -> bool:
        """Whether the model answers with a JSON object, in a call or as text."""
        return self.output is not None and self.reads is None

    @property
    def asks_for(self) -> type[BaseModel] | None:
        """The JSON object that the model is asked for; None for plain text."""
        return self.output if self.answers_in_json else self.wanted

    @cached_property
    def outline(self) -> tuple[PlacedSection, ...]:
        """The sections with their addresses, independent of the state."""
        return outline(self.sections)

    @property
    def places(self) -> Iterator[PlacedSection]:
        """Every section with its address, parents first."""
        return every(self.outline)

    @property
    def tools(self) -> Mapping[str, Tool]:
        """Every tool of any section, by name, also those that the state hides."""
        return {tool.name: tool for place in self.places for tool in place.section.tools}

    @property
    def every_policy(self) -> tuple[Policy, ...]:
        """The definition's own policies, then those of its sections, parents first."""
        return (*self.policies, *(policy for place in self.places for policy in place.section.policies))
