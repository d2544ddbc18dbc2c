"""How a repository in memory takes a commit, unsaved edits and the remote's commits."""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime

from penwright.adapters.workspace.contents import merge_contents, text_of
from penwright.domain.text.globs import Globs
from penwright.domain.trace.layout import is_ledger
from penwright.domain.trailers import CONTRIBUTOR, MERGE_OP, OP, SYNC
from schemas.base import Effect
from schemas.workspace import Conflict, Contributor
from tests.support.doubles.workspaces.repository import (
    MemoryCommit,
    MemoryRepository,
    commit_of,
    merged_trees,
)


def advance(repository: MemoryRepository, commit: MemoryCommit, now: datetime) -> tuple[str, ...]:
    """Move the branch and update files without unsaved edits; returns the paths left alone."""
    before, left = repository.tree, []
    for path in sorted(before.keys() | commit.tree.keys()):
        old, new = before.get(path), commit.tree.get(path)
        if old == new:
            continue
        lying = repository.worktree.get(path)
        if lying not in (repository.bases.get(path, old), new):
            repository.bases.setdefault(path, old)
            left.append(path)
            continue
        repository.bases.pop(path, None)
        repository.worktree.pop(path, None)
        if new is not None:
            repository.worktree[path] = new
    repository.commits[commit.sha] = commit
    repository.made_at.setdefault(commit.sha, now)
    repository.tip = commit.sha
    return tuple(left)


def merge_unsaved(
    repository: MemoryRepository, known: Sequence[str], left: Sequence[str], permanent: Collection[str]
) -> tuple[dict[str, bytes], list[str], tuple[Conflict, ...], list[str]]:
    """The tip's tree with the unsaved edits, their paths, conflicts, and paths that are not saved."""
    tree, saved, ignored = dict(repository.tree), list[str](), list[str]()
    conflicts: tuple[Conflict, ...] = ()
    claimed = Globs.of(known)
    for path in sorted(tree.keys() | repository.worktree.keys()):
        lying, held = repository.worktree.get(path), repository.tree.get(path)
        if lying == held or path in left:
            continue
        if held is not None and is_kept(repository, path, permanent):
            continue
        stray = held is None and path not in claimed
        if stray or is_ledger(path) or (lying and text_of(lying) is None):
            ignored.append(path)
            continue
        saved.append(path)
        if lying is None:
            del tree[path]
            continue
        base = repository.bases.get(path, held) or b""
        merged = merge_contents(path, base, lying, held or b"")
        tree[path], conflicts = merged.content, conflicts + merged.conflicts
    return tree, saved, conflicts, ignored


def is_kept(repository: MemoryRepository, path: str, permanent: Collection[str]) -> bool:
    """Whether a person deleted or emptied the path, and the branch keeps it all the same."""
    return path in permanent and not repository.worktree.get(path, b"").strip()


def merge_remote(
    repository: MemoryRepository, effect: Effect | None, now: datetime, *, theirs_win: Collection[str]
) -> tuple[Conflict, ...]:
    assert repository.remote is not None
    ours = [commit.sha for commit in repository.history(repository.tip)]
    theirs = [commit.sha for commit in repository.history(repository.remote)]
    if repository.remote in ours or repository.remote == repository.aside:
        return ()
    aside = repository.aside
    if aside is None and repository.tip in theirs:
        advance(repository, repository.commits[repository.remote], now)
        return ()
    base = repository.commits[aside or next(sha for sha in ours if sha in theirs)].tree
    remote = repository.commits[repository.remote]
    tree, conflicts = merged_trees(base, repository.tree, remote.tree, theirs_win=theirs_win)
    parents = (repository.tip,) if aside else (repository.tip, remote.sha)
    merging = {CONTRIBUTOR: Contributor.ENGINE.value, MERGE_OP: effect.op_id if effect else ""}
    trailers = {} if aside else merging
    advance(repository, commit_of(tree, parents, trailers), now)
    repository.aside = remote.sha if aside else None
    return conflicts


def human_edits(repository: MemoryRepository) -> set[str]:
    history = repository.history(repository.tip)
    marked = next((commit for commit in history if OP in commit.trailers and SYNC in commit.trailers), None)
    since = marked.trailers[SYNC] if marked else repository.adopted or repository.tip
    old = {commit.sha for commit in repository.history(since)}
    new = [commit for commit in history if commit.sha not in old and commit.human]
    return {path for commit in new for path in repository.changed(commit)}


def edited_today(repository: MemoryRepository, effect: Effect) -> set[str]:
    day = effect.issued_at.astimezone(UTC).date()
    made = repository.made_at
    new = (
        commit
        for commit in repository.history(repository.tip)
        if commit.human and made.get(commit.sha, effect.issued_at).astimezone(UTC).date() == day
    )
    return {path for commit in new if commit.parents for path in repository.changed(commit)}
