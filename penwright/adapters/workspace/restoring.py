"""Rolling back to a session tag, and undoing it; everything discarded is archived first."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from penwright.adapters.workspace import peoples_changes, recording
from penwright.adapters.workspace.git.commits import Commit
from penwright.adapters.workspace.git.entries import REGULAR, Entry
from penwright.adapters.workspace.git.repository import RefMoved, Repository
from penwright.adapters.workspace.lost_sessions import lost_ref
from penwright.adapters.workspace.peoples_changes import Kept
from penwright.adapters.workspace.replaying import replayed
from penwright.adapters.workspace.syncing import rewind_ref, stamp
from penwright.adapters.workspace.trees import Change, changed, difference, entry_at
from penwright.adapters.workspace.worktree import Unsaved, Worktree, is_known
from penwright.adapters.workspace.worktree_journal import WorktreeJournal
from penwright.domain.text.globs import Globs
from penwright.domain.trailers import CONTRIBUTOR, RESET, STEP
from penwright.errors import NotFound, Refused, WorkspaceBusy
from schemas.base import CommitSha, Effect
from schemas.workspace import Contributor, Restored, RestorePlan

_ARCHIVES = "refs/penwright/archive"
_RETIRED = "refs/penwright/retired"
_FROM, _BRANCH, _TARGET, _GOAL = (
    "Penwright-Archived",
    "Penwright-Branch",
    "Penwright-Target",
    "Penwright-Goal",
)
_KEPT = "Penwright-Kept"
_TAGS, _UNDOES, _COUNT = "Penwright-Retired", "Penwright-Undoes", "Penwright-Discarded"
_ATTEMPTS = 6


@dataclass(frozen=True, slots=True)
class Goal:
    """The commit to which the branch moves."""

    name: str
    commit: str
    undoes: Commit | None = None
    """The archive whose unsaved edits are restored as well."""

    @property
    def is_reset(self) -> bool:
        """Whether it undoes a reset: what was begun since in its place does not stay."""
        return self.undoes is not None and self.undoes.trailers[_TARGET] == self.undoes.trailers[_BRANCH]


@dataclass(frozen=True, slots=True)
class _Way:
    """A way back from a state of branch and files, made in objects; nothing has moved."""

    tip: str
    goal: Goal
    kept: Kept
    changes: Mapping[str, Change]
    """Of the branch."""
    edits: Sequence[Unsaved]
    unsaved: Mapping[str, tuple[str | None, Entry | None]]
    """Files at the goal that unsaved edits change: the blob there, and the entry with the edit."""
    gone: tuple[str, ...]
    """As in ``Restored.gone_with``."""


def session_tags(repository: Repository, tip: str) -> dict[str, str]:
    """Session tags reachable from ``tip`` since the last reset, oldest first, and their commits."""
    refs = repository.refs("refs/tags/ink-*", _RETIRED)
    raw = repository.git.run(
        "log", "--topo-order", f"--format=%H %(trailers:key={STEP},valueonly,separator=%x2C)", tip
    )
    age: dict[str, int] = {}
    for at, line in enumerate(raw.decode("utf-8", "replace").splitlines()):
        sha, _, reset = line.partition(" ")
        if reset.strip() == RESET:
            break
        age[sha] = at
    alive = {
        name.removeprefix("refs/tags/"): sha
        for name, sha in refs.items()
        if name.startswith("refs/tags/")
        and sha in age
        and f"{_RETIRED}/{name.removeprefix('refs/tags/')}" not in refs
    }
    return dict(sorted(alive.items(), key=lambda tag: (-age[tag[1]], _suffixed(tag[0]))))


def _suffixed(name: str) -> tuple[str, int]:
    """Sorts ``…-2`` after the plain name and before ``…-10``."""
    parts = re.fullmatch(r"(ink-\d+-\d+-\d+-\d+-\d+)(?:-(\d+))?", name)
    return (parts[1], int(parts[2] or 1)) if parts else (name, 1)


def restore(
    repository: Repository,
    effect: Effect,
    *,
    target: str | None,
    undo: bool,
    known: Sequence[str],
    listed: str = "",
) -> Restored:
    """Archive everything, then move branch and files to the goal; once per effect.

    What people changed meanwhile stays, except where a reset is undone: their commits again on top of the
    goal, their unsaved edits in the files. Only in passages that the session wrote it goes with them.

    Raises:
        Refused: ``stale-revision``, where the book is not as the plan with the digest ``listed`` found it.
    """
    worktree = Worktree.of(repository)
    for _ in range(_ATTEMPTS):
        done = _done(repository, effect)
        if done is not None:
            return done
        way = _way_back(repository, worktree, effect, target=target, undo=undo, known=known)
        _check_listed(repository, worktree, way, listed)
        try:
            return _go(repository, worktree, effect, way)
        except RefMoved:
            continue
    raise WorkspaceBusy(
        "branch-keeps-moving", f"{repository.workspace.branch!r} keeps moving; try again in a moment"
    )


def archive(repository: Repository, effect: Effect, known: Sequence[str]) -> Restored:
    """Archive the current state, unsaved edits included; once per effect."""
    worktree = Worktree.of(repository)
    done = _done(repository, effect)
    if done is not None:
        return done
    tip = repository.tip()
    goal = Goal(repository.workspace.branch, tip)
    way = _Way(tip, goal, Kept(tip), {}, _edits(worktree, tip, known), {}, ())
    made = _archive(repository, worktree, effect, way, retired=())
    try:
        repository.move([f"create {_name(repository, effect)} {made.sha}"], why="archive")
    except RefMoved as moved:
        raise WorkspaceBusy(
            "branch-keeps-moving", "the archive's name was taken; try again in a moment"
        ) from moved
    return _restored(repository, _name_of(repository, made.sha), made)


def planned(
    repository: Repository, effect: Effect, *, target: str | None, undo: bool, known: Sequence[str]
) -> RestorePlan:
    """Plan a ``restore``; moves nothing."""
    worktree = Worktree(repository, WorktreeJournal.of(repository.layout.private))
    way = _way_back(repository, worktree, effect, target=target, undo=undo, known=known)
    return _plan(repository, worktree, way, undo=undo)


def planned_acceptance(
    repository: Repository, effect: Effect, fetched: tuple[str, str], *, known: Sequence[str]
) -> RestorePlan:
    """List the commits that ``settle_lost`` would take out now; moves nothing."""
    worktree = Worktree(repository, WorktreeJournal.of(repository.layout.private))
    way = _way_to_remote(repository, worktree, effect, _lost(repository, fetched), known)
    return _plan(repository, worktree, way).model_copy(update={"accept_remote": True})


def _plan(repository: Repository, worktree: Worktree, way: _Way, *, undo: bool = False) -> RestorePlan:
    goal = way.goal
    since = _titles(repository, *_tips(repository, way.tip), f"^{goal.commit}")
    back = _titles(repository, goal.commit, f"^{way.tip}") if undo else {}
    again = _archived(repository, goal)
    return RestorePlan(
        target=goal.name,
        at=_titles(repository, "-1", goal.commit)[goal.commit],
        undo=undo,
        commits=tuple(told for sha, told in since.items() if sha not in way.kept.commits),
        back=tuple(back.values()),
        back_unsaved=tuple(sorted(again)),
        unsaved=tuple(edit.path for edit in way.edits),
        kept=tuple(
            told
            for sha, told in since.items()
            if sha in way.kept.commits and not peoples_changes.is_reading(repository.objects.commit(sha))
        ),
        gone_with=way.gone,
        digest=_digest(repository, worktree, way),
    )


def _way_back(
    repository: Repository,
    worktree: Worktree,
    effect: Effect,
    *,
    target: str | None,
    undo: bool,
    known: Sequence[str],
) -> _Way:
    tip = repository.tip()
    goal = _undo_goal(repository, target) if undo else _tag_goal(repository, tip, target)
    if goal.is_reset:
        kept = Kept(goal.commit)
    else:
        # An undo brings back the commits that the rollback made again.
        again = (goal.undoes.trailers[_GOAL],) if goal.undoes else ()
        kept = peoples_changes.kept(repository, effect, tip, goal.commit, without=again)
    return _way_to(repository, worktree, tip, goal, kept, known)


def _way_to(
    repository: Repository, worktree: Worktree, tip: str, goal: Goal, kept: Kept, known: Sequence[str]
) -> _Way:
    changes = difference(repository.objects, repository.tree(tip), repository.tree(kept.tip))
    edits = _edits(worktree, tip, known, ways=changes)
    made = _made_of(repository, worktree, () if goal.is_reset else edits)
    unsaved, gone = _unsaved_there(repository, kept, (_archived(repository, goal), made), changes)
    if goal.is_reset:
        gone = tuple(edit.path for edit in edits)
    return _Way(tip, goal, kept, changes, edits, unsaved, tuple(sorted({*kept.gone, *gone})))


def _check_listed(repository: Repository, worktree: Worktree, way: _Way, listed: str) -> None:
    if listed and listed != _digest(repository, worktree, way):
        raise Refused("stale-revision", "the book was changed since this was listed; nothing was taken back")


def _digest(repository: Repository, worktree: Worktree, way: _Way) -> str:
    """One hash of the state of branch, remote and files from which a way back starts, and where it leads."""
    edits = [[edit.path, worktree.blob_id(edit.path)] for edit in way.edits]
    state = [way.goal.name, way.goal.commit, *_tips(repository, way.tip), edits]
    return hashlib.sha256(json.dumps(state).encode()).hexdigest()


def _tips(repository: Repository, tip: str) -> list[str]:
    """The tip of the branch, and the remote's if that has what the branch lacks."""
    remote = repository.objects.resolve(repository.tracking)
    return [tip] if remote is None or repository.is_ancestor(remote, tip) else [tip, remote]


