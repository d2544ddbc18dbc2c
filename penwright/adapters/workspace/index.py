"""Git's index: what the branch holds, and as what the files were last seen."""

import hashlib
import os
from collections.abc import Mapping

from penwright.adapters.workspace.git import GitFailed
from penwright.adapters.workspace.layout import spare_in
from penwright.adapters.workspace.objects import Entry
from penwright.adapters.workspace.repository import Repository

_LENGTH = 0x0FFF
"""Bits of a row's flags that say how long its path is."""


def update_index(repository: Repository, entries: Mapping[str, Entry | None]) -> bool:
    """Give the index the branch's entries; False while somebody else's git holds it."""
    if not entries:
        return True
    none = "0" * (64 if repository.objects.sha256 else 40)
    rows = [
        f"{entry.mode} {entry.sha}\t{path}\0" if entry else f"0 {none}\t{path}\0"
        for path, entry in sorted(entries.items(), key=lambda row: row[1] is not None)
    ]
    script = "".join(rows).encode("utf-8", "surrogateescape")
    with repository.objects.freeing.of(repository.layout.git_dir / "index"):
        status, _, complaint = repository.git.attempt("update-index", "-z", "--index-info", data=script)
    if status and "File exists" in complaint:
        return False
    if status:
        raise GitFailed("update-index", status, complaint)
    return True


def stamp_index(
    repository: Repository, entries: Mapping[str, Entry | None], times: Mapping[str, os.stat_result]
) -> None:
    """Note ``times`` in an index as git wrote it, so that the next ``git status`` need not read the files.

    A shortcut only: where the index has a form not known here it stays as it is.
    """
    index = repository.layout.git_dir / "index"
    width = 32 if repository.objects.sha256 else 20
    seen = index.stat()
    content = bytearray(index.read_bytes())
    for path, status in times.items():
        entry, name = entries[path], path.encode("utf-8", "surrogateescape")
        flags = min(len(name), _LENGTH).to_bytes(2, "big")
        at = content.find(bytes.fromhex(entry.sha) + flags + name + b"\0") if entry else -1
        if at >= 40:
            content[at - 40 : at] = _index_times(status, bytes(content[at - 16 : at - 12]))
    if any(content[-width:]):
        digest = hashlib.sha256 if width == 32 else hashlib.sha1
        content[-width:] = digest(content[:-width]).digest()
    _replace(repository, seen, bytes(content))


def _replace(repository: Repository, seen: os.stat_result, content: bytes) -> None:
    """Put an index in the place of the one ``seen``, unless somebody changed that or holds it."""
    layout = repository.layout
    index, lock = layout.git_dir / "index", layout.git_dir / "index.lock"
    # Written aside first: nobody's git meets the lock for longer than two renames take.
    spare = spare_in(layout.private)
    spare.write_bytes(content)
    try:
        os.link(spare, lock)
        if print_of(index.stat()) != print_of(seen):
            lock.unlink()
            return
        with repository.objects.freeing.of(index):
            os.rename(lock, index)
    except FileExistsError:
        return
    finally:
        spare.unlink(missing_ok=True)


def print_of(status: os.stat_result) -> tuple[int, ...]:
    """What tells that nobody has written to a file since."""
    return (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _index_times(status: os.stat_result, mode: bytes) -> bytes:
    """The forty bytes of stat data in front of an index entry's id."""
    seconds = (
        status.st_ctime_ns // 10**9,
        status.st_ctime_ns % 10**9,
        status.st_mtime_ns // 10**9,
        status.st_mtime_ns % 10**9,
        status.st_dev,
        status.st_ino,
    )
    owner = (status.st_uid, status.st_gid, status.st_size)
    words = [(number & 0xFFFFFFFF).to_bytes(4, "big") for number in (*seconds, *owner)]
    return b"".join(words[:6]) + mode + b"".join(words[6:])
