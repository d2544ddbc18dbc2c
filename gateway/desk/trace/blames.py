"""Authors of each block of a file, worked out once for each state of the file's work."""

from dataclasses import dataclass, field
from threading import Lock

from cachetools import LRUCache

from gateway.desk.services import Services
from gateway.desk.trace import traces
from penwright.domain.trace.reports.blame import Blame, blame

_KEPT = 16_000_000
"""Characters of text whose authors are kept at most."""

Key = tuple[str, str, str]
"""Folder of the work, tip of its branch, path."""


def _size(found: Blame) -> int:
    return 1 + sum(len(each.block.text) for each in found.blocks)


def _cache() -> "LRUCache[Key, Blame]":
    return LRUCache(_KEPT, getsizeof=_size)


@dataclass(frozen=True)
class BlameDesk:
    """Authors of texts; one for each process, since it keeps what was asked for last."""

    services: Services
    _kept: "LRUCache[Key, Blame]" = field(default_factory=_cache)
    _lock: Lock = field(default_factory=Lock)

    def blame(self, folder: str, path: str) -> Blame:
        """Find the author of each block of ``path`` in the work at ``folder``, at the tip of its branch.

        Raises:
            NotFound: ``no-such-text``.
        """
        # Under the lock: a second caller of the same meanwhile shall not read the whole trace as well.
        with self._lock, traces.opened(self.services, folder) as (source, _):
            key = folder, str(source.tip), traces.known_text(source, path)
            found = self._kept.get(key) or blame(source, path)
            if _size(found) < _KEPT:
                self._kept[key] = found
            return found