def _titles(repository: Repository, *revisions: str) -> dict[str, str]:
    """Abbreviated id and title of commits by their ids, newest first."""
    raw = repository.git.run("log", "--format=%H %h %s", *revisions, "--")
    lines = [line.partition(" ") for line in raw.decode("utf-8", "replace").splitlines()]
    return {sha: told for sha, _, told in lines}


def settle_lost(
    repository: Repository,
    effect: Effect,
    fetched: tuple[str, str],
    *,
    accept: bool,
    known: Sequence[str],
    listed: str = "",
) -> Restored:
    """Decide on what the remote lost: archive it and follow the remote, or let the next push bring it.

    What was committed here since stays on top, commit by commit, as do unsaved edits; once per effect.

    Raises:
        Refused: ``nothing-lost``; ``remote-not-asked``, where nothing is known to be lost and the remote does
            not answer; ``ledger-damaged``, where the remote's ledger cannot be continued;
            ``stale-revision``, where book or remote are not as the plan ``listed`` by its digest found them.
    """
    if (done := _done(repository, effect)) is not None:
        return done
    lost = _lost(repository, fetched)
    note = f"delete {lost_ref(repository)} {lost}"
    try:
        if not accept:
            repository.move([note], why="publish again what the remote lost")
            tip, name = CommitSha(repository.tip()), _remote_branch(repository)
            return Restored(tip=tip, archive="", target=name, discarded_commits=0)
        worktree = Worktree.of(repository)
        way = _way_to_remote(repository, worktree, effect, lost, known)
        _check_listed(repository, worktree, way, listed)
        return _go(repository, worktree, effect, way, refs=[note])
    except RefMoved as moved:
        raise WorkspaceBusy("branch-keeps-moving", "the branch moves; try again in a moment") from moved


