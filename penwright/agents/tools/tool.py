"""A tool: typed arguments, a typed result, its effect class and its handler."""

import json
from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict

from penwright.agents.state import StateView
from penwright.agents.tools.argument_types import arguments_schema
from penwright.agents.tools.plan import Plan
from schemas.agent import EffectClass
from schemas.workspace import Published

Resource = TypeVar("Resource")


class Declared(BaseModel):
    """Part of a definition: frozen, strict about its fields, and free to name types and functions."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class Arguments(BaseModel):
    """Arguments of a tool, or parameters of a section: frozen, and without undeclared fields.

    The docstring under a field is its description for the model.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Ok(Declared):
    """The call succeeded. Its events are applied, all or none."""

    value: BaseModel | None = None
    text: str = ""
    """Text that the model reads; empty: the value as JSON."""
    events: tuple[BaseModel, ...] = ()
    """Of STATE and LOG slices."""
    plan: Plan | None = None
    """Of a ``workspace-write``: what the loop publishes. The tool's ``published`` says the rest, so a result
    with a plan has nothing else."""
    commit: str = ""
    """Of a change that the owner of the run has published itself."""


class Failed(Declared):
    """A business error: reported to the model, not retried, and without effect."""

    code: str
    message: str
    hint: str = ""
    """Advice on what to do instead."""
    events: tuple[BaseModel, ...] = ()
    """Only those of LOG slices are kept."""


class Stale(Declared):
    """A file that the call depends on has changed since the agent read it; without effect."""

    message: str
    paths: tuple[str, ...] = ()


ToolResult = Ok | Failed | Stale


class ToolContext(Protocol):
    """Context of a handler's call, besides its arguments."""

    @property
    def key(self) -> str:
        """Idempotency key of this call; the same in every attempt."""
        ...

    @property
    def state(self) -> StateView:
        """The state before the call."""
        ...

    def resource(self, protocol: type[Resource]) -> Resource:
        """A binding of the worker; ``NotFound`` without a binding."""
        ...


Handler = Callable[[Any, ToolContext], Awaitable[ToolResult]]  # Any: an instance of the tool's params
Conclusion = Callable[[Any, ToolContext, Published], ToolResult]  # Any: as above
PureHandler = Callable[[Any, StateView], ToolResult]


class ToolExample(Declared):
    """An example call with its result, shown to the model."""

    description: str
    params: BaseModel
    result: BaseModel | None = None


class Tool(Declared):
    """One capability. Declared in a section, and available while that section is open."""

    name: str
    """1–64 of ``a-z0-9_-``."""
    description: str
    """1–1 024 characters."""
    params: type[BaseModel]
    result: type[BaseModel] | None = None
    effect: EffectClass
    handler: Handler | PureHandler
    """A ``PureHandler`` for a pure tool, which runs in the workflow; else a ``Handler``, run by a worker."""
    published: Conclusion | None = None
    """Result of a call after its plan was published, denied or in conflict; None: the paths and the commit.
    Blocking; made of the arguments, the state and the commit, so that every attempt says the same. A
    ``Filesystem`` that the handler used has the files of before; ``WorkspaceDesk.file_at``, those of the
    commit.
    """
    examples: tuple[ToolExample, ...] = ()
    reads: tuple[type[BaseModel], ...] = ()
    """Slices of state that its handler reads; a worker is sent no others."""
    events: tuple[type[BaseModel], ...] = ()
    """Events that its results may bring; each needs a slice of the definition that takes it. A result of a
    tool that writes to the workspace may bring ``FileWritten`` besides."""
    approval: bool | None = None
    """Whether a person must approve each call; None: only if it is external."""
    fatal: bool = False
    """Whether the run ends when the infrastructure of this tool stays unavailable."""

    @property
    def parameters(self) -> dict[str, Any]:  # a JSON schema is open by nature
        """The JSON schema of its arguments; each caller gets a copy."""
        schema: dict[str, Any] = json.loads(self._schema_text)
        return schema

    @cached_property
    def _schema_text(self) -> str:
        return json.dumps(arguments_schema(self.params))


Facts = Mapping[str, str]
"""Expected digests by path; checked when the call runs."""
