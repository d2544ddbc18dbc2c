"""Git objects: read from files or through one ``cat-file`` process of GitPython's, written by git itself."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from penwright.adapters.workspace.git.caches import ObjectCaches
from penwright.adapters.workspace.git.commands import (
    GitCommands,
    GitFailed,
    NoSuchObject,
    ProcessGroup,
    Repo,
    complaint_of,
    open_repository,
)
from penwright.adapters.workspace.git.commits import Commit, parse_commit
from penwright.adapters.workspace.git.entries import FOLDER, SUBMODULE, Entry
from penwright.adapters.workspace.git.layout import Layout, temporary_path
from penwright.adapters.workspace.git.loose_files import LooseFiles

_SETTINGS = ("core.compression=1", "core.fsyncObjectFiles=true")
"""Before 2.36 git does not know ``core.fsync``; later ones know both and warn."""
_TREES = ("mktree", "-z", "--missing", "--batch")
"""Without ``--missing`` a partial clone would fetch the files of every folder that is written."""


@dataclass(slots=True)
class ObjectWriter:
    """One git for each kind of object, started for the first of them."""

    git: GitCommands
    folder: Path
    """Folder of contents for git to read."""
    _started: dict[tuple[str, ...], ProcessGroup] = field(default_factory=dict)

    def write(self, kind: str, content: bytes) -> str:
        """Id of a new blob or commit; git refuses a malformed commit."""
        temporary = temporary_path(self.folder)
        try:
            temporary.write_bytes(content)
            command = ("hash-object", "-t", kind, "-w", "--no-filters", "--stdin-paths")
            return self._ask(command, _quoted(temporary) + b"\n")
        finally:
            temporary.unlink(missing_ok=True)

    def write_tree(self, entries: Mapping[str, Entry]) -> str:
        """Id of a new tree."""
        rows = (_row(name, entry) for name, entry in entries.items())
        return self._ask(_TREES, b"".join((*rows, b"\0")))

    def close(self) -> None:
        """End every git."""
        while self._started:
            self._started.popitem()[1].__del__()

    def _ask(self, command: tuple[str, ...], request: bytes) -> str:
        if command not in self._started:
            self._started[command] = self.git(c=_SETTINGS).start(*command)
        process = self._started[command]
        try:
            process.stdin.write(request)
            process.stdin.flush()
        except BrokenPipeError:
            answer = b""
        else:
            answer = process.stdout.readline()
        if not answer:
            raise GitFailed(command[0], 128, complaint_of(process))
        return bytes(answer).decode("ascii").strip()


def _row(name: str, entry: Entry) -> bytes:
    kind = {FOLDER: "tree", SUBMODULE: "commit"}.get(entry.mode, "blob")
    return f"{entry.mode} {kind} {entry.sha}\t{name}\0".encode("utf-8", "surrogateescape")


def _quoted(path: Path) -> bytes:
    """As git reads a path from a line, whatever is in it."""
    escaped = bytes(path).replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + escaped + b'"'


_ROW_SHA1, _ROW_SHA256 = (re.compile(rb"(\d+) ([^\0]+)\0(.{%d})" % width, re.DOTALL) for width in (20, 32))
_LARGEST_CACHED = 8 * 1024 * 1024
"""Bytes of a blob; a long book is read by each publish, and written by the one before."""


@dataclass(slots=True)
class Objects:
    """The object database of one opened repository; for one thread, until it is closed."""

    repo: Repo
    writer: ObjectWriter
    loose: LooseFiles | None
    """None: only git reads this repository, by rules of its own."""
    caches: ObjectCaches
    sha256: bool = False
    _written: dict[str, bytes] = field(default_factory=dict)
    """Blobs written since it was opened: a long one is not read back."""

    @classmethod
    def of(cls, layout: Layout, variables: Mapping[str, str], caches: ObjectCaches) -> "Objects":
        """Open the repository; git sees ``variables`` and no others."""
        repo = open_repository(layout.top, variables)
        try:
            repo.git.examine()
            loose = LooseFiles.of(layout)
        except BaseException:
            repo.close()
            raise
        writer = ObjectWriter(repo.git, layout.private)
        return cls(repo, writer, loose, caches, _uses_sha256(layout))

    def close(self) -> None:
        """End the processes that read and write."""
        self.writer.close()
        self.repo.close()

    def find(self, name: str) -> tuple[str, str, bytes] | None:
        """Id, kind and content of the object that ``name`` (an id or a full ref) means."""
        found = self.loose.find(name) if self.loose is not None else None
        return found or self._asked(name)

    def _asked(self, name: str) -> tuple[str, str, bytes] | None:
        """The same, from git."""
        try:
            sha, kind, _, content = self.repo.git.stream_object_data(name)
            return sha, kind, content.read()
        except (NoSuchObject, UnicodeEncodeError):
            return None
        except BrokenPipeError:
            raise GitFailed("cat-file", 128, complaint_of(self.repo.git.cat_file_all)) from None

    def resolve(self, ref: str) -> str | None:
        """Commit id that ``ref`` means, tags peeled."""
        found = self.find(ref)
        while found is not None and found[1] == "tag":
            found = self.find(found[2].split(b"\n", 1)[0].split()[1].decode())
        return found[0] if found is not None and found[1] == "commit" else None

    def blob(self, sha: str) -> bytes:
        """Content of a blob that must exist."""
        known = self._known(sha)
        return known if known is not None else self._keep(sha, self._must(sha, "blob"))

    def blob_if(self, sha: str) -> bytes | None:
        """Content of a blob; None if there is none of this id."""
        known = self._known(sha)
        if known is not None:
            return known
        found = self.find(sha)
        return self._keep(sha, found[2]) if found is not None and found[1] == "blob" else None

    def _known(self, sha: str) -> bytes | None:
        written = self._written.get(sha)
        return written if written is not None else self.caches.blobs.get(sha)

    def _keep(self, sha: str, content: bytes) -> bytes:
        return self.caches.blobs.keep(sha, content) if len(content) <= _LARGEST_CACHED else content

    def has(self, sha: str) -> bool:
        """Whether the object is here."""
        return self.find(sha) is not None

    def commit(self, sha: str) -> Commit:
        """The commit ``sha``."""
        known = self.caches.commits.get(sha)
        return known or self.caches.commits.keep(sha, parse_commit(sha, self._must(sha, "commit")))

    def tree(self, sha: str) -> Mapping[str, Entry]:
        """Names of one folder."""
        known = self.caches.trees.get(sha)
        if known is not None:
            return known
        rows = _rows(self._must(sha, "tree"), _ROW_SHA256 if self.sha256 else _ROW_SHA1)
        return self.caches.trees.keep(sha, dict(rows))

    def _must(self, sha: str, kind: str) -> bytes:
        found = self.find(sha)
        if found is None or found[1] != kind:
            raise GitFailed("cat-file", 128, f"bad object: {kind} {sha} is missing")
        return found[2]

    def blob_id(self, content: bytes) -> str:
        """The id ``content`` has as a blob; nothing is written."""
        header = b"blob %d\0" % len(content)
        digest = hashlib.sha256(header) if self.sha256 else hashlib.sha1(header, usedforsecurity=False)
        digest.update(content)
        return digest.hexdigest()

    def write_blob(self, content: bytes) -> str:
        """Store a blob durably."""
        sha = self.writer.write("blob", content)
        self._written[sha] = self._keep(sha, content)
        return sha

    def write_tree(self, entries: Mapping[str, Entry]) -> str:
        """Store one folder durably."""
        return self.writer.write_tree(entries)

    def write_commit(self, content: bytes) -> str:
        """Store a commit durably."""
        sha = self.writer.write("commit", content)
        self.caches.commits.keep(sha, parse_commit(sha, content))
        return sha


def _uses_sha256(layout: Layout) -> bool:
    config = layout.common_dir / "config"
    text = config.read_text(encoding="utf-8", errors="replace").lower() if config.is_file() else ""
    return "objectformat = sha256" in text or "objectformat=sha256" in text


def _rows(raw: bytes, row: re.Pattern[bytes]) -> Iterator[tuple[str, Entry]]:
    for mode, name, sha in row.findall(raw):
        yield name.decode("utf-8", "surrogateescape"), Entry(mode.decode(), sha.hex())
