"""Git's index: what the branch holds, and as what the files were last seen."""

import hashlib
import os
from collections.abc import Mapping

from penwright.adapters.workspace.git import GitFailed
from penwright.adapters.workspace.layout import spare_in
from penwright.adapters.workspace.objects import SUBMODULE, Entry
from penwright.adapters.workspace.repository import Repository


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


def stamp_index(repository: Repository, entries: Mapping[str, Entry]) -> None:
    """Note the files' times in the index, so that the next ``git status`` need not read them.

    A shortcut only: where the index has a form not known here it stays as git wrote it.
    """
    layout = repository.layout
    index, lock = layout.git_dir / "index", layout.git_dir / "index.lock"
    width = 32 if repository.objects.sha256 else 20
    content = bytearray(index.read_bytes())
    for path, entry in entries.items():
        name = path.encode("utf-8", "surrogateescape")
        flags = min(len(name), 0xFFF).to_bytes(2, "big")
        at = content.find(bytes.fromhex(entry.sha) + flags + name + b"\0")
        if at >= 40 and entry.mode != SUBMODULE:
            content[at - 40 : at] = _index_times(
                (layout.top / path).lstat(), bytes(content[at - 16 : at - 12])
            )
    if any(content[-width:]):
        digest = hashlib.sha256 if width == 32 else hashlib.sha1
        content[-width:] = digest(content[:-width]).digest()
    # Written aside first: nobody's git meets the lock for longer than two renames take.
    spare = spare_in(layout.private)
    spare.write_bytes(content)
    try:
        os.link(spare, lock)
        with repository.objects.freeing.of(index):
            os.rename(lock, index)
    except FileExistsError:
        return
    finally:
        spare.unlink(missing_ok=True)


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