def _way_to_remote(
    repository: Repository, worktree: Worktree, effect: Effect, lost: str, known: Sequence[str]
) -> _Way:
    """To the remote's tip; what came here since it had what it ``lost`` stays on top."""
    tip, remote = repository.tip(), repository.objects.resolve(repository.tracking)
    assert remote is not None, "what it lost was noted"
    kept = replayed(repository, effect, tip, lost, remote)
    return _way_to(repository, worktree, tip, Goal(_remote_branch(repository), remote), kept, known)


def _remote_branch(repository: Repository) -> str:
    return f"{repository.workspace.remote}/{repository.workspace.branch}"


def _lost(repository: Repository, fetched: tuple[str, str]) -> str:
    """The last tip of the remote that had what it lost."""
    lost, remote = (repository.objects.resolve(ref) for ref in (lost_ref(repository), repository.tracking))
    if lost is None or remote is None:
        raise _nothing_lost(*fetched)
    return lost


def _nothing_lost(remote: str, reason: str) -> Refused:
    if remote != "unreachable":
        return Refused("nothing-lost", "the remote has everything that was published")
    return Refused(
        "remote-not-asked",
        f"nothing is known to be lost, but the remote did not answer: {reason}",
        hint="run the command again when the remote can be reached",
    )


def _go(
    repository: Repository, worktree: Worktree, effect: Effect, way: _Way, *, refs: Sequence[str] = ()
) -> Restored:
    tip, goal, kept, changes = way.tip, way.goal, way.kept, dict(way.changes)
    retired = [] if goal.undoes else _retired_by(repository, tip, goal)
    made = _archive(repository, worktree, effect, way, retired=retired)
    name = _name(repository, effect)
    refs = [
        *refs,
        f"create {name} {made.sha}",
        *_tag_moves(repository, retired, goal),
        *_rewind(repository, goal),
        *recording.revoke(repository, effect, goal.commit, kept.recorded),
    ]
    on_disk = {
        edit.path: worktree.blob_id(edit.path) for edit in way.edits if edit.tracked or edit.path in changes
    }
    for path, sha in on_disk.items():
        entry = _entry_in(repository, kept.tip, path)
        changes.setdefault(path, (Entry(REGULAR, sha) if sha and sha != "?" else None, entry))
    worktree.advance(tip, kept.tip, changes, why=f"restore {goal.name}", refs=refs, expected=on_disk)
    if repository.on_branch():
        back = {path: each for path, each in way.unsaved.items() if goal.undoes or path in on_disk}
        worktree.restore_unsaved(back)
    return _restored(repository, name, made)


