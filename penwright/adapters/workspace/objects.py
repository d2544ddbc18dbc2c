"""Git objects: read through one ``cat-file`` process, written as loose objects.

Objects are written here rather than by ``git hash-object``, which takes ten times as long over a long
book: it hashes twice with a slow SHA-1 and compresses at any price. The format is git's own.
"""

import contextlib
import hashlib
import re
import subprocess
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import NamedTuple, TypeVar

from penwright.adapters.workspace.commits import Commit, parse_commit
from penwright.adapters.workspace.git import Git, GitFailed
from penwright.adapters.workspace.loose import header_of, store

REGULAR, EXECUTABLE, LINK, FOLDER, SUBMODULE = "100644", "100755", "120000", "40000", "160000"
TEXT = frozenset({REGULAR, EXECUTABLE})
"""Modes of files whose content is their own."""
_ROW_SHA1, _ROW_SHA256 = (re.compile(rb"(\d+) ([^\0]+)\0(.{%d})" % width, re.DOTALL) for width in (20, 32))
_Held = TypeVar("_Held")


class Entry(NamedTuple):
    """A name in a tree."""

    mode: str
    sha: str

    @property
    def is_text_file(self) -> bool:
        """Whether this is a file whose content is its own."""
        return self.mode in TEXT


class Lately(OrderedDict[str, _Held]):
    """Objects as they were read, by id, for the life of the process: an id never means anything else."""

    def __init__(self, most: int, *, weigh: Callable[[_Held], int] = lambda _: 1) -> None:
        super().__init__()
        self._most, self._weigh = most, weigh
        self._weight = 0
        self._alone = Lock()

    def keep(self, sha: str, value: _Held) -> _Held:
        """Remember ``value``; the oldest are forgotten when there is too much."""
        with self._alone:
            if sha not in self:
                self[sha] = value
                self._weight += self._weigh(value)
            while self._weight > self._most and len(self) > 1:
                self._weight -= self._weigh(self.popitem(last=False)[1])
        return value


_COMMITS: Lately[Commit] = Lately(4096)
_TREES: Lately[dict[str, Entry]] = Lately(100_000, weigh=lambda names: len(names) + 1)
"""By their names, for one folder may hold thousands."""
_KEPT_BELOW = 1024 * 1024
_BLOBS: Lately[bytes] = Lately(32 * 1024 * 1024, weigh=lambda content: len(content) + _UNSEEN)
"""Short ones, by their bytes: what a publish wrote last, the ledger before all, the next one reads, and of a
book's hundred outlines one is another from one session to the next. After years the summary of a book and the
manifest of its ledger are some hundred kilobytes."""
_UNSEEN = 256
"""Bytes that remembering takes beside the content."""


