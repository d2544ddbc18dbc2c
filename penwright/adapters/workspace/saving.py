"""People's unsaved edits: committed as theirs before the engine goes on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from penwright.adapters.workspace import recording
from penwright.adapters.workspace.contents import MergedContent, is_prose, merge_contents, text_of
from penwright.adapters.workspace.git.commits import Person
from penwright.adapters.workspace.git.entries import EXECUTABLE, LINK, REGULAR, Entry
from penwright.adapters.workspace.git.repository import RefMoved, Repository
from penwright.adapters.workspace.trees import Change, changed, difference, entry_at
from penwright.adapters.workspace.worktree import Unsaved, Worktree, is_known
from penwright.adapters.workspace.worktree_journal import Step
from penwright.domain.text.globs import Globs
from penwright.domain.text.merging.saving import Carried, with_carried
from penwright.domain.trace.layout import is_ledger
from penwright.domain.trace.recorder.commit_context import CommitContext
from penwright.domain.trailers import CONTRIBUTOR, SAVE_OP
from penwright.errors import WorkspaceBusy
from schemas.base import Effect
from schemas.workspace import Conflict, Contributor, IgnoredBecause

"""Not the trailer of publish: one effect may save people's edits and then publish a plan."""
LARGEST = 20 * 1024 * 1024
"""Bytes beyond which a person's file is not taken for text."""
_LISTED = 200
_ATTEMPTS = 6


@dataclass(slots=True)
class Saved:
    """Paths committed for people, conflicts resolved on the way, paths left out."""

    paths: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    ignored: tuple[str, ...] = ()
    because: Mapping[str, IgnoredBecause] = field(default_factory=dict)
    kept: tuple[str, ...] = ()
    """Paths that were deleted or emptied, which is never committed of them."""
    not_utf8: tuple[str, ...] = ()


@dataclass(slots=True)
class _Gathered:
    changes: dict[str, Change] = field(default_factory=dict)
    expected: dict[str, str | None] = field(default_factory=dict)
    conflicts: list[Conflict] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    because: dict[str, IgnoredBecause] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)
    not_utf8: list[str] = field(default_factory=list)
    """Those of them that are text in another encoding."""
    carried: dict[str, list[Carried]] = field(default_factory=dict)
    """A person's words for passages that a commit moved to the file of this path."""


def save(
    repository: Repository,
    worktree: Worktree,
    effect: Effect,
    known: Sequence[str],
    permanent: Sequence[str] = (),
    left: Sequence[str] = (),
) -> Saved:
    """Commit what people changed and did not commit; once per effect.

    ``permanent``: paths whose deletion, or emptying, is not committed; ``left``: paths not to commit at all.
    """
    for _ in range(_ATTEMPTS):
        if not repository.on_branch():
            return Saved()
        tip = repository.tip()
        gathered = _gather(repository, worktree, tip, known, permanent, left)
        left_out = _left_out(gathered)
        if not gathered.changes or already_saved(repository, tip, effect):
            return left_out
        try:
            _commit(repository, worktree, tip, effect, gathered)
        except RefMoved:
            continue
        paths, conflicts = tuple(sorted(gathered.changes)), tuple(gathered.conflicts)
        return replace(left_out, paths=paths, conflicts=conflicts)
    raise WorkspaceBusy(
        "branch-keeps-moving", f"{repository.workspace.branch!r} keeps moving; try again in a moment"
    )


def already_saved(repository: Repository, tip: str, effect: Effect) -> bool:
    """Whether an earlier attempt of this effect committed people's edits."""
    return any(
        commit.trailers.get(SAVE_OP) == effect.op_id for commit in repository.recent(tip, effect.issued_at)
    )


def unsaved_changes(
    repository: Repository, worktree: Worktree, tip: str, known: Sequence[str], permanent: Sequence[str]
) -> tuple[Mapping[str, Change], Saved]:
    """Find what ``save`` would commit on ``tip``, by path, and what it would leave out."""
    if not repository.on_branch():
        return {}, Saved()
    gathered = _gather(repository, worktree, tip, known, permanent)
    return gathered.changes, _left_out(gathered)


