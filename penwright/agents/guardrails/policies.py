"""Policies that any agent may use."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

from pydantic import BaseModel, Field, model_validator

from penwright.agents.files.paths import canonical
from penwright.agents.guardrails.guardrail import Allow, Call, Deny, Policy, Verdict
from penwright.agents.guardrails.known_files import ABSENT, known_digest
from penwright.agents.guardrails.selected_intent import SelectedIntent
from penwright.agents.state import Event, Reducer, SliceItem, StateView, one_per
from penwright.errors import BrokenDefinition
from schemas.agent import CallOutcome


class ToolSucceeded(SliceItem):
    """A tool that others wait for has succeeded."""

    event_name: ClassVar[str] = "penwright.tool-succeeded"

    tool: str

    @classmethod
    def reducers(cls) -> Mapping[type[Event], Reducer]:
        return {cls: one_per("tool")}


class SequentialDependency(Policy):
    """Allow tools only after others have succeeded; their place in the definition does not matter."""

    name: str = "sequential-dependency"
    memory: ClassVar[tuple[type[SliceItem], ...]] = (ToolSucceeded,)
    needs: Mapping[str, tuple[str, ...]]
    """By tool: all the tools that must have succeeded earlier in the run."""

    @model_validator(mode="after")
    def _opens(self) -> Self:
        for tool in self.needs:
            if tool in self._before(tool):
                raise BrokenDefinition(
                    "policy-never-opens",
                    f"policy {self.name!r} lets {tool!r} wait for itself; take it out of what it needs",
                    tool=tool,
                )
        return self

    @property
    def tools(self) -> frozenset[str]:
        return frozenset(self.needs).union(*self.needs.values())

    def check(self, call: Call, state: StateView) -> Verdict:
        done = {one.tool for one in state.all(ToolSucceeded)}
        missing = [tool for tool in self.needs.get(call.tool.name, ()) if tool not in done]
        if not missing:
            return Allow()
        named = " and ".join(map(repr, missing))
        return Deny(
            code="dependency-missing",
            reason=f"{call.tool.name!r} may be called once {named} succeeded. Call {named} first.",
        )

    def learned(self, call: Call, outcome: CallOutcome, state: StateView) -> Sequence[BaseModel]:
        awaited = any(call.tool.name in needed for needed in self.needs.values())
        return (ToolSucceeded(tool=call.tool.name),) if awaited and outcome.kind == "succeeded" else ()

    def _before(self, tool: str) -> set[str]:
        """The transitive dependencies of ``tool``."""
        found: set[str] = set()
        waiting = list(self.needs.get(tool, ()))
        while waiting:
            one = waiting.pop()
            if one not in found:
                found.add(one)
                waiting += self.needs.get(one, ())
        return found


class FileRead(SliceItem):
    """A file the model knows, as it read or wrote it."""

    event_name: ClassVar[str] = "penwright.file-read"

    path: str
    digest: str

    @classmethod
    def reducers(cls) -> Mapping[type[Event], Reducer]:
        return {cls: one_per("path")}


class ReadBeforeWrite(Policy):
    """Deny replacing a file that was not read, or that changed since.

    It allows a write on a condition that is checked when the call runs: the file has the digest that the
    model last read or wrote, or does not exist if it never did. It learns digests from the events that
    tools return, ``FileSeen`` and ``FileWritten``. Undetermined means denied.
    """

    name: str = "read-before-write"
    memory: ClassVar[tuple[type[SliceItem], ...]] = (FileRead,)
    read: tuple[str, ...]
    """Tools that show whole files."""
    write: tuple[str, ...]
    """Tools that create, replace or remove files."""
    paths: tuple[str, ...] = Field(default=("path",), min_length=1)
    """Parameters of all these tools that hold a path, or several; a tool need not have them all."""

    @property
    def tools(self) -> frozenset[str]:
        return frozenset(self.read + self.write)

    def check(self, call: Call, state: StateView) -> Verdict:
        if call.tool.name not in self.write:
            return Allow()
        found = self._named(call)
        if not found or None in found:
            return Deny(
                code="path-unclear",
                reason=f"It is unknown which file {call.tool.name!r} would write. "
                "Give plain paths relative to the workspace.",
            )
        known = {one.path: one.digest for one in state.all(FileRead)}
        return Allow(facts={path: known.get(path, ABSENT) for path in found if path is not None})

    def learned(self, call: Call, outcome: CallOutcome, state: StateView) -> Sequence[BaseModel]:
        if outcome.kind != "succeeded" or call.tool.name not in self.tools:
            return ()
        seen = ((path, known_digest(state, path)) for path in self._named(call) if path is not None)
        return tuple(FileRead(path=path, digest=digest) for path, digest in seen if digest is not None)

    def _named(self, call: Call) -> tuple[str | None, ...]:
        """The files a call names, each in its one spelling; None for one that names nothing."""
        values = [getattr(call.params, name, None) for name in self.paths]
        each = [one for value in values if value is not None for one in _several(value)]
        return tuple(canonical(one) if isinstance(one, str) else None for one in each)


class IntentSelected(Policy):
    """Nothing is written before the model said what for, and nobody is asked to allow it."""

    name: str = "intent-selected"
    everywhere: ClassVar[bool] = True
    select: str = "select_active_intent"
    """The tool that selects one; its answer brings a ``SelectedIntent``."""
    gated: tuple[str, ...] | None = None
    """Tools that must wait; None: all that write to the workspace."""

    @property
    def tools(self) -> frozenset[str]:
        return frozenset((self.select, *(self.gated or ())))

    def check(self, call: Call, state: StateView) -> Verdict:
        waits = call.tool.effect == "workspace-write" if self.gated is None else call.tool.name in self.gated
        if not waits or call.tool.name == self.select or state.latest(SelectedIntent) is not None:
            return Allow()
        return Deny(
            code="intent-not-selected",
            reason=f"No intent is selected, so {call.tool.name!r} may change nothing. "
            f"Call {self.select!r} with the intent you work for, then call again.",
        )


def _several(value: object) -> Sequence[object]:
    return value if isinstance(value, list | tuple) else (value,)
