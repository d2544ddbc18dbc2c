"""Claiming a workspace at its remote: the commit that opens it is pushed at once, or taken back."""

from collections.abc import Collection, Iterator

from penwright.adapters.workspace import lost_sessions, recording
from penwright.adapters.workspace.git.commits import Commit
from penwright.adapters.workspace.git.repository import RefMoved, Repository, contributor_of
from penwright.adapters.workspace.syncing import rewind_ref
from penwright.adapters.workspace.trees import difference
from penwright.adapters.workspace.worktree import Worktree
from penwright.domain.trailers import MERGE_OP, OP, TAG
from schemas.base import Effect
from schemas.workspace import Contributor


def has_moved(repository: Repository, tip: str) -> bool:
    """Whether the remote, as fetched last, has a commit that ``tip`` neither contains nor sets aside."""
    remote = repository.objects.resolve(repository.tracking)
    if remote is None or repository.is_ancestor(remote, tip) or lost_sessions.held(repository):
        return False
    aside = repository.objects.resolve(rewind_ref(repository))
    return aside is None or not repository.is_ancestor(remote, aside)


def take_back(repository: Repository, effect: Effect) -> bool:
    """Undo the commit of ``effect``, if there is one, its tag, and what the engine merged or added for it.

    The author's edits that were saved meanwhile stay.

    Returns:
        False if none of this is the newest, or the remote has it.
    """
    worktree = Worktree.of(repository)
    tip = repository.tip()
    commit = repository.objects.commit(tip)
    own = [tip] if commit.trailers.get(OP) == effect.op_id and len(commit.parents) == 1 else []
    taken = [*own, *_made_for(repository, effect, commit.parents[0] if own else tip)]
    remote = repository.objects.resolve(repository.tracking)
    if not taken or (remote is not None and repository.is_ancestor(tip, remote)):
        return False
    before = repository.objects.commit(taken[-1]).parents[0]
    changes = difference(repository.objects, repository.tree(tip), repository.tree(before))
    refs = (
        *(_untagged(repository, commit, commit.parents[0]) if own else ()),
        *_unrecorded(repository, effect, taken, before),
    )
    try:
        worktree.advance(tip, before, changes, why="take back an opening", refs=refs)
    except RefMoved:
        return False
    return True


def _made_for(repository: Repository, effect: Effect, commit: str) -> Iterator[str]:
    """The engine's own commits up to ``commit`` that parts of ``effect`` made, the newest first."""
    while True:
        made = repository.objects.commit(commit)
        ops = (made.trailers.get(name, "") for name in (OP, MERGE_OP))
        if contributor_of(made) is not Contributor.ENGINE or not any(
            op.startswith(f"{effect.op_id}/") for op in ops
        ):
            return
        yield commit
        commit = made.parents[0]


def _untagged(repository: Repository, commit: Commit, parent: str) -> tuple[str, ...]:
    """The move that deletes the tag the commit made."""
    name = f"refs/tags/{commit.trailers[TAG]}" if TAG in commit.trailers else ""
    made = name and repository.objects.resolve(name) == parent
    return (f"delete {name} {parent}",) if made else ()


def _unrecorded(
    repository: Repository, effect: Effect, taken: Collection[str], before: str
) -> tuple[str, ...]:
    """The move that says the ledger went back on purpose, if one of the commits had written to it."""
    log = repository.objects.resolve(recording.log_of(repository))
    if log is None or repository.objects.commit(log).trailers.get(recording.COMMIT) not in taken:
        return ()
    return tuple(recording.revoke(repository, effect, before))
