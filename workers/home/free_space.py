"""The free space below which no session begins."""

import shutil
from pathlib import Path

from workers.settings import Settings

MEGABYTE = 1_000_000


def enough(settings: Settings) -> bool:
    """Whether the disk of the data directory has the free space that the settings ask for."""
    return _free(settings.home) >= settings.engine.least_free_mb * MEGABYTE


def message(settings: Settings) -> str:
    """Say how much is free, and what waits for it."""
    free_mb, least_mb = _free(settings.home) // MEGABYTE, settings.engine.least_free_mb
    return f"{free_mb} MB are free and {least_mb} are wanted: no session begins until there is space again"


def _free(folder: Path) -> int:
    existing = next(one for one in (folder, *folder.parents) if one.exists())
    return shutil.disk_usage(existing).free
