"""Preview of a sync without a commit: a verdict can fall before anything changes.

Only blobs and trees are written, which no ref reaches; the fetch notes what the remote has.
"""

from collections.abc import Mapping, Sequence

from penwright.adapters.workspace import lost_sessions, recording, saving, syncing
from penwright.adapters.workspace.git.repository import Repository
from penwright.adapters.workspace.publishing import damaged
from penwright.adapters.workspace.trees import Change, changed
from penwright.adapters.workspace.worktree import Worktree
from penwright.domain.text.globs import Globs
from penwright.domain.trace.recorder.commit_context import CommitContext
from schemas.base import Effect
from schemas.workspace import Contributor, Denial


def unsaved(
    repository: Repository, known: Sequence[str], permanent: Sequence[str]
) -> tuple[Mapping[str, Change], saving.Saved, str]:
    """People's unsaved edits, what of the folder is left out, and the tree of the tip with the edits."""
    tip = repository.tip()
    edits, left_out = saving.unsaved_changes(repository, Worktree.of(repository), tip, known, permanent)
    entries = {path: after for path, (_, after) in edits.items()}
    return edits, left_out, changed(repository.objects, repository.tree(tip), entries)


def has_moved(repository: Repository) -> bool:
    """Whether the remote, as fetched last, has commits that the branch lacks."""
    remote = repository.objects.resolve(repository.tracking)
    moved = remote is not None and not repository.is_ancestor(remote, repository.tip())
    return moved and not lost_sessions.held(repository)


def edited(
    repository: Repository, effect: Effect, unsaved_edits: Mapping[str, Change], engine: Sequence[str]
) -> tuple[str, ...]:
    """Paths people changed since the last engine commit: here, unsaved, and at the remote."""
    heads = [repository.tip()]
    remote = repository.objects.resolve(repository.tracking)
    if remote is not None and has_moved(repository):
        # A branch that is only behind has nothing of its own: what the remote's sessions took in is old.
        heads = [remote] if repository.is_ancestor(heads[0], remote) else [*heads, remote]
    committed = {path for head in heads for path in syncing.human_edits(repository, head, effect, engine)[0]}
    engine_files = Globs.of(engine)
    return tuple(sorted(committed | {path for path in unsaved_edits if path not in engine_files}))


def ledger_denial(repository: Repository, tree: str, effect: Effect, tool: str) -> Denial | None:
    """The denial that every plan of ``tool`` would get on ``tree``; None if its ledger is sound."""
    trail = recording.trail(
        repository, repository.tip(), CommitContext(effect, Contributor.ENGINE, tool), {}, tree=tree
    )
    return damaged(trail.recorded.damage) if trail.recorded.damage else None
