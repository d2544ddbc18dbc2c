"""Open the store of the settings. A module of its own, so that commands do not import activities."""

from collections.abc import Callable

from penwright.adapters.clock import SystemClock
from penwright.adapters.store import Store, open_store
from schemas.budgets import PERIODS, Cap, Caps
from workers.home.address import address
from workers.payloads.keys import keys
from workers.settings import CapSettings, Settings

MICROS = 1_000_000


def open_store_of(settings: Settings, *, live_caps: Callable[[], Caps] | None = None) -> Store:
    """Return the store of the engine in ``settings``; it connects on first use.

    ``live_caps``: returns caps that may change while the process runs; by default those of ``settings``.

    Raises:
        EngineUnavailable: the embedded engine is not running.
    """
    return open_store(
        address(settings).database_url,
        clock=SystemClock(),
        caps=live_caps or caps(settings),
        pool_size=max(settings.worker.activities, settings.worker.repo_activities) // 2 + 2,
        keys=keys(settings),
    )


def caps(settings: Settings) -> Caps:
    """Convert the budgets of the settings to the store's units: tokens, millionths of a dollar, calls."""
    budgets = settings.budgets
    return Caps(run=_cap(budgets.run), subject=_cap(budgets.subject), day=_cap(budgets.day))


def counts_dollars(settings: Settings) -> bool:
    """Whether a cap counts dollars: then no model is asked whose price is unknown."""
    budgets = caps(settings)
    return any(budgets.of(period).micros is not None for period in PERIODS)


def _cap(cap: CapSettings) -> Cap:
    micros = None if cap.usd is None else round(cap.usd * MICROS)
    return Cap(tokens=cap.tokens, micros=micros, calls=cap.calls)
