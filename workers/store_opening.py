"""Opening the store that the settings mean. Commands load this much, and no activity."""

from collections.abc import Callable

from penwright.adapters.clock import SystemClock
from penwright.adapters.store import Cap, Caps, Store, open_store
from penwright.ports import Blobs
from workers.engine.address import address
from workers.settings import CapSettings, Settings

MICROS = 1_000_000


def open_store_of(settings: Settings, *, live_caps: Callable[[], Caps] | None = None) -> Store:
    """The store of the engine that ``settings`` mean; it connects when it is first used.

    ``live_caps``: caps that may change while the process runs; otherwise those of ``settings``.

    Raises:
        EngineUnavailable: the engine is an embedded one, and it does not run.
    """
    return open_store(
        address(settings).database_url,
        clock=SystemClock(),
        caps=live_caps or caps(settings),
        pool_size=max(settings.worker.activities, settings.worker.repo_activities) // 2 + 2,
    )


def blobs_of(settings: Settings) -> Callable[[], Blobs]:
    """Where a client keeps large payloads; opened only if there is one."""
    return lambda: open_store_of(settings).blobs


def caps(settings: Settings) -> Caps:
    """The budgets, in the store's units."""
    budgets = settings.budgets
    return Caps(run=_cap(budgets.run), subject=_cap(budgets.subject), day=_cap(budgets.day))


def _cap(cap: CapSettings) -> Cap:
    micros = None if cap.usd is None else round(cap.usd * MICROS)
    return Cap(tokens=cap.tokens, micros=micros, calls=cap.calls)
