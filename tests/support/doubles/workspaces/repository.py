"""A repository in memory: commits with whole trees, a worktree, and what lies outside the branch."""

import hashlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Literal

from penwright.adapters.workspace.contents import merge_contents
from penwright.domain.intents.governed import RULES
from penwright.domain.trace.layout import FOLDER, LEDGER, segment_number
from penwright.domain.trace.recorder.commit_context import CommitContext, RecordCase, TextChange
from penwright.domain.trailers import CONTRIBUTOR
from schemas.base import CommitSha, Effect
from schemas.pipeline import PipelineProfile
from schemas.trace import Anchor, LedgerFile, PathChange, TracedCommit
from schemas.workspace import Conflict, Restored

Files = Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class MemoryCommit:
    """A commit with its whole tree, by path."""

    sha: str
    tree: Files
    parents: tuple[str, ...]
    trailers: Mapping[str, str]
    author: str = "Author"
    """Git's author of it."""

    @property
    def human(self) -> bool:
        """Whether a person made it."""
        return self.trailers.get(CONTRIBUTOR, "human") == "human"


@dataclass(frozen=True, slots=True)
class MemoryArchive:
    """What a rollback took away, for its undoing."""

    op_id: str
    restored: Restored
    back_to: str
    unsaved: Mapping[str, bytes | None]
    retired: Mapping[str, str]
    undoes: str | None


@dataclass(slots=True)
class MemoryRepository:
    """One repository, its worktree and its remote."""

    commits: dict[str, MemoryCommit]
    tip: str
    worktree: dict[str, bytes]
    bases: dict[str, bytes | None] = field(default_factory=dict)
    """Content an unsaved edit was made from, where the branch has moved on."""
    tags: dict[str, str] = field(default_factory=dict)
    retired: set[str] = field(default_factory=set)
    archives: dict[str, MemoryArchive] = field(default_factory=dict)
    log: list[Anchor] = field(default_factory=list)
    """What lies outside the branch about the ledger."""
    made_at: dict[str, datetime] = field(default_factory=dict)
    """When commits were made."""
    remote: str | None = None
    adopted: str = ""
    """The tip before the first sync."""
    reachable: bool = True
    author: str = "Author"
    """Git's identity: whoever commits now, here or in another clone."""
    aside: str | None = None

    @property
    def tree(self) -> Files:
        """Contents at the tip."""
        return self.commits[self.tip].tree

    def history(self, tip: str) -> "list[MemoryCommit]":
        """Commits reachable from ``tip``, children before parents."""
        found: list[MemoryCommit] = []
        queue, seen = [tip], {tip}
        while queue:
            commit = self.commits[queue.pop(0)]
            found.append(commit)
            queue += [parent for parent in commit.parents if parent not in seen]
            seen |= set(commit.parents)
        return found

    def changed(self, commit: MemoryCommit) -> set[str]:
        """Paths a commit changed against its first parent."""
        before = self.commits[commit.parents[0]].tree if commit.parents else {}
        return {p for p in before.keys() | commit.tree.keys() if before.get(p) != commit.tree.get(p)}


@lru_cache(maxsize=4096)
def blob_of(content: bytes) -> str:
    """The id git gives this content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


@dataclass(frozen=True, slots=True)
class TipTree:
    """The tip's tree, for the gate; there are no links here."""

    tree: Mapping[str, bytes]

    def kind(self, path: str) -> Literal["file", "folder"] | None:
        if path in self.tree:
            return "file"
        return "folder" if self.names(path) else None

    def content(self, path: str) -> bytes | None:
        return self.tree.get(path)

    def blob(self, path: str) -> str:
        return blob_of(self.tree[path]) if path in self.tree else ""

    def names(self, folder: str) -> tuple[str, ...]:
        prefix = f"{folder}/" if folder else ""
        below = (path[len(prefix) :] for path in self.tree if path.startswith(prefix))
        return tuple(dict.fromkeys(rest.partition("/")[0] for rest in below))


