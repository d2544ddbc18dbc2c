"""How a repository in memory goes back, and forth again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from penwright.errors import NotFound
from schemas.base import CommitSha, Effect
from schemas.workspace import Restored, RestorePlan
from tests.support.doubles.workspaces.repository import MemoryArchive, MemoryRepository


@dataclass(frozen=True, slots=True)
class Leap:
    """Where the branch goes."""

    name: str
    """As the caller named it: a tag, a commit, an archive."""
    goal: str
    """The commit."""
    retired: Sequence[str] = ()
    """Tags that it loses."""
    undoes: str | None = None
    """Archive that is undone by it."""


def leap(repository: MemoryRepository, effect: Effect, to: Leap, now: datetime) -> Restored:
    """Archive the branch with what is not saved, and go to another commit."""
    unsaved = _unsaved(repository)
    there = {commit.sha for commit in repository.history(to.goal)}
    restored = Restored(
        tip=CommitSha(to.goal),
        archive=_archive_name(repository, now),
        target=to.name,
        discarded_commits=sum(commit.sha not in there for commit in repository.history(repository.tip)),
        saved_unsaved=tuple(sorted(unsaved)),
    )
    old = {tag: repository.tags.pop(tag) for tag in to.retired}
    repository.retired |= old.keys()
    repository.archives[restored.archive] = MemoryArchive(
        effect.op_id, restored, repository.tip, unsaved, old, to.undoes
    )
    behind = repository.remote is not None and repository.remote not in there
    repository.aside = repository.remote if behind else None
    _check_out(repository, to.goal, unsaved)
    return restored


def _check_out(repository: MemoryRepository, goal: str, unsaved: Mapping[str, bytes | None]) -> None:
    before = dict(repository.tree)
    repository.tip = goal
    there = repository.tree
    stays = {path: text for path, text in unsaved.items() if before.get(path) == there.get(path)}
    files = {**there, **stays}
    repository.worktree = {path: text for path, text in files.items() if text is not None}
    repository.bases.clear()


def undo(repository: MemoryRepository, effect: Effect, target: str | None, now: datetime) -> Restored:
    """Go back to what an archive holds; to the newest that was not undone, unless ``target`` names one."""
    name = brought_back(repository, target)
    archive = repository.archives[name]
    restored = leap(repository, effect, Leap(name, archive.back_to, undoes=name), now)
    repository.tags |= archive.retired
    repository.retired -= archive.retired.keys()
    for path, content in archive.unsaved.items():
        repository.worktree.pop(path, None)
        if content is not None:
            repository.worktree[path] = content
    return restored


def brought_back(repository: MemoryRepository, target: str | None) -> str:
    """The archive that an undo brings back."""
    known = [each for each in repository.archives if each == target]
    open_ones = known if target else undoable(repository)
    if not open_ones:
        raise NotFound("no-such-archive", "there is no rollback or reset left to undo")
    return open_ones[-1]


def plan(repository: MemoryRepository, name: str, goal: str, *, undo: bool) -> RestorePlan:
    """The commits and files that going to a commit would set aside, and bring back."""
    now, there = ({each.sha for each in repository.history(tip)} for tip in (repository.tip, goal))
    unsaved = _unsaved(repository)
    state = f"{name} {goal} {repository.tip} {repository.remote} {sorted(unsaved.items())}"
    return RestorePlan(
        target=name,
        at=goal,
        undo=undo,
        commits=tuple(now - there),
        back=tuple(there - now) if undo else (),
        back_unsaved=tuple(repository.archives[name].unsaved) if undo else (),
        unsaved=tuple(sorted(unsaved)),
        digest=sha256(state.encode()).hexdigest(),
    )


def _unsaved(repository: MemoryRepository) -> dict[str, bytes | None]:
    return {
        path: repository.worktree.get(path)
        for path in repository.tree.keys() | repository.worktree.keys()
        if repository.worktree.get(path) != repository.tree.get(path)
    }


def keep(repository: MemoryRepository, effect: Effect, name: str, now: datetime) -> Restored:
    """Archive the branch with what is not saved, and stay."""
    unsaved = {
        path: content for path, content in repository.worktree.items() if content != repository.tree.get(path)
    }
    restored = Restored(
        tip=CommitSha(repository.tip),
        archive=_archive_name(repository, now),
        target=name,
        discarded_commits=0,
        saved_unsaved=tuple(sorted(unsaved)),
    )
    repository.archives[restored.archive] = MemoryArchive(
        effect.op_id, restored, repository.tip, unsaved, {}, None
    )
    return restored


def earlier(repository: MemoryRepository, effect: Effect) -> Restored | None:
    """What an earlier attempt of ``effect`` restored or archived."""
    done = (each.restored for each in repository.archives.values() if each.op_id == effect.op_id)
    return next(done, None)


def undoable(repository: MemoryRepository) -> list[str]:
    """Archives of rollbacks and resets that were not undone, oldest first."""
    undone = {archive.undoes for archive in repository.archives.values()}
    return [
        name for name, archive in repository.archives.items() if archive.undoes is None and name not in undone
    ]


def _archive_name(repository: MemoryRepository, now: datetime) -> str:
    stamp = now.strftime("%Y%m%dT%H%M%S%fZ")
    return f"refs/penwright/archive/{stamp}-{len(repository.archives):08x}"
