"""A tool: typed arguments, a typed result, what it touches, and who carries it out."""

import json
from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict

from penwright.agents.state import StateView
from penwright.agents.tools.argument_types import arguments_schema
from schemas.agent import EffectClass

Resource = TypeVar("Resource")


class Declared(BaseModel):
    """Part of a definition: frozen, strict about its fields, and free to name types and functions."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class Arguments(BaseModel):
    """What a tool is called with, or a section filled with: frozen, and nothing but what is declared.

    The string under a field tells the model what the field is for.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Ok(Declared):
    """The call did what it should. Its events are applied, all or none."""

    value: BaseModel | None = None
    text: str = ""
    """What the model reads; empty: the value as JSON."""
    events: tuple[BaseModel, ...] = ()
    """Of STATE and LOG slices."""
    commit: str = ""
    """Of a workspace write."""


class Failed(Declared):
    """A business error: told to the model, attempted once, and nothing happened."""

    code: str
    message: str
    hint: str = ""
    """What to do instead."""
    events: tuple[BaseModel, ...] = ()
    """Only those of LOG slices are kept."""


class Stale(Declared):
    """What the call rests on has changed since the agent saw it; nothing happened."""

    message: str
    paths: tuple[str, ...] = ()


ToolResult = Ok | Failed | Stale


class ToolContext(Protocol):
    """What a handler may use besides its arguments."""

    @property
    def key(self) -> str:
        """Idempotency key of this call; the same in every attempt."""
        ...

    @property
    def state(self) -> StateView:
        """The state before the call."""
        ...

    def resource(self, protocol: type[Resource]) -> Resource:
        """A binding of the worker; ``NotFound`` if nobody bound it."""
        ...


Handler = Callable[[Any, ToolContext], Awaitable[ToolResult]]  # Any: an instance of the tool's params
PureHandler = Callable[[Any, StateView], ToolResult]


class ToolExample(Declared):
    """A call and what it answers, shown to the model."""

    description: str
    params: BaseModel
    result: BaseModel | None = None


class Tool(Declared):
    """One capability. Declared in a section; it appears and vanishes with it."""

    name: str
    """1–64 of ``a-z0-9_-``."""
    description: str
    """1–1 024 characters."""
    params: type[BaseModel]
    result: type[BaseModel] | None = None
    effect: EffectClass
    handler: Handler | PureHandler
    """A ``PureHandler`` for a pure tool, which runs in the workflow; else a ``Handler``, run by a worker."""
    examples: tuple[ToolExample, ...] = ()
    reads: tuple[type[BaseModel], ...] = ()
    """Slices of state its handler looks at; a worker is given no others."""
    approval: bool | None = None
    """Whether a person must allow each call; None: only if it is external."""
    fatal: bool = False
    """Whether the run ends when the infrastructure of this tool stays away."""

    @property
    def parameters(self) -> dict[str, Any]:  # a JSON schema is open by nature
        """The JSON schema of its arguments; each caller gets a copy of its own."""
        schema: dict[str, Any] = json.loads(self._schema_text)
        return schema

    @cached_property
    def _schema_text(self) -> str:
        return json.dumps(arguments_schema(self.params))


Facts = Mapping[str, str]
"""What files are believed to be, digest by path; checked where the call is carried out."""