def _left_out(gathered: _Gathered) -> Saved:
    ignored = tuple(gathered.ignored[:_LISTED])
    return Saved(
        ignored=ignored,
        because={path: why for path, why in gathered.because.items() if path in ignored},
        kept=tuple(gathered.kept),
        not_utf8=tuple(gathered.not_utf8[:_LISTED]),
    )


def _gather(
    repository: Repository,
    worktree: Worktree,
    tip: str,
    known: Sequence[str],
    permanent: Sequence[str],
    left: Sequence[str] = (),
) -> _Gathered:
    edits, unnameable = worktree.unsaved(tip)
    gathered = _Gathered(ignored=list(unnameable))
    claimed = Globs.of(known)
    for edit in edits:
        if edit.path in left:
            continue
        if edit.before is not None and edit.path in permanent and _is_emptied(worktree, edit):
            gathered.kept.append(edit.path)
        elif not is_known(edit, claimed) or not _gather_edit(repository, worktree, edit, gathered):
            gathered.ignored.append(edit.path)
            if why := _why_ignored(worktree, edit, claimed):
                gathered.because[edit.path] = why
    for path, carried in gathered.carried.items():
        _gather_carried(repository, tip, path, carried, gathered)
    return gathered


def _why_ignored(worktree: Worktree, edit: Unsaved, claimed: Globs) -> IgnoredBecause | None:
    """Reason why a file is left out, if it is more than that the layout does not claim its name."""
    if not is_known(edit, claimed):
        stem, dot, ending = edit.path.rpartition(".")
        return "capitals" if f"{stem}{dot}{ending.lower()}" in claimed else None
    if edit.after == LINK:
        return "link"
    if worktree.is_folder(edit.path):
        return "folder"
    if is_ledger(edit.path) or edit.after not in (REGULAR, EXECUTABLE):
        return None
    if worktree.size(edit.path) > LARGEST:
        return "too-large"
    content = worktree.read(edit)
    if b"\0" in content:
        return "not-text"
    return "new-not-utf8" if edit.before is None and text_of(content) is None else None


def _is_emptied(worktree: Worktree, edit: Unsaved) -> bool:
    """Whether the file is gone or, which loses as much, holds only white space."""
    if edit.removed:
        return True
    is_file = edit.after in (REGULAR, EXECUTABLE) and worktree.size(edit.path) <= LARGEST
    return is_file and not worktree.read(edit).strip()


def _gather_edit(repository: Repository, worktree: Worktree, edit: Unsaved, gathered: _Gathered) -> bool:
    """Put one edit among the changes; False when it is no text of a person's."""
    if is_ledger(edit.path):
        # The engine's own: what lies in the worktree never becomes the branch's.
        return False
    if edit.removed:
        # A folder where the file was is no deletion: the text stays until a person says what it is to be.
        return not worktree.is_folder(edit.path) and _gather_removal(worktree, edit, gathered)
    if edit.after not in (REGULAR, EXECUTABLE) or worktree.size(edit.path) > LARGEST:
        return False
    if edit.before is not None and not edit.before.is_text_file:
        return False
    content = worktree.read(edit)
    if text_of(content) is None:
        gathered.not_utf8 += [edit.path] if b"\0" not in content else []
        return False
    on_disk = repository.objects.write_blob(content)
    merged = _with_branch(repository, worktree, edit, content, gathered)
    after = Entry(edit.after, repository.objects.write_blob(merged.content))
    if after == edit.before and not merged.carried:
        worktree.update_files({edit.path: (on_disk, after)})
        return True
    gathered.changes[edit.path] = (edit.before, after)
    gathered.expected[edit.path] = on_disk
    gathered.conflicts += merged.conflicts
    return True


def _gather_removal(worktree: Worktree, edit: Unsaved, gathered: _Gathered) -> bool:
    steps = worktree.journal.steps.get(edit.path)
    if edit.before is None:
        worktree.journal.drop([edit.path])
    elif steps is not None and steps[0].base != edit.before.sha:
        # The branch changed the file after the person saw it: the change outlives the removal.
        worktree.update_files({edit.path: (None, edit.before)})
    else:
        gathered.changes[edit.path] = (edit.before, None)
        gathered.expected[edit.path] = None
    return True