def _unsaved_there(
    repository: Repository, kept: Kept, edits: Sequence[Mapping[str, Change]], ways: Mapping[str, Change]
) -> tuple[dict[str, tuple[str | None, Entry | None]], tuple[str, ...]]:
    """The files at the goal as unsaved edits change them, and those that have no place for all of them."""
    objects, tree = repository.objects, repository.tree(kept.tip)
    now, entries, gone = tree, dict[str, Entry | None](), set[str]()
    for changes in edits:
        after, without_place = peoples_changes.applied(repository, now, changes, ways)
        entries |= after
        gone |= set(without_place)
        now = changed(objects, tree, entries)
    there = {path: entry_at(objects, tree, path) for path in entries}
    return {path: (each.sha if each else None, entries[path]) for path, each in there.items()}, tuple(gone)


def _archived(repository: Repository, goal: Goal) -> Mapping[str, Change]:
    """The unsaved edits that an undo brings back, by path."""
    if goal.undoes is None:
        return {}
    return difference(repository.objects, repository.tree(goal.commit), goal.undoes.tree)


def _made_of(repository: Repository, worktree: Worktree, edits: Sequence[Unsaved]) -> dict[str, Change]:
    """The changes of the branch's files by unsaved edits."""
    changes: dict[str, Change] = {}
    for edit in edits:
        if edit.removed:
            changes[edit.path] = (edit.before, None)
        elif edit.after is not None:
            content = repository.objects.write_blob(worktree.read(edit))
            changes[edit.path] = (edit.before, Entry(edit.after, content))
    return changes