@dataclass(frozen=True, slots=True)
class MemoryTrace:
    """The ledger and its history, oldest commit first."""

    repository: MemoryRepository
    history: tuple[MemoryCommit, ...]
    profile: PipelineProfile

    @property
    def tip(self) -> CommitSha:
        return CommitSha(self.repository.tip)

    def ledger(self) -> tuple[LedgerFile, ...]:
        tree = self.repository.tree
        closed = sorted((path for path in tree if segment_number(path)), key=lambda p: segment_number(p) or 0)
        paths_ = [*closed, *([LEDGER] if LEDGER in tree else [])]
        return tuple(LedgerFile(path=path, blob=blob_of(tree[path])) for path in paths_)

    def files(self) -> Mapping[str, str]:
        return {path: blob_of(content) for path, content in self.repository.tree.items()}

    def blob(self, sha: str) -> bytes | None:
        contents = (each for commit in self.repository.commits.values() for each in commit.tree.values())
        return next((content for content in contents if blob_of(content) == sha), None)

    def at(self, commit: str, path: str) -> bytes | None:
        found = self.repository.commits.get(commit)
        return found.tree.get(path) if found else None

    def reaches(self, commit: str) -> bool:
        return any(each.sha == commit for each in self.history)

    def commits(self, *, since: str | None = None, bookkeeping: bool = True) -> Iterator[TracedCommit]:
        numbers = {commit.sha: number for number, commit in enumerate(self.history)}
        for commit in self.history[numbers.get(since or "", -1) + 1 :]:
            traced = self._traced(commit, numbers[commit.sha])
            outside = [
                each for each in traced.paths if each.path in RULES or not each.path.startswith(f"{FOLDER}/")
            ]
            yield traced if bookkeeping else traced._replace(paths=tuple(outside))

    def _traced(self, commit: MemoryCommit, number: int) -> TracedCommit:
        before = self.repository.commits[commit.parents[0]].tree if commit.parents else {}
        changes = [
            PathChange(
                path, *(blob_of(tree[path]) if path in tree else None for tree in (before, commit.tree))
            )
            for path in sorted(before.keys() | commit.tree.keys())
            if before.get(path) != commit.tree.get(path)
        ]
        return TracedCommit(
            sha=CommitSha(commit.sha),
            parents=commit.parents,
            at=datetime.fromtimestamp(number * 60, UTC),
            author=commit.author,
            trailers=dict(commit.trailers),
            paths=tuple(changes) if len(commit.parents) < 2 else (),
        )

    def anchors(self, *, since: Mapping[str, str] | None = None) -> tuple[Anchor, ...]:
        entries = [anchor.entry for anchor in self.repository.log]
        known = [entries.index(each) for each in (since or {}).values() if each in entries]
        return tuple(self.repository.log[max(known, default=0) :])


@dataclass(frozen=True, slots=True)
class AtTip:
    """The tip's contents, for ``settling``."""

    repository: MemoryRepository

    def at_tip(self, path: str) -> str | None:
        content = self.repository.tree.get(path)
        return None if content is None else blob_of(content)

    def content(self, path: str, blob: str) -> bytes | None:
        everything = (text for commit in self.repository.commits.values() for text in commit.tree.values())
        return next((content for content in everything if blob_of(content) == blob), None)

    def blob_id(self, content: bytes) -> str:
        return blob_of(content)


def commit_of(
    tree: Files, parents: tuple[str, ...], trailers: Mapping[str, str], author: str = "Author"
) -> MemoryCommit:
    """A commit whose id is that of what it holds."""
    held = (sorted(tree.items()), parents, sorted(trailers.items()), author)
    digest = hashlib.sha1(repr(held).encode())
    return replace(MemoryCommit("", dict(tree), parents, dict(trailers), author), sha=digest.hexdigest())


def note(
    repository: MemoryRepository,
    effect: Effect,
    heads: tuple[str, ...],
    kind: Literal["record", "revocation"] = "record",
) -> None:
    """Note what the ledger holds at the tip; nothing if nothing was recorded."""
    if not heads and kind == "record":
        return
    number = len(repository.log)
    repository.log.append(
        Anchor(
            entry=f"{number:040x}",
            clone="memory",
            kind=kind,
            at=datetime.fromtimestamp(number * 60, UTC),
            commit=repository.tip,
            heads=heads,
            ledger=TipTree(repository.tree).blob(LEDGER),
            op_id=effect.op_id,
        )
    )


def case_of(repository: MemoryRepository, after: Files, context: CommitContext, now: datetime) -> RecordCase:
    """A commit as the recorder gets it; there is no log outside the branch here."""
    before = repository.tree
    changes = {
        path: TextChange(
            before.get(path),
            after.get(path),
            blob_of(before[path]) if path in before else None,
            blob_of(after[path]) if path in after else None,
        )
        for path in before.keys() | after.keys()
        if before.get(path) != after.get(path)
    }
    return RecordCase(
        context=context,
        tip=TipTree(before),
        parent=repository.tip,
        branch="main",
        changes=dict(sorted(changes.items())),
        at=max(now, context.effect.issued_at),
    )


def merged_trees(
    base: Files, ours: Files, theirs: Files, *, theirs_win: Collection[str] = ()
) -> tuple[Files, tuple[Conflict, ...]]:
    """Both sides' changes; where both changed a text, as ``merge_contents`` has it."""
    tree = dict(ours)
    conflicts: tuple[Conflict, ...] = ()
    for path in sorted(base.keys() | theirs.keys()):
        old, mine, other = base.get(path), ours.get(path), theirs.get(path)
        if other == old or mine == other:
            continue
        if path in theirs_win and other is not None:
            kept: bytes | None = other
        elif mine == old or mine is None or other is None:
            kept = other if mine == old else other or mine
        else:
            merged = merge_contents(path, old or b"", mine, other)
            kept, conflicts = merged.content, (*conflicts, *merged.conflicts)
        tree.pop(path, None)
        if kept is not None:
            tree[path] = kept
    return tree, conflicts
