"""Connections of commands to the engine."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from temporalio.client import Client

    from penwright.ports.blobs import Blobs
    from workers.settings import Settings


def running(settings: "Settings") -> "Settings":
    """The settings, if they name an engine that runs; checked before Temporal's client is loaded.

    Raises:
        EngineUnavailable: nothing runs.
    """
    from workers.home.address import address

    if settings.embeds_temporal:
        address(settings)
    return settings


async def client(settings: "Settings") -> "Client":
    """A connection to the engine that ``settings`` name."""
    from temporalio.runtime import Runtime, TelemetryConfig

    from gateway.desk.engine.temporal.free_space import RequireFreeSpace
    from workers.client import connect

    def blobs() -> "Blobs":
        from workers.store_opening import open_store_of  # half a second that few commands need

        return open_store_of(settings).blobs

    # The client's own warnings would be printed into the progress line; our errors say the same in words.
    quiet = Runtime(telemetry=TelemetryConfig(logging=None))
    return await connect(settings, blobs=blobs, interceptors=[RequireFreeSpace(settings)], runtime=quiet)