def _entry_in(repository: Repository, commit: str, path: str) -> Entry | None:
    return entry_at(repository.objects, repository.tree(commit), path)


def _edits(
    worktree: Worktree, tip: str, known: Sequence[str], *, ways: Mapping[str, object] | None = None
) -> list[Unsaved]:
    """Unsaved edits that would be discarded, or of files known to the layout."""
    if not worktree.repository.on_branch():
        return []
    found, _ = worktree.unsaved(tip)
    claimed = Globs.of(known)
    return [edit for edit in found if is_known(edit, claimed) or (ways is not None and edit.path in ways)]


def _archive(
    repository: Repository, worktree: Worktree, effect: Effect, way: _Way, *, retired: Sequence[str]
) -> Commit:
    """A commit whose parents are the tips and whose tree holds the unsaved state."""
    objects, goal, kept = repository.objects, way.goal, way.kept
    entries: dict[str, Entry | None] = {}
    for edit in way.edits:
        if edit.removed:
            entries[edit.path] = None
        elif edit.after is not None:
            entries[edit.path] = Entry(edit.after, objects.write_blob(worktree.read(edit)))
    tree = changed(objects, repository.tree(way.tip), entries)
    parents = _tips(repository, way.tip)
    count = int(repository.git.run("rev-list", "--count", *parents, f"^{goal.commit}").decode())
    trailers = [
        (_FROM, effect.op_id),
        (_BRANCH, repository.workspace.branch),
        (_TARGET, goal.name),
        (_GOAL, kept.tip),
        (_COUNT, str(count - len(kept.commits))),
        (_KEPT, json.dumps({"commits": len(kept.commits), "gone": way.gone})),
        *([(_TAGS, " ".join(retired))] if retired else []),
        *([(_UNDOES, goal.undoes.sha)] if goal.undoes else []),
        (CONTRIBUTOR, Contributor.ENGINE.value),
    ]
    return objects.commit(repository.commit(tree, parents, effect, f"Archive before {goal.name}", trailers))


def _tag_goal(repository: Repository, tip: str, target: str | None) -> Goal:
    tags = session_tags(repository, tip)
    if target is None:
        if not tags:
            raise NotFound("no-session-tag", f"{repository.workspace.path!r} has no session to go back to")
        name = list(tags)[-1]
        return Goal(name, tags[name])
    if target in tags:
        return Goal(target, tags[target])
    plain = re.fullmatch(r"[A-Za-z0-9._-]+", target)
    commit = repository.objects.resolve(target) if plain and re.fullmatch(r"[0-9a-f]{7,64}", target) else None
    if commit is None and plain:
        commit = repository.objects.resolve(f"refs/tags/{target}")
    if commit is None:
        raise NotFound(
            "no-such-tag", f"there is no session tag {target!r}; list them with `git tag`", target=target
        )
    if not repository.is_ancestor(commit, tip):
        raise Refused(
            "target-not-behind",
            f"{target!r} is not an ancestor of the branch; to reverse a rollback, undo it",
            target=target,
        )
    return Goal(target, commit)


def can_undo(repository: Repository) -> bool:
    """Whether a rollback or reset of the branch is left to undo."""
    return bool(_undoable(repository))


def _archives(repository: Repository) -> dict[str, Commit]:
    """Find the archives of this branch, by ref."""
    archives = {name: repository.objects.commit(sha) for name, sha in repository.refs(_ARCHIVES).items()}
    return {
        name: commit
        for name, commit in archives.items()
        if commit.trailers.get(_BRANCH) == repository.workspace.branch and _FROM in commit.trailers
    }


