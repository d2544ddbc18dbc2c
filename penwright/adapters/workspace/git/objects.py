"""Git objects: packed ones are read through one ``cat-file`` process of GitPython's, others as files."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from penwright.adapters.workspace.git.caches import ObjectCaches
from penwright.adapters.workspace.git.commands import (
    GitFailed,
    NoSuchObject,
    Repo,
    complaint_of,
    open_repository,
)
from penwright.adapters.workspace.git.commits import Commit, parse_commit
from penwright.adapters.workspace.git.entries import Entry
from penwright.adapters.workspace.git.layout import Layout
from penwright.adapters.workspace.git.loose import LooseObjects
from penwright.adapters.workspace.git.refs import RefFiles, are_plain, is_id, is_ref

_ROW_SHA1, _ROW_SHA256 = (re.compile(rb"(\d+) ([^\0]+)\0(.{%d})" % width, re.DOTALL) for width in (20, 32))
_LARGEST_CACHED = 8 * 1024 * 1024
"""Bytes of a blob; a long book is read by each publish, and written by the one before."""


@dataclass(slots=True)
class Objects:
    """The object database of one opened repository; for one thread, until it is closed."""

    repo: Repo
    loose: LooseObjects
    refs: RefFiles | None
    """None: only git reads this repository, by rules of its own."""
    caches: ObjectCaches
    _written: dict[str, bytes] = field(default_factory=dict)
    """Blobs written since it was opened: a long one is not read back."""
    listed: dict[str, bytes] = field(default_factory=dict)
    """Changes in the folder since a commit, as git lists them, until used: see ``Worktree.unsaved``."""

    @classmethod
    def of(cls, layout: Layout, variables: Mapping[str, str], caches: ObjectCaches) -> "Objects":
        """Open the repository; git sees ``variables`` and no others."""
        repo = open_repository(layout.top, variables)
        try:
            repo.git.examine()
        except BaseException:
            repo.close()
            raise
        loose = LooseObjects(layout.common_dir / "objects", _uses_sha256(layout))
        plain = _is_ours(layout) and are_plain(layout.common_dir)
        return cls(repo, loose, RefFiles(layout.common_dir) if plain else None, caches)

    @property
    def sha256(self) -> bool:
        """Whether ids are longer than usual."""
        return self.loose.sha256

    def close(self) -> None:
        """End the process that reads."""
        self.repo.close()

    def find(self, name: str) -> tuple[str, str, bytes] | None:
        """Id, kind and content of the object that ``name`` (an id or a full ref) means."""
        if self.refs is not None and is_ref(name):
            sha = self.refs.read(name)
            return None if sha is None else self.find(sha)
        found = self.loose.read(name) if self.refs is not None and is_id(name) else None
        return (name, *found) if found else self._asked(name)

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

    def peeled(self, sha: str) -> str:
        """The commit that a tag means; the id itself, if it is of no tag."""
        if self.caches.commits.get(sha) is not None:
            return sha
        found = self.find(sha)
        if found is not None and found[1] == "commit":
            self.caches.commits.keep(sha, parse_commit(sha, found[2]))
        return self.resolve(sha) or sha if found is not None and found[1] == "tag" else sha

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
        return self.loose.id_of("blob", content)

    def write_blob(self, content: bytes) -> str:
        """Store a blob durably."""
        sha = self.loose.write("blob", content)
        self._written[sha] = self._keep(sha, content)
        return sha

    def write_tree(self, entries: Mapping[str, Entry]) -> str:
        """Store one folder durably."""
        return self.loose.write_tree(entries)

    def write_commit(self, content: bytes) -> str:
        """Store a commit durably."""
        sha = self.loose.write("commit", content)
        self.caches.commits.keep(sha, parse_commit(sha, content))
        return sha


def _is_ours(layout: Layout) -> bool:
    """Whether this user owns the repository; git asks another's settings whether it may be read."""
    return all(
        place.stat().st_uid == os.geteuid() for place in (layout.top, layout.git_dir, layout.common_dir)
    )


def _uses_sha256(layout: Layout) -> bool:
    config = layout.common_dir / "config"
    text = config.read_text(encoding="utf-8", errors="replace").lower() if config.is_file() else ""
    return "objectformat = sha256" in text or "objectformat=sha256" in text


def _rows(raw: bytes, row: re.Pattern[bytes]) -> Iterator[tuple[str, Entry]]:
    for mode, name, sha in row.findall(raw):
        yield name.decode("utf-8", "surrogateescape"), Entry(mode.decode(), sha.hex())
