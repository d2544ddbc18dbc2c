"""Publishing a plan as one commit: the only way to change text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from penwright.adapters.workspace import recording, resolve_plan, trees
from penwright.adapters.workspace.committed import CommittedTree
from penwright.adapters.workspace.git.commits import Commit
from penwright.adapters.workspace.git.entries import FOLDER, LINK, REGULAR, Entry
from penwright.adapters.workspace.git.repository import ENGINE, RefMoved, Repository
from penwright.adapters.workspace.resolve_plan import Resolved
from penwright.adapters.workspace.saving import author_of
from penwright.adapters.workspace.trees import Change
from penwright.adapters.workspace.worktree import Worktree
from penwright.domain.asked import asked_by, refuse_another
from penwright.domain.trace.recorder.commit_context import CommitContext, TextChange
from penwright.domain.trailers import AUTHORSHIP, CONTRIBUTOR, MODEL, OP, OVERRIDES, RECONCILED, REQUEST, TAG
from penwright.errors import Refused, WorkspaceBusy
from penwright.ports.workspaces import Gate, GateCase
from schemas.base import CommitSha, Effect
from schemas.workspace import Contributor, Denial, MutationPlan, Published, Rename

_ATTEMPTS = 6


def publish(repository: Repository, gate: Gate, plan: MutationPlan, effect: Effect) -> Published:
    """Commit ``plan``, once per effect; the result says why, if it was not committed."""
    if (denial := resolve_plan.escaping(plan)) is not None:
        return Published(outcome="denied", denial=denial)
    resolve_plan.refuse_unsound(plan)
    worktree = Worktree.of(repository)
    for _ in range(_ATTEMPTS):
        tip = repository.tip()
        done = repository.done(tip, effect)
        if done is not None:
            refuse_another(effect.op_id, asked_by(plan), done.trailers)
            return repeated(done)
        try:
            return _publish_on(repository, worktree, tip, gate, plan, effect)
        except RefMoved:
            continue
    raise WorkspaceBusy(
        "branch-keeps-moving",
        f"{repository.workspace.branch!r} moved {_ATTEMPTS} times during one publish; try again in a moment",
    )


def repeated(done: Commit) -> Published:
    """Result of the earlier attempt that made ``done``."""
    return Published(
        outcome="published",
        commit=CommitSha(done.sha),
        tag=done.trailers.get(TAG),
        repeated=True,
        trailers=dict(done.trailers),
        reconciled=RECONCILED in done.trailers,
    )


def _publish_on(
    repository: Repository, worktree: Worktree, tip: str, gate: Gate, plan: MutationPlan, effect: Effect
) -> Published:
    """One attempt on ``tip``; raises ``RefMoved`` when the branch left it."""
    at_tip = _AtTip(repository, repository.tree(tip))
    resolved = resolve_plan.resolve(plan, at_tip)
    if resolved.conflicts:
        return Published(outcome="conflict", reconciled=resolved.moved, conflicts=tuple(resolved.conflicts))
    denial = _judged(gate, plan, effect, at_tip, resolved)
    if denial is not None:
        return Published(outcome="denied", denial=denial)
    if not resolved.contents:
        return Published(outcome="unchanged", commit=CommitSha(tip))
    if plan.contributor is Contributor.HUMAN and repository.on_branch():
        _refuse_links(worktree, at_tip, resolved)
    texts = _write_texts(at_tip, resolved)
    trail = recording.trail(
        repository, tip, context_of(plan, effect), _text_changes(plan, at_tip, resolved, texts)
    )
    if trail.recorded.damage:
        return Published(outcome="denied", denial=damaged(trail.recorded.damage))
    changes = {**texts, **trail.changes}
    tag = _free_tag(repository, plan.tag) if plan.tag else None
    trailers = [*_trailers(plan, effect, tag, reconciled=resolved.moved), *trail.trailers]
    commit = _write_commit(repository, tip, changes, plan, effect, trailers)
    refs = [f"create refs/tags/{tag} {tip}"] if tag else []
    refs += recording.note(repository, effect, commit, trail)
    unsaved = worktree.advance(tip, commit, changes, why="publish", refs=refs)
    return Published(
        outcome="published",
        commit=CommitSha(commit),
        tag=tag,
        trailers=dict(repository.objects.commit(commit).trailers),
        reconciled=resolved.moved,
        unsaved=unsaved,
    )


def _judged(
    gate: Gate, plan: MutationPlan, effect: Effect, at_tip: "_AtTip", resolved: Resolved
) -> Denial | None:
    committed = CommittedTree(at_tip.repository.objects, at_tip.tree)
    return gate.judge(GateCase(plan, committed, resolved.contents, effect.op_id))


def _trailers(
    plan: MutationPlan, effect: Effect, tag: str | None, *, reconciled: bool
) -> list[tuple[str, str]]:
    """Trailers of the commit; the ledger adds its own."""
    trailers = [(OP, effect.op_id), (REQUEST, asked_by(plan)), *plan.trailers]
    trailers += [(CONTRIBUTOR, _writer(plan).value)]
    trailers += [(TAG, tag)] if tag else []
    trailers += [(RECONCILED, "yes")] if reconciled else []
    return trailers


def _write_commit(
    repository: Repository,
    tip: str,
    changes: Mapping[str, Change],
    plan: MutationPlan,
    effect: Effect,
    trailers: Sequence[tuple[str, str]],
) -> str:
    entries = {path: after for path, (_, after) in changes.items()}
    tree = trees.changed(repository.objects, repository.tree(tip), entries)
    by_a_person = plan.contributor is Contributor.HUMAN
    return repository.commit(
        tree,
        [tip],
        effect,
        plan.message,
        trailers,
        author=author_of(repository) if by_a_person else ENGINE,
    )


def _write_texts(at_tip: "_AtTip", resolved: Resolved) -> dict[str, Change]:
    """Write the new contents; entries before and after. Modes stay, also that of a renamed file."""
    moved = {
        entry.sha: entry.mode
        for path, content in resolved.contents.items()
        if content is None and (entry := at_tip.entry(path)) is not None
    }
    changes: dict[str, Change] = {}
    for path, content in resolved.contents.items():
        before = at_tip.entry(path)
        if content is None:
            changes[path] = (before, None)
            continue
        kept = isinstance(content, str)
        sha = content if isinstance(content, str) else at_tip.repository.objects.write_blob(content)
        mode = before.mode if before else moved.get(sha, REGULAR) if kept else REGULAR
        changes[path] = (before, Entry(mode, sha))
    return changes


def _writer(plan: MutationPlan) -> Contributor:
    """Whose the words of the change are."""
    return Contributor.ENGINE if plan.marks_alone else plan.contributor


def context_of(plan: MutationPlan, effect: Effect) -> CommitContext:
    """Author, tool and reason of the commit of ``plan``."""
    return CommitContext(
        effect=effect,
        contributor=_writer(plan),
        tool=plan.tool,
        model=dict(plan.trailers).get(MODEL, ""),
        pin=plan.pin,
        declared=plan.mutation,
        approval=plan.approval,
        authorship=dict(plan.trailers).get(AUTHORSHIP, ""),
        overrides=dict(plan.trailers).get(OVERRIDES, ""),
    )


def _text_changes(
    plan: MutationPlan, at_tip: "_AtTip", resolved: Resolved, changes: Mapping[str, Change]
) -> dict[str, TextChange]:
    """Changes for the ledger; a renamed file is one change, under its new name."""
    sources = {each.to: each.path for each in plan.operations if isinstance(each, Rename)}
    renamed = {sources[path] for path, content in resolved.contents.items() if isinstance(content, str)}
    text_changes: dict[str, TextChange] = {}
    for path, (before, after) in changes.items():
        content = resolved.contents[path]
        if isinstance(content, str):
            text_changes[path] = TextChange(None, None, content, content, sources[path])
        elif path not in renamed:
            old = at_tip.content(path, before.sha) if before else None
            text_changes[path] = TextChange(
                old, content, before.sha if before else None, after.sha if after else None
            )
    return text_changes


def damaged(damage: str) -> Denial:
    """Denial while the ledger at the tip is damaged."""
    return Denial(
        error_type="HOOK_BLOCKED",
        error_code="LEDGER_DAMAGED",
        message=f"the ledger of changes is damaged ({damage})",
        recoverable=True,
        action_hint="pull if the remote has more; `penwright trace verify BOOK` says what is wrong, "
        "`penwright trace repair BOOK` puts it back",
    )


def _free_tag(repository: Repository, wanted: str) -> str:
    """``wanted``, or with the first suffix no tag of this book's past or present has."""
    if not wanted.replace("-", "").replace(".", "").replace("_", "").isalnum() or ".." in wanted:
        raise Refused("unusable-tag", f"{wanted!r} cannot be a tag; use letters, digits and dashes")
    number = 1
    while True:
        name = wanted if number == 1 else f"{wanted}-{number}"
        spaces = (
            "refs/tags",
            "refs/penwright/retired",
            f"refs/penwright/remotes/{repository.workspace.remote}/tags",
        )
        if not any(repository.objects.find(f"{space}/{name}") for space in spaces):
            return name
        number += 1


