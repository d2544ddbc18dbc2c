"""An engine of its own for a benchmark: the servers of ``penwright up``, in a home that is thrown away."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from temporalio.client import Client
from temporalio.plugin import SimplePlugin
from temporalio.worker import Interceptor

from penwright.adapters.store import Store
from tests.support.engine.home import EngineHome, engine_home
from workers import store_opening as shelving
from workers.client import connect
from workers.home.address import address
from workers.processes.worker import blobs_of
from workers.settings import Loaded
from workers.temporal_plugin import PLUGIN


@dataclass(frozen=True)
class BenchEngine:
    """A running engine."""

    home: EngineHome

    @property
    def loaded(self) -> Loaded:
        return self.home.loaded

    def store(self) -> Store:
        """Its PostgreSQL, as a worker opens it."""
        return shelving.open_store_of(self.loaded.settings)

    async def client(self) -> Client:
        """A client as our processes make it."""
        settings = self.loaded.settings
        return await connect(settings, blobs=blobs_of(settings), plugins=[PLUGIN])

    async def bare_client(self) -> Client:
        """A client without anything of ours."""
        found = address(self.loaded.settings).temporal
        assert found is not None
        return await bare_client(found)


async def bare_client(temporal: str, namespace: str = "default") -> Client:
    """A client of that address without anything of ours."""
    return await Client.connect(temporal, namespace=namespace)


@contextmanager
def running_engine(**environ: str) -> Iterator[BenchEngine]:
    """``penwright up --detach`` in a temporary home on free ports; everything is gone afterwards."""
    home = engine_home(**environ)
    try:
        started = home.cli("up", "--detach")
        if started.returncode:
            raise RuntimeError(f"the engine did not start: {started.stderr}")
        yield BenchEngine(home)
    finally:
        home.remove()


def innermost(client: Client, interceptor: Interceptor) -> Client:
    """``client``, with a worker interceptor after those of our plugin, next to the activities."""
    config = client.config()
    config["plugins"] = [*config["plugins"], SimplePlugin("bench", interceptors=[interceptor])]
    return Client(**config)
