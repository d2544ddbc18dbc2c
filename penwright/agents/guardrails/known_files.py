"""The files that a run has read or written, with their digests."""

from collections.abc import Mapping
from typing import ClassVar, Final

from penwright.agents.files.paths import canonical
from penwright.agents.guardrails.guardrail import Trajectory
from penwright.agents.state import Event, Op, Reducer, SliceItem, StateView, put

ABSENT: Final = ""
"""Digest of a missing file."""
_OF_NOTHING: Final = frozenset(
    {
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",  # SHA-256
        "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",  # a git blob
        "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",  # a git blob by SHA-256
    }
)


class FileSeen(Event):
    """A tool showed a file to the model, or found it missing."""

    event_name: ClassVar[str] = "penwright.file-seen"

    path: str
    digest: str
    """Of the whole content; ``ABSENT`` if the file is missing."""


class FileWritten(Event):
    """A tool created, changed or removed a file."""

    event_name: ClassVar[str] = "penwright.file-written"

    path: str
    digest: str
    """Of the whole content it has now; ``ABSENT`` if it was removed."""


class KnownFile(SliceItem):
    """The newest known digest of a file."""

    event_name: ClassVar[str] = "penwright.known-files"

    path: str
    """Canonical."""
    digest: str
    written: bool = False
    """Whether this run ever wrote it."""

    @classmethod
    def reducers(cls) -> Mapping[type[Event], Reducer]:
        return {FileSeen: _seen, FileWritten: _written}


def known_digest(state: StateView, path: str) -> str | None:
    """The digest of a file when the run last read or wrote it; None if it never did."""
    found = _known(state, path)
    return found.digest if found else None


def files_made(trajectory: Trajectory, state: StateView) -> Mapping[str, str]:
    """Digest by path of the files that the run wrote and that still exist."""
    reported = {canonical(path) or path: digest for path, digest in trajectory.files.items()}
    kept = {file.path: file.digest for file in state.all(KnownFile) if file.written}
    return {path: digest for path, digest in (reported | kept).items() if digest != ABSENT}


def is_filled(digest: str) -> bool:
    """Whether the file exists and is not empty."""
    return digest != ABSENT and digest.removeprefix("sha256:") not in _OF_NOTHING


def _seen(state: StateView, event: FileSeen) -> Op[KnownFile]:
    before = _known(state, event.path)
    return _put(state, event, written=before is not None and before.written)


def _written(state: StateView, event: FileWritten) -> Op[KnownFile]:
    return _put(state, event, written=True)


def _put(state: StateView, event: FileSeen | FileWritten, *, written: bool) -> Op[KnownFile]:
    file = KnownFile(path=canonical(event.path) or event.path, digest=event.digest, written=written)
    return put(state.all(KnownFile), file, "path")


def _known(state: StateView, path: str) -> KnownFile | None:
    wanted = canonical(path) or path
    return next((file for file in state.all(KnownFile) if file.path == wanted), None)
