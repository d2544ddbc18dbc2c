"""Refs and objects that git keeps as files of their own, read without a process."""

import os
import re
import zlib
from dataclasses import dataclass
from pathlib import Path

from penwright.adapters.workspace.git.layout import Layout, plain_bytes

_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REF = re.compile(r"refs/(?:heads|tags|remotes|penwright)/[A-Za-z0-9_./+=-]+")
"""Names of refs that all worktrees share, without signs that mean more than the name."""


@dataclass(frozen=True, slots=True)
class LooseFiles:
    """The loose refs and objects of one repository."""

    folder: Path
    """Folder of refs and objects, which all worktrees share."""

    @classmethod
    def of(cls, layout: Layout) -> "LooseFiles | None":
        """None where files do not tell all: other refs, objects replaced, parents grafted, another owner."""
        folder = layout.common_dir
        elsewhere = (folder / "reftable", folder / "info/grafts")
        told_elsewhere = any(place.exists() for place in elsewhere) or _has_replaced(folder)
        return None if told_elsewhere or not _is_own(layout) else cls(folder)

    def find(self, name: str) -> tuple[str, str, bytes] | None:
        """Id, kind and content of what an id or a full ref means; None of what only git can tell."""
        try:
            sha = name if _ID.fullmatch(name) else self._ref(name)
            raw = plain_bytes(self.folder / "objects" / sha[:2] / sha[2:]) if _ID.fullmatch(sha) else b""
            head, _, content = zlib.decompress(raw).partition(b"\0")
        except (OSError, ValueError, zlib.error):
            return None
        kind, _, size = head.decode("ascii", "replace").partition(" ")
        return (sha, kind, content) if size == str(len(content)) else None

    def _ref(self, name: str) -> str:
        if not _REF.fullmatch(name) or ".." in name:
            return ""
        return plain_bytes(self.folder / name).decode("ascii").strip()


def _has_replaced(folder: Path) -> bool:
    try:
        packed = plain_bytes(folder / "packed-refs")
    except FileNotFoundError:
        packed = b""
    return b" refs/replace/" in packed or any((folder / "refs/replace").glob("*"))


def _is_own(layout: Layout) -> bool:
    """Whether this user owns the repository; git asks another's settings whether it may be read."""
    places = (layout.top, layout.git_dir, layout.common_dir)
    return all(place.stat().st_uid == os.geteuid() for place in places)