@dataclass(slots=True)
class Objects:
    """The object database of one repository, for the length of one call."""

    git: Git
    folder: Path
    sha256: bool = False
    _reader: subprocess.Popen[bytes] | None = None
    _asked: deque[str] = field(default_factory=deque)
    """What the reading process was asked for and has not been heard about."""
    _answers: dict[str, tuple[str, str, bytes] | None] = field(default_factory=dict)
    """What it said of others than the one that was wanted."""
    _fresh: dict[str, bytes] = field(default_factory=dict)
    """Blobs written in this call: a long one is not read back."""

    def close(self) -> None:
        """End the reading process."""
        if self._reader is not None:
            reader, self._reader = self._reader, None
            reader.kill()
            with contextlib.suppress(BrokenPipeError):
                reader.communicate()

    def find(self, name: str) -> tuple[str, str, bytes] | None:
        """Id, kind and content of the object that ``name`` (an id or a full ref) means."""
        if name in self._answers:
            return self._answers.pop(name)
        if name not in self._asked:
            self._ask([name])
        while (asked := self._asked.popleft()) != name:
            self._answers[asked] = self._answer()
        return self._answer()

    def expect(self, shas: Iterable[str]) -> None:
        """Let git get ready what is going to be wanted soon."""
        unknown = [sha for sha in shas if self.at_hand(sha) is None]
        if unknown:
            self._ask(unknown)

    def _ask(self, names: Sequence[str]) -> None:
        self._asked.extend(names)
        if self._reader is None:
            self._reader = self.git.popen("cat-file", "--batch", wide=True)
        assert self._reader.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            for name in names:
                self._reader.stdin.write(name.encode("utf-8", "surrogateescape") + b"\n")
            self._reader.stdin.flush()

    def _answer(self) -> tuple[str, str, bytes] | None:
        reader = self._reader
        assert reader is not None
        assert reader.stdout is not None
        head = reader.stdout.readline().decode("utf-8", "surrogateescape")
        if not head:
            raise GitFailed("cat-file", reader.wait(), self._complaint())
        if head.endswith((" missing\n", " ambiguous\n")):
            return None
        sha, kind, size = head.split()
        content = reader.stdout.read(int(size))
        reader.stdout.read(1)
        return sha, kind, content

    def _complaint(self) -> str:
        if self._reader is None or self._reader.stderr is None:
            return ""
        return self._reader.stderr.read().decode("utf-8", "replace")

    def resolve(self, ref: str) -> str | None:
        """Commit id that ``ref`` means, tags peeled."""
        found = self.find(ref)
        while found is not None and found[1] == "tag":
            found = self.find(found[2].split(b"\n", 1)[0].split()[1].decode())
        return found[0] if found is not None and found[1] == "commit" else None

    def blob(self, sha: str) -> bytes:
        """Content of a blob that must exist."""
        known = self.at_hand(sha)
        return known if known is not None else _kept(sha, self._must(sha, "blob"))

    def blob_if(self, sha: str) -> bytes | None:
        """Content of a blob; None if there is none of this id."""
        known = self.at_hand(sha)
        if known is not None:
            return known
        found = self.find(sha)
        return _kept(sha, found[2]) if found is not None and found[1] == "blob" else None

    def at_hand(self, sha: str) -> bytes | None:
        """Content of a blob that is in memory."""
        return self._fresh.get(sha) or _BLOBS.get(sha)

    def has(self, sha: str) -> bool:
        """Whether the object is here."""
        return self.find(sha) is not None

    def commit(self, sha: str) -> Commit:
        """The commit ``sha``."""
        known = _COMMITS.get(sha)
        return known or _COMMITS.keep(sha, parse_commit(sha, self._must(sha, "commit")))

    def write_commit(self, content: bytes) -> str:
        """Store a commit."""
        sha = self.write("commit", content)
        if sha not in _COMMITS:
            _COMMITS.keep(sha, parse_commit(sha, content))
        return sha

    def tree(self, sha: str) -> dict[str, Entry]:
        """Names of one folder; do not change the answer."""
        known = _TREES.get(sha)
        if known is not None:
            return known
        return _TREES.keep(sha, dict(_entries(self._must(sha, "tree"), 32 if self.sha256 else 20)))

    def _must(self, sha: str, kind: str) -> bytes:
        found = self.find(sha)
        if found is None or found[1] != kind:
            raise GitFailed("cat-file", 128, f"bad object: {kind} {sha} is missing")
        return found[2]

    def write_tree(self, entries: Mapping[str, Entry]) -> str:
        """Store one folder."""
        rows = sorted(_tree_row(name, entry) for name, entry in entries.items())
        return self.write("tree", b"".join(row for _, row in rows))

    def blob_id(self, content: bytes) -> str:
        """The id ``content`` has as a blob."""
        return self._digest(header_of("blob", content), content)

    def _digest(self, header: bytes, content: bytes) -> str:
        digest = hashlib.sha256(header) if self.sha256 else hashlib.sha1(header, usedforsecurity=False)
        digest.update(content)
        return digest.hexdigest()

    def write(self, kind: str, content: bytes) -> str:
        """Store an object durably, once."""
        header = header_of(kind, content)
        sha = self._digest(header, content)
        if kind == "blob":
            self._fresh[sha] = _kept(sha, content)
        store(header, content, str(self.folder), f"{self.folder}/{sha[:2]}/{sha[2:]}")
        return sha


def _tree_row(name: str, entry: Entry) -> tuple[bytes, bytes]:
    """Sort key and row of one name."""
    raw = name.encode("utf-8", "surrogateescape")
    row = entry.mode.encode() + b" " + raw + b"\0" + bytes.fromhex(entry.sha)
    return (raw + b"/" if entry.mode == FOLDER else raw, row)


def _kept(sha: str, content: bytes) -> bytes:
    return _BLOBS.keep(sha, content) if len(content) < _KEPT_BELOW else content


def _entries(raw: bytes, width: int) -> Iterator[tuple[str, Entry]]:
    row = _ROW_SHA256 if width == 32 else _ROW_SHA1
    for mode, name, sha in row.findall(raw):
        yield name.decode("utf-8", "surrogateescape"), Entry(mode.decode(), sha.hex())
