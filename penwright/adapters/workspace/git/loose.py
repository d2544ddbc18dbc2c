"""Objects that are files of their own, as git lays them out: read and written without a process."""

import contextlib
import hashlib
import os
import secrets
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from penwright.adapters.workspace.git.commands import GitFailed
from penwright.adapters.workspace.git.entries import FOLDER, Entry
from penwright.adapters.workspace.git.layout import plain_bytes

_KINDS = frozenset({"blob", "tree", "commit", "tag"})
_FAST = 1
"""Level of compression; packing does it better."""


@dataclass(frozen=True, slots=True)
class LooseObjects:
    """The folder ``objects`` of one repository."""

    folder: Path
    sha256: bool = False

    def id_of(self, kind: str, content: bytes) -> str:
        """The id ``content`` has; nothing is written."""
        digest = hashlib.sha256() if self.sha256 else hashlib.sha1(usedforsecurity=False)
        digest.update(_header(kind, content))
        digest.update(content)
        return digest.hexdigest()

    def read(self, sha: str) -> tuple[str, bytes] | None:
        """Kind and content; None for what is packed, missing or damaged, of which git knows more."""
        try:
            raw = zlib.decompress(plain_bytes(self._place(sha)))
        except (OSError, zlib.error):
            return None
        head, _, content = raw.partition(b"\0")
        kind, _, size = head.decode("ascii", "replace").partition(" ")
        return (kind, content) if kind in _KINDS and size == str(len(content)) else None

    def write(self, kind: str, content: bytes) -> str:
        """Store an object durably; its id. One that is there is as new again, so that it is not pruned."""
        sha = self.id_of(kind, content)
        place = self._place(sha)
        try:
            os.utime(place)
        except OSError:
            self._write(place, zlib.compress(_header(kind, content) + content, _FAST))
        return sha

    def write_tree(self, entries: Mapping[str, Entry]) -> str:
        """Store one folder durably; its id."""
        return self.write("tree", b"".join(_row(*each) for each in sorted(entries.items(), key=_order)))

    def sizes(self) -> Iterator[int]:
        """Bytes on the disk of each object."""
        for folder in self.folder.glob("[0-9a-f][0-9a-f]"):
            with contextlib.suppress(FileNotFoundError), os.scandir(folder) as places:
                yield from (place.stat().st_blocks * 512 for place in places)

    def _place(self, sha: str) -> Path:
        return self.folder / sha[:2] / sha[2:]

    def _write(self, place: Path, packed: bytes) -> None:
        """As open as the folder of all objects: the umask of a worker is stricter than a person's."""
        # git deletes what an interrupted one left under such a name.
        temporary = place.with_name(f"tmp_obj_{secrets.token_hex(8)}")
        try:
            mode = self.folder.stat().st_mode & 0o7777
            if not place.parent.is_dir():
                place.parent.mkdir(exist_ok=True)
                place.parent.chmod(mode)
            with open(temporary, "xb") as file:
                file.write(packed)
                file.flush()
                os.fchmod(file.fileno(), mode & 0o444)
                os.fsync(file.fileno())
            temporary.rename(place)
        except OSError as failure:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise GitFailed("objects", failure.errno or 0, f"cannot be written: {failure}") from failure


def _header(kind: str, content: bytes) -> bytes:
    return b"%s %d\0" % (kind.encode(), len(content))


def _name(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def _order(row: tuple[str, Entry]) -> bytes:
    """git sorts a folder as if its name ended with a slash."""
    name, entry = row
    return _name(name) + (b"/" if entry.mode == FOLDER else b"")


def _row(name: str, entry: Entry) -> bytes:
    return b"%s %s\0%s" % (entry.mode.encode(), _name(name), bytes.fromhex(entry.sha))