@dataclass(frozen=True, slots=True)
class _AtTip:
    """The tip's contents, for ``resolve_plan``."""

    repository: Repository
    tree: str
    _read: dict[str, bytes | None] = field(default_factory=dict)
    """Contents by blob id, including absent ones."""

    def entry(self, path: str) -> Entry | None:
        return trees.entry_at(self.repository.objects, self.tree, path)

    def at_tip(self, path: str) -> str | None:
        parts = path.split("/")
        for depth in range(1, len(parts)):
            parent = self.entry("/".join(parts[:depth]))
            if parent is not None and parent.mode == LINK:
                raise _no_file(path, "is inside a symbolic link")
            if parent is not None and parent.mode != FOLDER:
                raise _no_file(path, f"lies below {'/'.join(parts[:depth])!r}, which is a file")
        entry = self.entry(path)
        if entry is not None and not entry.is_text_file:
            raise _no_file(path, "is a symbolic link, a folder or a submodule")
        return entry.sha if entry else None

    def content(self, path: str, blob: str) -> bytes | None:
        if blob not in self._read:
            self._read[blob] = self._found(blob)
        return self._read[blob]

    def _found(self, blob: str) -> bytes | None:
        if not blob or not all(sign in "0123456789abcdef" for sign in blob):
            return None
        return self.repository.objects.blob_if(blob)

    def blob_id(self, content: bytes) -> str:
        return self.repository.objects.blob_id(content)


def _refuse_links(worktree: Worktree, at_tip: _AtTip, resolved: Resolved) -> None:
    """A new text cannot be brought to a link that is no part of the branch: the folder would lack it."""
    for path, content in resolved.contents.items():
        if content is not None and at_tip.entry(path) is None and worktree.is_link(path):
            raise _no_file(path, "is a symbolic link, which git does not track")


def _no_file(path: str, what: str) -> Refused:
    return Refused("not-a-plain-file", f"{path!r} {what}; only plain files are changed", path=path)


class OpenGate:
    """Allows every plan."""

    def judge(self, case: GateCase) -> Denial | None:
        """None: nothing is denied."""
        return None
