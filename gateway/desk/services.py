"""The services that the desk works with: repositories, the store, the engine. Tests bring their own."""

import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
    nullcontext,
)
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

from gateway.desk.engine.connecting import client, running

if TYPE_CHECKING:
    from temporalio.client import Client

    from gateway.desk.disclosure import Disclosure
    from gateway.desk.engine.agent_runs import AgentRuns
    from gateway.desk.engine.audits import Audits
    from gateway.desk.engine.manuscripts import Editors, Manuscripts, SceneApprovals
    from gateway.desk.engine.pipelines import Pipelines, Schedules
    from gateway.desk.engine.rounds import Rounds
    from gateway.desk.engine.scans import Scans
    from gateway.desk.engine.side_runs import SideRuns
    from gateway.desk.engine.trials import Trials
    from penwright.domain.trace.source import TraceAnchors
    from penwright.ports.agents import AgentLogs, AgentStates, MessageChains, OverrideFiles
    from penwright.ports.blobs import Blobs
    from penwright.ports.documents import Documents
    from penwright.ports.drafts import Drafts
    from penwright.ports.models import ModelLedger
    from penwright.ports.records import EventFeed, Records
    from penwright.ports.scenes import DeltaFeed, Memories, Scenes, Worlds
    from penwright.ports.web import Credentials, KeptAnswers
    from penwright.ports.workspaces import Workspaces
    from schemas.budgets import Caps
    from schemas.continuity import ContinuityInput, ContinuityResult
    from schemas.planning import PlanningInput, PlanningResult
    from schemas.records import WorkspaceKind
    from workers.engine.doctor import Finding
    from workers.settings import Loaded, Settings

Waiting = Callable[[], AbstractContextManager[None]]
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
    def drafts(self) -> "Drafts": ...

    @property
    def feed(self) -> "EventFeed": ...

    @property
    def ledger(self) -> "ModelLedger": ...

    @property
    def credentials(self) -> "Credentials": ...

    @property
    def answers(self) -> "KeptAnswers": ...


@dataclass(frozen=True, slots=True)
class Engine:
    """A connection to the running engine."""

    pipelines: "Pipelines"
    schedules: "Schedules"
    readings: "SideRuns[ContinuityInput, ContinuityResult]"
    plannings: "SideRuns[PlanningInput, PlanningResult]"


@dataclass(frozen=True, slots=True)
class ManuscriptEngine:
    """A connection to the running engine, for manuscripts."""

    runs: "Manuscripts"
    scans: "Scans"
    audits: "Audits"
    approvals: "SceneApprovals"


class Services(Protocol):
    """Everything outside the desk itself."""

    def defaults(self) -> PipelineDefaults: ...

    def workspaces(self, kind: "WorkspaceKind" = "book") -> "Workspaces":
        """The repositories of one kind of work."""
        ...

    def documents(self) -> "Documents": ...

    def open_store(self) -> AbstractContextManager[CommandStore]:
        """``EngineUnavailable`` or ``StoreUnavailable`` when nothing runs."""
        ...

    def engine(self) -> AbstractAsyncContextManager[Engine]:
        """``EngineUnavailable`` when nothing runs."""
        ...

    def manuscripts(self) -> AbstractAsyncContextManager[ManuscriptEngine]:
        """``EngineUnavailable`` when nothing runs."""
        ...

    def editors(self) -> "AbstractAsyncContextManager[Editors]":
        """``EngineUnavailable`` when nothing runs."""
        ...

    def scenes(self) -> "AbstractAsyncContextManager[Rounds]":
        """``EngineUnavailable`` when nothing runs."""
        ...

    def deltas(self) -> "AbstractAsyncContextManager[DeltaFeed]":
        """Replies as they are written; ``EngineUnavailable`` or ``StoreUnavailable`` when nothing runs."""
        ...

    def agent_runs(self) -> "AbstractAsyncContextManager[AgentRuns]":
        """``EngineUnavailable`` when nothing runs."""
        ...

    def trials(self) -> "AbstractAsyncContextManager[Trials]":
        """``EngineUnavailable`` when nothing runs."""
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