def _with_branch(
    repository: Repository, worktree: Worktree, edit: Unsaved, content: bytes, gathered: _Gathered
) -> MergedContent:
    """The edit, with what the branch changed since the text that was edited.

    Normally nothing. But a file that could not follow the branch, because it was being edited, was made
    from an older text; and if its editor committed it as it was, that commit took the branch's change back.
    """
    steps = worktree.journal.steps.get(edit.path)
    if steps is None:
        return MergedContent(content)
    objects = repository.objects
    base = objects.blob(steps[0].base) if steps[0].base else b""
    theirs = objects.blob(edit.before.sha) if edit.before else b""
    for lost in worktree.journal.reverted_blobs(edit.path, edit.before.sha if edit.before else None):
        theirs = merge_contents(edit.path, base, theirs, objects.blob(lost), again=True).content
    merged = merge_contents(edit.path, base, content, theirs)
    others = _changed_with(repository, edit.path, steps) if merged.conflicts else {}
    if others:
        merged = merge_contents(edit.path, base, content, theirs, elsewhere="\n\n".join(others.values()))
    for path, text in others.items():
        if with_carried(text, merged.carried) != text:
            gathered.carried.setdefault(path, []).extend(merged.carried)
    return merged


def _changed_with(repository: Repository, path: str, steps: Sequence[Step]) -> dict[str, str]:
    """The other prose, by path, of the commits that changed ``path``, as the branch has it now."""
    objects, tree = repository.objects, repository.tree(repository.tip())
    commits = [objects.commit(step.commit) for step in steps]
    found = {
        other: entry_at(objects, tree, other)
        for commit in commits
        for other in difference(objects, repository.tree(commit.parents[0]), commit.tree)
        if other != path and is_prose(other)
    }
    texts = {
        other: text_of(objects.blob(entry.sha))
        for other, entry in found.items()
        if entry and entry.is_text_file
    }
    return {other: text for other, text in texts.items() if text}


def _gather_carried(
    repository: Repository, tip: str, path: str, carried: Sequence[Carried], gathered: _Gathered
) -> None:
    objects = repository.objects
    now = entry_at(objects, repository.tree(tip), path)
    before, after = gathered.changes.get(path, (now, now))
    entry = after or before
    text = text_of(objects.blob(entry.sha)) if entry else None
    if entry is not None and text is not None:
        written = objects.write_blob(with_carried(text, carried).encode())
        gathered.changes[path] = (before, Entry(entry.mode, written))


def _commit(repository: Repository, worktree: Worktree, tip: str, effect: Effect, gathered: _Gathered) -> str:
    objects = repository.objects
    context = CommitContext(effect, Contributor.HUMAN, "save")
    # A damaged ledger keeps agents from writing, never a person's text from being saved.
    # A file of which all words were carried to another one is only brought up to date.
    texts = {path: change for path, change in gathered.changes.items() if change[0] != change[1]}
    made = recording.trail(repository, tip, context, recording.text_changes(repository, texts))
    changes = {**gathered.changes, **made.changes}
    entries = {path: after for path, (_, after) in changes.items()}
    tree = changed(objects, repository.tree(tip), entries)
    trailers = [(SAVE_OP, effect.op_id), (CONTRIBUTOR, Contributor.HUMAN.value), *made.trailers]
    commit = repository.commit(
        tree, [tip], effect, "Save the author's edits", trailers, author=author_of(repository)
    )
    worktree.advance(
        tip,
        commit,
        changes,
        why="save the author's edits",
        refs=recording.note(repository, effect, commit, made),
        expected=gathered.expected,
    )
    return commit


def author_of(repository: Repository) -> Person:
    """The person git is configured for in this repository."""
    _, raw, _ = repository.git.attempt("config", "-z", "--get-regexp", r"^user\.(name|email)$")
    pairs = (row.partition("\n") for row in raw.decode("utf-8", "replace").split("\0") if row)
    found = {key: value for key, _, value in pairs}
    return Person(found.get("user.name") or "Author", found.get("user.email") or "author@localhost")
