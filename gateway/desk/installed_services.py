"""The services of this installation, opened on use, or once for a process that answers many requests."""

import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, nullcontext
from datetime import UTC, datetime
from threading import Lock
from typing import TYPE_CHECKING, Any, BinaryIO

from gateway.desk.engine.connecting import client, running
from gateway.desk.engine.connection import Engine
from gateway.desk.services import CommandStore, PipelineDefaults, Waiting

if TYPE_CHECKING:
    from temporalio.client import Client

    from gateway.desk.disclosure import Disclosure
    from penwright.adapters.library import OwnSources
    from penwright.adapters.store import Store
    from penwright.ports.agents import OverrideFiles
    from penwright.ports.documents import Documents
    from penwright.ports.history import History
    from penwright.ports.scenes import DeltaFeed
    from penwright.ports.workspaces import Workspaces
    from schemas.budgets import Caps
    from schemas.records import WorkspaceKind
    from workers.engine.doctor import Finding
    from workers.settings import Loaded, Settings


class InstalledServices:
    """The services of this installation, opened on use.

    ``environ`` replaces the environment of this process.
    """

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        self._environ = environ
        self._loaded: Loaded | None = None

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

    def history(self) -> "History":
        from penwright.adapters.workspace.history import GitHistory

        return GitHistory(self.loaded().environ)

    def documents(self) -> "Documents":
        from penwright.adapters.documents import PandocDocuments

        return PandocDocuments()

    def library(self, store: CommandStore) -> "OwnSources":
        from workers.source_library import source_library

        return source_library(self.loaded().settings, self.workspaces("novel"), store)

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
        queues = settings.worker.queue, settings.worker.model_queue

        from gateway.desk.engine.temporal.engine import TemporalEngine

        yield TemporalEngine(await self._client(settings), *queues)

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
        from workers.settings import reload

        self._loaded = reload(self._loaded, self._environ)
        return self._loaded

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


class PooledServices(InstalledServices):
    """The services of this installation; the store and the client stay open until ``close``."""

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        super().__init__(environ)
        self._lock = Lock()
        self._store: Store | None = None
        self._connected: Client | None = None

    @contextmanager
    def open_store(self) -> Iterator[CommandStore]:
        yield self.store()

    def store(self) -> "Store":
        """The store, opened at the first call; ``EngineUnavailable`` when nothing runs."""
        from workers.store_opening import open_store_of

        with self._lock:
            if self._store is None:
                self._store = open_store_of(self.loaded().settings)
            return self._store

    async def _client(self, settings: "Settings") -> "Client":
        # Once connected, a client serves every thread and loop, and finds its server again by itself.
        if self._connected is None:
            connected = await client(settings)
            with self._lock:
                self._connected = self._connected or connected
        return self._connected

    def close(self) -> None:
        """Close the store and drop the client. Idempotent."""
        with self._lock:
            self._connected = None
            if self._store is not None:
                self._store.close()
                self._store = None
