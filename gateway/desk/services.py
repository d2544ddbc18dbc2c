"""The services that the desk works with: repositories, the store, the engine. Tests bring their own."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

from gateway.desk.engine.connection import Engine

if TYPE_CHECKING:
    from gateway.desk.disclosure import Disclosure
    from penwright.adapters.library import OwnSources
    from penwright.domain.trace.source import TraceAnchors
    from penwright.ports.agents import AgentLogs, AgentStates, MessageChains, OverrideFiles
    from penwright.ports.blobs import Blobs
    from penwright.ports.documents import Documents
    from penwright.ports.drafts import Drafts
    from penwright.ports.history import History
    from penwright.ports.library import PassageIndex
    from penwright.ports.models import ModelLedger
    from penwright.ports.records import EventFeed, Records
    from penwright.ports.scenes import DeltaFeed, Memories, Scenes, Worlds
    from penwright.ports.seats import Seats
    from penwright.ports.web import Credentials, KeptAnswers
    from penwright.ports.workspaces import Workspaces
    from schemas.budgets import Caps
    from schemas.records import WorkspaceKind
    from workers.engine.doctor import Finding
    from workers.settings import Loaded

Waiting = Callable[[], AbstractContextManager[object]]
"""Makes what is entered while something is waited for."""


@dataclass(frozen=True, slots=True)
class PipelineDefaults:
    """Names that every order to a pipeline carries."""

    repo_queue: str
    model_queue: str
    branch: str
    remote: str
    environment: Mapping[str, str]
    """The process environment; git sees what it may of it, and an editor is named in it."""
    drafts: Path = Path("drafts")
    """Folder of what a person typed and what is not stored yet."""
    works: Path = Path("works")
    """Folder of new works for callers who name none."""
    memory_model: str = ""
    """Under which name vectors of memories are stored; empty: none are made."""
    image_model: str = ""
    """The model that makes pictures; empty: none is set."""


class CommandStore(Protocol):
    """The parts of the store that commands use."""

    def together(self) -> AbstractContextManager[None]:
        """Have all changes of the caller be one transaction: all or none."""
        ...

    @property
    def blobs(self) -> "Blobs": ...

    @property
    def records(self) -> "Records": ...

    @property
    def messages(self) -> "MessageChains": ...

    @property
    def trace(self) -> "TraceAnchors": ...

    @property
    def agent_states(self) -> "AgentStates": ...

    @property
    def agent_logs(self) -> "AgentLogs": ...

    @property
    def worlds(self) -> "Worlds": ...

    @property
    def scenes(self) -> "Scenes": ...

    @property
    def memories(self) -> "Memories": ...

    @property
    def seats(self) -> "Seats": ...

    @property
    def passages(self) -> "PassageIndex": ...

    @property
    def drafts(self) -> "Drafts": ...

    @property
    def feed(self) -> "EventFeed": ...

    @property
    def ledger(self) -> "ModelLedger": ...

    @property
    def credentials(self) -> "Credentials": ...

    @property
    def answers(self) -> "KeptAnswers": ...


class Services(Protocol):
    """Everything outside the desk itself."""

    def defaults(self) -> PipelineDefaults: ...

    def workspaces(self, kind: "WorkspaceKind" = "book") -> "Workspaces":
        """The repositories of one kind of work."""
        ...

    def history(self) -> "History":
        """The commits of works of every kind."""
        ...

    def documents(self) -> "Documents": ...

    def library(self, store: CommandStore) -> "OwnSources":
        """The sources of one's own of novels."""
        ...

    def open_store(self) -> AbstractContextManager[CommandStore]:
        """``EngineUnavailable`` or ``StoreUnavailable`` when nothing runs."""
        ...

    def engine(self) -> AbstractAsyncContextManager[Engine]:
        """``EngineUnavailable`` when nothing runs."""
        ...

    def deltas(self) -> "AbstractAsyncContextManager[DeltaFeed]":
        """Replies as they are written; ``EngineUnavailable`` or ``StoreUnavailable`` when nothing runs."""
        ...

    def register_agents(self) -> None:
        """Register the agents of this installation; the built-in ones always are."""
        ...

    def overrides(self) -> "OverrideFiles":
        """The sets of overrides of this installation."""
        ...

    def disclosure(self) -> "Disclosure":
        """Settings of this installation that may be disclosed, and its secrets."""
        ...

    def engine_status(self) -> "Mapping[str, Any]":
        """Output of `penwright status --json`. Any: JSON."""
        ...

    def loaded(self) -> "Loaded":
        """The settings in effect.

        Raises:
            UsageMistake: they cannot be read, or are invalid.
        """
        ...

    def caps(self) -> "Caps":
        """The caps on what models may use."""
        ...

    def examination(self) -> "Sequence[Finding]":
        """Findings of `penwright doctor`."""
        ...

    def incoming(self) -> BinaryIO | None:
        """Standard input, or None when it is a terminal."""
        ...

    def now(self) -> datetime: ...

    def person(self) -> str:
        """The user of the operating system who gives the command."""
        ...

    def web_address(self, waiting: Waiting = nullcontext) -> str:
        """Address of the workspace, such as ``http://127.0.0.1:7280``; waits while it starts.

        Args:
            waiting: entered while it waits, if it has to.

        Raises:
            EngineUnavailable: no engine runs, or ``web-not-running``: it runs without the workspace.
        """
        ...
