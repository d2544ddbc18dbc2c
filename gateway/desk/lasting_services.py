"""Services for a process that answers many requests: one store and one client instead of one per call."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

from gateway.desk.engine.connecting import client
from gateway.desk.services import CommandStore, InstalledServices

if TYPE_CHECKING:
    from temporalio.client import Client

    from penwright.adapters.store import Store
    from workers.settings import Settings


class LastingServices(InstalledServices):
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