def _undoable(repository: Repository) -> dict[str, Commit]:
    """Archives of rollbacks and resets that were not undone."""
    own = _archives(repository)
    undone = {commit.trailers[_UNDOES] for commit in own.values() if _UNDOES in commit.trailers}
    return {
        name: commit
        for name, commit in own.items()
        if _UNDOES not in commit.trailers and commit.sha not in undone
    }


def _undo_goal(repository: Repository, target: str | None) -> Goal:
    if target is not None:
        found = {
            name: commit
            for name, commit in _archives(repository).items()
            if target in (name, name.removeprefix(_ARCHIVES + "/"))
        }
    else:
        found = _undoable(repository)
    if not found:
        what = f"there is no archive {target!r}" if target else "there is no rollback or reset left to undo"
        step = f"`git for-each-ref {_ARCHIVES}` in the book lists everything that was set aside"
        raise NotFound("no-such-archive", what, hint=step)
    newest = max(found)
    return Goal(newest, found[newest].parents[0], found[newest])


def _retired_by(repository: Repository, tip: str, goal: Goal) -> list[str]:
    """The goal's tag and later ones: the next rollback goes further back."""
    tags = session_tags(repository, tip)
    if goal.name in tags:
        names = list(tags)
        return names[names.index(goal.name) :]
    return [name for name, sha in tags.items() if not repository.is_ancestor(sha, goal.commit)]


def _tag_moves(repository: Repository, retired: Sequence[str], goal: Goal) -> list[str]:
    objects = repository.objects
    moves: list[str] = []
    for name in retired:
        found = objects.find(f"refs/tags/{name}")
        if found:
            moves += [f"delete refs/tags/{name} {found[0]}", f"update {_RETIRED}/{name} {found[0]}"]
    for name in goal.undoes.trailers.get(_TAGS, "").split() if goal.undoes else ():
        found = objects.find(f"{_RETIRED}/{name}")
        if found:
            moves += [f"delete {_RETIRED}/{name} {found[0]}", f"update refs/tags/{name} {found[0]}"]
        noted = f"refs/penwright/remotes/{repository.workspace.remote}/retired/{name}"
        if note := objects.find(noted):
            moves.append(f"delete {noted} {note[0]}")
    return moves


def _rewind(repository: Repository, goal: Goal) -> list[str]:
    """Mark the remote tip that is rolled back: push may overwrite it, sync ignores it."""
    remote = repository.objects.resolve(repository.tracking)
    marked = repository.objects.resolve(rewind_ref(repository))
    if remote is not None and not repository.is_ancestor(remote, goal.commit):
        return [f"update {rewind_ref(repository)} {remote}"]
    return [f"delete {rewind_ref(repository)} {marked}"] if marked else []


def _name(repository: Repository, effect: Effect) -> str:
    return f"{_ARCHIVES}/{stamp(repository)}-{_short(effect)}"


def _short(effect: Effect) -> str:
    return hashlib.sha256(effect.op_id.encode()).hexdigest()[:8]


def _name_of(repository: Repository, sha: str) -> str:
    return next(name for name, found in repository.refs(_ARCHIVES).items() if found == sha)


def _done(repository: Repository, effect: Effect) -> Restored | None:
    for name, sha in repository.refs(_ARCHIVES).items():
        if name.endswith(_short(effect)):
            commit = repository.objects.commit(sha)
            if commit.trailers.get(_FROM) == effect.op_id:
                return _restored(repository, name, commit)
    return None


def _restored(repository: Repository, name: str, made: Commit) -> Restored:
    saved = difference(repository.objects, repository.tree(made.parents[0]), made.tree)
    kept = json.loads(made.trailers.get(_KEPT, "{}"))
    return Restored(
        tip=CommitSha(made.trailers[_GOAL]),
        archive=name,
        target=made.trailers[_TARGET],
        discarded_commits=int(made.trailers[_COUNT]),
        saved_unsaved=tuple(sorted(path for path in saved if path.isprintable())),
        kept_commits=kept.get("commits", 0),
        gone_with=tuple(kept.get("gone", ())),
    )
