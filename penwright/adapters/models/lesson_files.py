"""Which parameters models rejected: one small file for each in a folder, so that processes need no lock."""

import logging
import os
from hashlib import sha256
from pathlib import Path

from penwright.adapters.models.parameters import NAMES
from schemas.model_catalog import ModelEntry

_log = logging.getLogger(__name__)


class LessonFiles:
    """The lessons of all models of a home. To forget them, delete the folder."""

    def __init__(self, home: Path) -> None:
        self._folder = home / "rejected-parameters"

    def of(self, entry: ModelEntry) -> dict[str, str]:
        """By rejected parameter the name that the model takes; empty: it takes none."""
        place = self._place(entry)
        try:
            return {name: (place / name).read_text() for name in NAMES if (place / name).exists()}
        except (OSError, ValueError) as error:
            _log.warning("Cannot read what model %r rejected, so it is asked anew: %s", entry.name, error)
            return {}

    def keep(self, entry: ModelEntry, rejected: str, taken: str) -> None:
        """Keep that a model takes ``taken`` for ``rejected``; several processes may learn the same."""
        place = self._place(entry)
        beside = place / f".{rejected}.{os.getpid()}"
        try:
            place.mkdir(parents=True, exist_ok=True)
            beside.write_text(taken)
            os.replace(beside, place / rejected)
        except OSError as error:
            _log.warning("Cannot keep what model %r rejected: %s", entry.name, error)

    def _place(self, entry: ModelEntry) -> Path:
        """A folder for each model and server; another alias of the same has learned the same."""
        where = entry.file or entry.api_base  # the address of a file's server is new at each start
        return self._folder / sha256(f"{entry.model} {where}".encode()).hexdigest()[:24]
