"""Caps on what models may use, read from the settings file and written to it.

The processes that ask models read the file at every call, so that a new cap holds from the next call on.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Final

from tomlkit import TOMLDocument

from gateway.desk.principals import Principal, require_all
from gateway.desk.services import Services
from gateway.desk.settings_file import change_settings, table_in
from penwright.errors import Refused
from schemas.budgets import Cap, Period
from workers.settings import Loaded, file_to_make
from workers.store_opening import MICROS, caps

_MEASURES: Final = {"tokens": "tokens", "usd": "micros", "calls": "calls"}
"""Name in the settings -> name of the field of a cap."""
_WRITING = Lock()


@dataclass(frozen=True, slots=True)
class Budget:
    """The cap of one period."""

    period: Period
    cap: Cap
    revision: str
    """Of its values; a change names it."""


def budget(services: Services, principal: Principal, period: Period) -> Budget:
    """The cap of a run, of a subject or of a day.

    Raises:
        Refused: ``not-permitted``; a caller who is bound to subjects sees their use, not the caps.
    """
    require_all(principal, "read", "the budgets")
    return _read(services.loaded(), period)


def change(services: Services, principal: Principal, period: Period, cap: Cap, *, base: str) -> Budget:
    """Write a cap into the settings file, whose other lines and comments stay as they are.

    Args:
        base: the revision from which the change was made.

    Raises:
        Refused: ``not-permitted``; ``stale-revision``; ``no-settings-file``; ``set-by-environment``, where a
            variable wins over the file; ``settings-not-written``.
    """
    require_all(principal, "admin", "the budgets")
    with _WRITING:
        loaded = services.loaded()
        now = _read(loaded, period)
        if base != now.revision:
            raise Refused(
                "stale-revision", f"the budget of a {period} was changed meanwhile", hint="read it again"
            )
        _write(_file_for(loaded, now, cap), period, cap)
        return _read(services.loaded(), period)


def _read(loaded: Loaded, period: Period) -> Budget:
    cap = caps(loaded.settings).of(period)
    return Budget(period, cap, hashlib.sha256(cap.model_dump_json().encode()).hexdigest()[:16])


def _file_for(loaded: Loaded, now: Budget, cap: Cap) -> Path:
    """The file in which the change takes effect."""
    for name, field in _MEASURES.items():
        source = loaded.origin(f"budgets.{now.period}.{name}")
        if source.layer == "environment" and getattr(cap, field) != getattr(now.cap, field):
            raise Refused(
                "set-by-environment",
                f"{source.where} in the environment sets this cap, and wins over the settings file",
                hint="change the variable where the engine is started, and start it again",
            )
    if loaded.file is None:
        place = str(file_to_make(loaded.environ))
        raise Refused(
            "no-settings-file",
            "this installation has no settings file in which a budget could be kept",
            hint=f"make an empty file {place!r}, or name one in PENWRIGHT_CONFIG, "
            "then run `penwright down` and `penwright up --detach`",
        )
    return loaded.file.resolve()


def _write(file: Path, period: Period, cap: Cap) -> None:
    def change(document: TOMLDocument) -> None:
        table = table_in(table_in(document, "budgets"), period)
        for name, field in _MEASURES.items():
            value = getattr(cap, field)
            if value is None:
                table.pop(name, None)
            else:
                table[name] = value / MICROS if name == "usd" else value

    change_settings(file, change)
