"""Claiming a workspace at its remote: the commit that opens it is pushed at once, or taken back."""

from penwright.adapters.workspace import recording
from penwright.adapters.workspace.git.commits import Commit
from penwright.adapters.workspace.git.repository import RefMoved, Repository
from penwright.adapters.workspace.syncing import rewind_ref
from penwright.adapters.workspace.trees import difference
from penwright.adapters.workspace.worktree import Worktree
from penwright.domain.trailers import OP, TAG
from schemas.base import Effect


def has_moved(repository: Repository, tip: str) -> bool:
    """Whether the remote, as fetched last, has a commit that ``tip`` neither contains nor sets aside."""
    remote = repository.objects.resolve(repository.tracking)
    if remote is None or repository.is_ancestor(remote, tip):
        return False
    aside = repository.objects.resolve(rewind_ref(repository))
    return aside is None or not repository.is_ancestor(remote, aside)


def take_back(repository: Repository, effect: Effect) -> bool:
    """Undo the commit of ``effect`` and its tag; False if it is not the newest, or the remote has it."""
    worktree = Worktree.of(repository)
    tip = repository.tip()
    commit = repository.objects.commit(tip)
    if commit.trailers.get(OP) != effect.op_id or len(commit.parents) != 1:
        return False
    remote = repository.objects.resolve(repository.tracking)
    if remote is not None and repository.is_ancestor(tip, remote):
        return False
    parent = commit.parents[0]
    changes = difference(repository.objects, repository.tree(tip), repository.tree(parent))
    refs = (*_untagged(repository, commit, parent), *_unrecorded(repository, effect, tip, parent))
    try:
        worktree.advance(tip, parent, changes, why="take back what the remote did not take", refs=refs)
    except RefMoved:
        return False
    return True


def _untagged(repository: Repository, commit: Commit, parent: str) -> tuple[str, ...]:
    """The move that deletes the tag the commit made."""
    name = f"refs/tags/{commit.trailers[TAG]}" if TAG in commit.trailers else ""
    made = name and repository.objects.resolve(name) == parent
    return (f"delete {name} {parent}",) if made else ()


def _unrecorded(repository: Repository, effect: Effect, tip: str, parent: str) -> tuple[str, ...]:
    """The move that says the ledger went back on purpose, if the commit had written to it."""
    log = repository.objects.resolve(recording.log_of(repository))
    if log is None or repository.objects.commit(log).trailers.get(recording.COMMIT) != tip:
        return ()
    return tuple(recording.revoke(repository, effect, parent))
