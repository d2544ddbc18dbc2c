"""The repository's lock, and removal of lock files that killed processes left."""

import contextlib
import fcntl
import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from penwright.adapters.workspace.git.layout import Layout
from penwright.errors import WorkspaceBusy

_PAUSE_S = 0.02
_LOCKLESS = frozenset({b"cat-file", b"hash-object", b"mktree"})
_YOUNG_S = 0.5
"""A git lock younger than this may belong to a process we cannot see, such as one in another container."""


@contextlib.contextmanager
def held(layout: Layout, branch: str, *, wait_s: float) -> Iterator[int]:
    """Lock the repository until its last user ends; yields the descriptor that children inherit."""
    folder = layout.common_dir / "penwright"
    folder.mkdir(exist_ok=True)
    deadline = time.monotonic() + wait_s
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        _take(descriptor, layout.top, deadline)
        clear_stale(layout, _locks(layout, branch), wait_s=max(deadline - time.monotonic(), 0))
        yield descriptor
    finally:
        os.close(descriptor)


def _take(descriptor: int, top: Path, deadline: float) -> None:
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise _busy(top, "another process is publishing there") from None
            time.sleep(_PAUSE_S)
        else:
            return


def clear_stale(layout: Layout, locks: Iterable[Path], *, wait_s: float) -> None:
    """Remove git's lock files whose owners are gone; wait for those that live."""
    deadline = time.monotonic() + wait_s
    for path in locks:
        while (age := _age_s(path)) is not None:
            if age > _YOUNG_S and not _git_runs_in(layout, path):
                path.unlink(missing_ok=True)
            elif time.monotonic() >= deadline:
                raise _busy(layout.top, f"git holds {path.name!r}")
            else:
                time.sleep(_PAUSE_S)


def _locks(layout: Layout, branch: str) -> list[Path]:
    """Lock files that block every publish; a tag's lock shows when its ref moves."""
    own = [layout.git_dir / name for name in ("HEAD.lock", "index.lock")]
    return [*own, layout.common_dir / "packed-refs.lock", layout.common_dir / f"refs/heads/{branch}.lock"]


def _age_s(path: Path) -> float | None:
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return None


def _git_runs_in(layout: Layout, lock: Path) -> bool:
    """Whether a git runs in this repository; where processes cannot be listed, the lock's age decides."""
    processes = Path("/proc")
    if not (processes / "self" / "cwd").exists():
        return (_age_s(lock) or 0) < 60
    places = (layout.top.resolve(), layout.git_dir.resolve(), layout.common_dir.resolve())
    for process in processes.iterdir():
        if process.name.isdigit():
            with contextlib.suppress(OSError):
                # Our own readers and writers of objects run there as well; they never lock anything.
                words = (process / "cmdline").read_bytes().split(b"\0")
                if _LOCKLESS.isdisjoint(words) and (process / "comm").read_text().startswith("git"):
                    cwd = Path(os.readlink(process / "cwd"))
                    if any(cwd == place or place in cwd.parents for place in places):
                        return True
    return False


def _busy(top: Path, why: str) -> WorkspaceBusy:
    return WorkspaceBusy(
        "workspace-busy", f"{str(top)!r} is in use: {why}; try again in a moment", path=str(top)
    )