class InstalledServices:
    """The services of this installation, opened on use.

    ``environ`` replaces the environment of this process.
    """

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        self._environ = environ

    def defaults(self) -> PipelineDefaults:
        # Imported here, as all of the workers: it reads the settings.
        from workers.embedding import embeddings_model

        loaded = self.loaded()
        settings = loaded.settings
        return PipelineDefaults(
            repo_queue=settings.repo_queue,
            model_queue=settings.worker.model_queue,
            branch=settings.books.branch,
            remote=settings.books.remote,
            environment=loaded.environ,
            drafts=settings.home / "drafts",
            works=settings.web.works_folder or settings.home / "works",
            memory_model=embeddings_model(settings),
            image_model=settings.images,
        )

    def workspaces(self, kind: "WorkspaceKind" = "book") -> "Workspaces":
        from importlib.metadata import version

        from penwright.adapters.clock import SystemClock
        from penwright.adapters.workspace import GitWorkspaces
        from penwright.domain.intents.gate import IntentGate
        from penwright.domain.profiles import profile_of
        from penwright.domain.trace.recorder.recording import LedgerRecorder

        loaded, profile = self.loaded(), profile_of(kind)
        return GitWorkspaces(
            clock=SystemClock(),
            gate=IntentGate(profile),
            recorder=LedgerRecorder(version("penwright"), profile),
            profile=profile,
            lock_wait_s=loaded.settings.books.lock_wait_s,
            environment=loaded.environ,
        )

    def documents(self) -> "Documents":
        from penwright.adapters.documents import PandocDocuments

        return PandocDocuments()

    @contextmanager
    def open_store(self) -> Iterator[CommandStore]:
        from workers.home.address import address

        settings = self.loaded().settings
        address(settings)  # fails before the database's client is loaded if nothing runs

        from workers.store_opening import open_store_of

        store = open_store_of(settings)
        try:
            yield store
        finally:
            store.close()

    @asynccontextmanager
    async def engine(self) -> AsyncIterator[Engine]:
        settings = running(self.loaded().settings)

        from gateway.desk.engine.temporal.pipelines import TemporalPipelines
        from gateway.desk.engine.temporal.schedules import TemporalSchedules
        from gateway.desk.engine.temporal.side_runs import plannings, readings

        connected = await self._client(settings)
        yield Engine(
            pipelines=TemporalPipelines(connected, settings.worker.queue),
            schedules=TemporalSchedules(connected, settings.worker.queue),
            readings=readings(connected, settings.worker.queue),
            plannings=plannings(connected, settings.worker.queue),
        )

    @asynccontextmanager
    async def manuscripts(self) -> AsyncIterator[ManuscriptEngine]:
        settings = running(self.loaded().settings)

        from gateway.desk.engine.temporal.citation_audits import TemporalAudits
        from gateway.desk.engine.temporal.citations import TemporalScans
        from gateway.desk.engine.temporal.manuscripts import TemporalManuscripts
        from gateway.desk.engine.temporal.scene_approvals import TemporalSceneApprovals

        connected = await self._client(settings)
        yield ManuscriptEngine(
            runs=TemporalManuscripts(connected, settings.worker.queue),
            approvals=TemporalSceneApprovals(connected),
            scans=TemporalScans(connected, settings.worker.queue),
            audits=TemporalAudits(connected, settings.worker.queue),
        )

    @asynccontextmanager
    async def editors(self) -> "AsyncIterator[Editors]":
        settings = running(self.loaded().settings)

        from gateway.desk.engine.temporal.editing import TemporalEditors

        yield TemporalEditors(await self._client(settings), settings.worker.queue)

    @asynccontextmanager
    async def scenes(self) -> "AsyncIterator[Rounds]":
        settings = running(self.loaded().settings)

        from gateway.desk.engine.temporal.scenes import TemporalRounds

        yield TemporalRounds(await self._client(settings), settings.worker.queue, settings.worker.model_queue)

    @asynccontextmanager
    async def deltas(self) -> "AsyncIterator[DeltaFeed]":
        settings = running(self.loaded().settings)

        from penwright.adapters.store.deltas import PostgresDeltas
        from workers.store_opening import open_store_of

        store = open_store_of(settings)
        try:
            yield PostgresDeltas(store.database)
        finally:
            store.close()

    @asynccontextmanager
    async def agent_runs(self) -> "AsyncIterator[AgentRuns]":
        settings = running(self.loaded().settings)

        from gateway.desk.engine.temporal.agent_runs import TemporalAgentRuns

        yield TemporalAgentRuns(await self._client(settings), settings.worker.queue)

    @asynccontextmanager
    async def trials(self) -> "AsyncIterator[Trials]":
        settings = running(self.loaded().settings)

        from gateway.desk.engine.temporal.model_trials import TemporalTrials

        yield TemporalTrials(await self._client(settings), settings.worker.queue)

    def register_agents(self) -> None:
        from workers.agents import register_agents

        loaded = self.loaded()
        register_agents(loaded.settings, file=loaded.file)

    def overrides(self) -> "OverrideFiles":
        from penwright.adapters.overrides import JsonOverrideFiles
        from workers.agents import overrides_folder

        return JsonOverrideFiles(overrides_folder(self.loaded().settings))

    def disclosure(self) -> "Disclosure":
        from gateway.desk.disclosure import disclosure

        return disclosure(self.loaded())

    def engine_status(self) -> "Mapping[str, Any]":
        from workers.engine.status import status

        return status(self.loaded())

    def loaded(self) -> "Loaded":
        from workers.settings import load

        return load(self._environ)

    def caps(self) -> "Caps":
        from workers.store_opening import caps

        return caps(self.loaded().settings)

    def examination(self) -> "Sequence[Finding]":
        from workers.engine.doctor import examine

        return examine(self.loaded())

    def incoming(self) -> BinaryIO | None:
        return None if sys.stdin.isatty() else sys.stdin.buffer

    def now(self) -> datetime:
        return datetime.now(UTC)

    def person(self) -> str:
        import os
        import pwd

        # Not from the environment, which could name another user.
        try:
            return pwd.getpwuid(os.getuid()).pw_name
        except KeyError:
            return f"uid-{os.getuid()}"

    def web_address(self, waiting: Waiting = nullcontext) -> str:
        from workers.home.address import web_address

        return web_address(self.loaded().settings, waiting)

    async def _client(self, settings: "Settings") -> "Client":
        """A connection to the engine that ``settings`` name."""
        return await client(settings)
