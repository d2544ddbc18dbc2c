"""Edits in a book's folder that no commit has yet, of the files whose faults stop or hold a session."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gateway.desk.services import Services
from penwright.domain.book.files.layout import CHAPTERS_FOLDER, CONFIG, REVIEW
from schemas.workspace import Snapshot, Workspace

_OUTLINES = f"{CHAPTERS_FOLDER}/"
_MOST_BYTES = 8_000_000
"""A larger file is looked at as committed."""


@dataclass(frozen=True, slots=True)
class FolderEdits:
    """The tip's files with the edits in place of what was committed."""

    snapshot: Snapshot
    edited: tuple[str, ...] = ()
    config_deleted: bool = False
    """The committed Config.yml is still in ``snapshot``: it stays in force."""


def with_folder_edits(
    services: Services, workspace: Workspace, snapshot: Snapshot, paths: tuple[str, ...] = ()
) -> FolderEdits:
    """Read ``paths``, or else the review, the settings and the outlines, where the folder has them otherwise.

    A file that is not UTF-8 stays as committed. A folder that shows another branch has no edits of the book.
    """
    if not services.history().is_checked_out(workspace):
        return FolderEdits(snapshot)
    top = Path(workspace.path)
    looked_at = paths or (REVIEW, CONFIG, *(each for each in snapshot.files if each.startswith(_OUTLINES)))
    texts = {path: _text(top / path) for path in looked_at if path in snapshot.files}
    edited = {
        path: snapshot.files[path].model_copy(update={"text": text})
        for path, text in texts.items()
        if text is not None and _lines(text) != _lines(snapshot.files[path].text)
    }
    merged = snapshot.model_copy(update={"files": {**snapshot.files, **edited}})
    deleted = CONFIG in snapshot.files and not os.path.lexists(top / CONFIG)
    return FolderEdits(merged, tuple(edited), config_deleted=deleted)


def edited_in_folder(services: Services, workspace: Workspace, paths: Sequence[str]) -> tuple[str, ...]:
    """Those of ``paths`` that the folder has otherwise than the tip, new ones too; none in another branch."""
    history = services.history()
    return history.edited(workspace, paths) if history.is_checked_out(workspace) else ()


def _text(place: Path) -> str | None:
    """The file's text; None if it is no plain file, too large, or not UTF-8."""
    try:
        if place.is_symlink() or not place.is_file() or place.stat().st_size > _MOST_BYTES:
            return None
        return place.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _lines(text: str) -> str:
    """A checkout may write other line ends than were committed."""
    return text.replace("\r\n", "\n")
