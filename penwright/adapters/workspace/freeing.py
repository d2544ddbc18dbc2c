"""Letting go of files beside the work that replaces or removes them.

The disk takes back the blocks of a file when its last name and its last reader are gone, and whoever takes
the name away waits for that: two milliseconds a file where blocks are discarded at once. A file that is held
open goes when it is closed, which a thread does.
"""

import contextlib
import os
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

_HOLD = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK) | os.O_NOFOLLOW | os.O_CLOEXEC
_THREADS = 4
_MOST = 64
"""Files that are held at once; a worktree of thousands may change."""


@dataclass(slots=True)
class Freeing:
    """The files of one call that are on their way out. Killed, it lets go of all of them."""

    threads: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(_THREADS))
    _going: deque[Future[None]] = field(default_factory=deque)

    @contextlib.contextmanager
    def of(self, *files: Path) -> Iterator[None]:
        """Replace or remove ``files`` inside; those that are not there need not be held."""
        held = [descriptor for file in files if (descriptor := _held(file)) is not None]
        try:
            yield
        finally:
            for descriptor in held:
                self._going.append(self.threads.submit(os.close, descriptor))
            while len(self._going) > _MOST:
                self._going.popleft().result()

    def close(self) -> None:
        """Nobody waits for what is still going."""
        self.threads.shutdown(wait=False)


def _held(file: Path) -> int | None:
    try:
        return os.open(file, _HOLD)
    except OSError:
        return None
