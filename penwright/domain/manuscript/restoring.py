"""Which earlier version of a scene an undo or a rollback brings back."""

from collections.abc import Sequence
from typing import Final

from penwright.domain.trailers import RESTORED, STEP
from penwright.errors import NotFound, Refused
from schemas.workspace import FileVersion

_SHORTEST: Final = 4
"""Hex digits that name a commit or a revision at least."""


def undone(versions: Sequence[FileVersion]) -> FileVersion | None:
    """Return the version before the newest change; after an undo, the one before what that brought back.

    Args:
        versions: the scene's, newest first.

    Returns:
        The version to bring back; None if it is the empty text before the first one.

    Raises:
        Refused: ``nothing-to-undo``.
    """
    if not versions or not (at := shown(versions)) < len(versions):
        raise Refused("nothing-to-undo", "no change of this scene is left to undo")
    return versions[at + 1] if at + 1 < len(versions) else None


def shown(versions: Sequence[FileVersion]) -> int:
    """Index of the version whose text the newest one shows: its own, unless an undo brought that back.

    It is the number of versions if an undo brought back the state before the first.
    """
    at = 0
    while at < len(versions) and versions[at].trailers.get(STEP) == "undo":
        back = versions[at].trailers.get(RESTORED, "")
        at = next(
            (later for later in range(at + 1, len(versions)) if versions[later].commit == back), len(versions)
        )
    return at


def named(versions: Sequence[FileVersion], to: str) -> FileVersion:
    """Return the version that ``to`` names: the start of a commit's id, or of a revision's.

    Raises:
        NotFound: ``no-such-version``.
    """
    wanted = to.strip().lower()
    found = [
        each
        for each in versions
        if len(wanted) >= _SHORTEST
        and each.blob
        and (each.commit.startswith(wanted) or each.blob.startswith(wanted))
    ]
    if not found or len({each.blob for each in found}) > 1:
        what = "names several versions" if found else "is no version"
        raise NotFound("no-such-version", f"{to!r} {what} of this scene")
    return found[0]
