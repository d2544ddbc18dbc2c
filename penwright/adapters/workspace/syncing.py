"""Synchronising: people's unsaved edits, and what was pushed to the remote."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC
from itertools import islice

from penwright.adapters.workspace import lost_sessions, saving
from penwright.adapters.workspace.contents import is_prose, text_of
from penwright.adapters.workspace.git.commands import GitFailed, GitTimedOut
from penwright.adapters.workspace.git.commits import Commit
from penwright.adapters.workspace.git.complaints import first_line, remote_code
from penwright.adapters.workspace.git.repository import (
    NEAR,
    RefMoved,
    Repository,
    contributor_of,
)
from penwright.adapters.workspace.trees import Change, MergedTrees, changed, difference, entry_at, merge_trees
from penwright.adapters.workspace.worktree import Worktree
from penwright.domain.text.globs import Globs
from penwright.domain.text.merging.saving import gone_words
from penwright.domain.text.words import without_comments
from penwright.domain.trailers import CONTRIBUTOR, MERGE_OP, OP, RESET, SAVE_OP, STEP, SYNC, TRANSPLANTED
from penwright.errors import BrokenWorkspace, WorkspaceBusy
from schemas.base import CommitSha, Effect
from schemas.workspace import SILENT, Conflict, Contributor, Synced

_ATTEMPTS = 6
_SYNCED = re.compile(rf"(?m)^{SYNC}: |^{STEP}: {RESET}$")


def fetch(repository: Repository, *, timeout_s: float) -> tuple[str, str]:
    """Fetch; returns ``current``, ``none`` or ``unreachable``, and the reason. Moves no local branch."""
    workspace = repository.workspace
    if not has_remote(repository):
        return "none", ""
    notes = f"refs/penwright/remotes/{workspace.remote}"
    specs = (
        f"+{repository.ref}:{repository.tracking}",
        f"+refs/tags/ink-*:{notes}/tags/ink-*",
        f"+refs/penwright/archive/*:{notes}/archive/*",
        f"+refs/penwright/trace/*:{notes}/trace/*",
    )
    before = repository.objects.resolve(repository.tracking)
    try:
        _fetch(repository, specs, timeout_s)
    except GitFailed as failure:
        if not isinstance(failure, GitTimedOut) and "couldn't find remote ref" in failure.stderr:
            _forget(repository)
            return "current", f"the remote has no branch {workspace.branch!r} yet"
        code = SILENT if isinstance(failure, GitTimedOut) else remote_code(failure.stderr)
        return "unreachable", f"{code}: {first_line(failure.stderr)}"
    lost_sessions.notice(repository, before, repository.objects.resolve(rewind_ref(repository)))
    held = lost_sessions.held(repository)
    return ("unreachable", held) if held else ("current", "")


def _forget(repository: Repository) -> None:
    """Forget the tip of a remote that has no branch, such as a new one."""
    if known := repository.objects.resolve(repository.tracking):
        with suppress(RefMoved):
            repository.move([f"delete {repository.tracking} {known}"], why="the remote has no branch")


def _fetch(repository: Repository, specs: Sequence[str], timeout_s: float) -> None:
    options = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules")
    repository.git.run("fetch", *options, "--", repository.workspace.remote, *specs, timeout_s=timeout_s)


def has_remote(repository: Repository) -> bool:
    """Whether the workspace's remote is configured."""
    return repository.git.has_setting(f"remote.{repository.workspace.remote}.url")


def sync(
    repository: Repository,
    effect: Effect,
    fetched: tuple[str, str],
    known: Sequence[str],
    engine: Sequence[str],
    permanent: Sequence[str] = (),
) -> Synced:
    """Commit people's edits, merge the fetched branch, report what people changed."""
    worktree = Worktree.of(repository)
    _note_beginning(repository)
    saved = saving.save(repository, worktree, effect, known, permanent)
    conflicts = saved.conflicts + take_in_remote(repository, worktree, effect)
    adopt_tags(repository)
    tip = repository.tip()
    commits = _human_commits(repository, tip, effect)
    edits, unnameable = _edited(repository, commits, engine)
    today, _ = _edited(repository, _commits_of_today(repository, tip, effect), engine)
    remote, reason = fetched
    return Synced(
        tip=CommitSha(tip),
        human_edits=edits,
        edited_today=today,
        remote="none" if remote == "none" else "unreachable" if remote == "unreachable" else "current",
        reason=reason,
        conflicts=conflicts,
        ignored=tuple(sorted({*saved.ignored, *unnameable})),
        kept=saved.kept,
        not_utf8=tuple(sorted(saved.not_utf8)),
        ignored_because=dict(saved.because),
        emptied=_emptied(repository, tip, commits, edits),
    )


def _emptied(
    repository: Repository, tip: str, commits: Sequence[str], edits: Sequence[str]
) -> dict[str, int]:
    """The texts from which people took all words, with the number of those that stand in no other of them."""
    texts = {path: _text_at(repository, tip, path) for path in edits if is_prose(path)}
    whole = "\n".join(texts.values())
    before = [parent for sha in commits for parent in repository.objects.commit(sha).parents[:1]]
    lost = {
        path: max(gone_words(_text_at(repository, commit, path), text, whole) for commit in before)
        for path, text in texts.items()
        if before and not without_comments(text).strip()
    }
    return {path: words for path, words in lost.items() if words}


def _text_at(repository: Repository, commit: str, path: str) -> str:
    """Empty without such a text."""
    entry = entry_at(repository.objects, repository.tree(commit), path)
    return text_of(repository.objects.blob(entry.sha)) or "" if entry and entry.is_text_file else ""


def take_in_remote(repository: Repository, worktree: Worktree, effect: Effect) -> tuple[Conflict, ...]:
    """Merge the remote branch into ours; of conflicting blocks both are kept."""
    if lost_sessions.held(repository):
        return ()
    for _ in range(_ATTEMPTS):
        tip, remote = repository.tip(), repository.objects.resolve(repository.tracking)
        if remote is None or repository.is_ancestor(remote, tip):
            return ()
        aside = repository.objects.resolve(rewind_ref(repository))
        try:
            if aside is not None:
                return _transplant(repository, worktree, effect, tip, remote, aside)
            return _merge(repository, worktree, effect, tip, remote)
        except RefMoved:
            continue
    raise WorkspaceBusy(
        "branch-keeps-moving", f"{repository.workspace.branch!r} keeps moving; try again in a moment"
    )


def merged_tree(repository: Repository, ours: str) -> str:
    """The tree that ``take_in_remote`` would make of the tree ``ours``, on top of the tip; moves nothing."""
    objects, tip = repository.objects, repository.tip()
    remote = objects.resolve(repository.tracking)
    if remote is None or repository.is_ancestor(remote, tip) or lost_sessions.held(repository):
        return ours
    aside = objects.resolve(rewind_ref(repository))
    if aside is not None and repository.is_ancestor(remote, aside):
        return ours
    base, theirs = aside or common(repository, tip, remote), repository.tree(remote)
    merged = merge_trees(objects, repository.tree(base), ours, theirs, theirs_win=repository.remote_wins)
    return changed(objects, ours, merged.entries)


def rewind_ref(repository: Repository) -> str:
    """Ref to the remote tip that a rollback replaces, until that is pushed."""
    return f"refs/penwright/rewind/{repository.workspace.branch}"


def _merge(
    repository: Repository, worktree: Worktree, effect: Effect, tip: str, remote: str
) -> tuple[Conflict, ...]:
    objects = repository.objects
    if repository.is_ancestor(tip, remote):
        changes = difference(objects, repository.tree(tip), repository.tree(remote))
        worktree.advance(tip, remote, changes, why="take in the remote")
        return ()
    base = common(repository, tip, remote)
    merged = _merged(repository, base, tip, remote)
    tree = changed(objects, repository.tree(tip), merged.entries)
    trailers = [(MERGE_OP, effect.op_id), (CONTRIBUTOR, Contributor.ENGINE.value)]
    message = f"Merge branch '{repository.workspace.branch}' of {repository.workspace.remote}"
    commit = repository.commit(tree, [tip, remote], effect, message, trailers)
    changes = difference(objects, repository.tree(tip), tree)
    worktree.advance(tip, commit, changes, why="merge the remote")
    return merged.conflicts


def common(repository: Repository, tip: str, remote: str) -> str:
    """The commit from which both went on."""
    status, raw, _ = repository.git.attempt("merge-base", tip, remote)
    if status:
        raise BrokenWorkspace(
            "unrelated-histories",
            f"remote {repository.workspace.remote!r} shares no commit with {repository.workspace.path!r}; "
            "point the remote at the book's own repository",
        )
    return raw.decode().split()[0]


def _merged(repository: Repository, base: str, ours: str, theirs: str) -> MergedTrees:
    """The trees of three commits, merged."""
    trees = (repository.tree(commit) for commit in (base, ours, theirs))
    return merge_trees(repository.objects, *trees, theirs_win=repository.remote_wins)


def _transplant(
    repository: Repository, worktree: Worktree, effect: Effect, tip: str, remote: str, aside: str
) -> tuple[Conflict, ...]:
    """Apply what was pushed on top of a rolled-back tip, without the tip itself."""
    if repository.is_ancestor(remote, aside):
        return ()
    objects = repository.objects
    merged = _merged(repository, aside, tip, remote)
    source = objects.commit(remote)
    archive = f"refs/penwright/archive/{stamp(repository)}-{remote[:8]}"
    refs = [f"update {rewind_ref(repository)} {remote} {aside}", f"update {archive} {remote}"]
    changes: dict[str, Change] = {
        path: (entry_at(objects, repository.tree(tip), path), entry) for path, entry in merged.entries.items()
    }
    tree = changed(objects, repository.tree(tip), merged.entries)
    if tree == repository.tree(tip):
        repository.move(refs, why="note what was pushed meanwhile")
        return merged.conflicts
    trailers = [(TRANSPLANTED, remote), (CONTRIBUTOR, contributor_of(source).value)]
    commit = repository.commit(
        tree,
        [tip],
        effect,
        f"Keep what was pushed meanwhile\n\n{source.message.split(chr(10))[0]}",
        trailers,
        author=source.person,
    )
    worktree.advance(tip, commit, changes, why="keep what was pushed meanwhile", refs=refs)
    return merged.conflicts


def stamp(repository: Repository) -> str:
    """The current time for archive names; sorts by time."""
    return repository.clock.now().strftime("%Y%m%dT%H%M%S%fZ")


def adopt_tags(repository: Repository) -> None:
    """Create local refs for the remote's session tags and archives, except retired ones."""
    notes = f"refs/penwright/remotes/{repository.workspace.remote}/"
    theirs = repository.refs(notes)
    if not theirs:
        return
    ours = repository.refs("refs/tags/ink-*", "refs/penwright/archive", "refs/penwright/retired")
    changes = []
    for name, sha in theirs.items():
        kind, _, rest = name.removeprefix(notes).partition("/")
        wanted = {"tags": f"refs/tags/{rest}", "archive": f"refs/penwright/archive/{rest}"}.get(kind)
        if wanted and wanted not in ours and f"refs/penwright/retired/{rest}" not in ours:
            changes.append(f"create {wanted} {sha}")
    if changes:
        try:
            repository.move(changes, why="take in the remote's tags")
        except RefMoved:
            return


def human_edits(
    repository: Repository, tip: str, effect: Effect, engine: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Paths people changed since the last synced tip, and names that are not UTF-8."""
    return _edited(repository, _human_commits(repository, tip, effect), engine)


def _edited(
    repository: Repository, commits: Sequence[str], engine: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if not commits:
        return (), ()
    raw = repository.git.run(
        "diff-tree",
        "--stdin",
        "-z",
        "-r",
        "-c",
        "--root",
        "--name-only",
        "--no-renames",
        data="".join(f"{sha}\n" for sha in commits).encode(),
    )
    heads = {sha.encode() for sha in commits}
    names = {name for name in raw.split(b"\0") if name and name.rstrip(b"\n") not in heads}
    plain = {name for name in names if _is_utf8(name)}
    edited = (name.decode() for name in plain)
    engine_files = Globs.of(engine)
    return (
        tuple(sorted(path for path in edited if path not in engine_files)),
        tuple(sorted(name.decode("utf-8", "replace") for name in names - plain)),
    )


def _beginning(repository: Repository) -> str:
    """Ref to the tip before the first sync: what people did until then is the book as it was adopted."""
    return f"refs/penwright/adopted/{repository.workspace.branch}"


def _note_beginning(repository: Repository) -> None:
    """Note the tip of a book without a session, before its remote brings something for the first time."""
    tip, remote = repository.tip(), repository.objects.resolve(repository.tracking)
    if remote is None or remote == tip or repository.objects.resolve(_beginning(repository)):
        return
    if _synced_tip(repository, tip):
        return
    try:
        repository.move([f"create {_beginning(repository)} {tip}"], why="note where the book was adopted")
    except RefMoved:
        return


def _human_commits(repository: Repository, tip: str, effect: Effect) -> list[str]:
    """People's commits since the last synced tip; before the first session, what its sync brought."""
    since = _synced_tip(repository, tip) or repository.objects.resolve(_beginning(repository))
    if since is None:
        return [
            commit.sha
            for commit in repository.recent(tip, effect.issued_at)
            if commit.trailers.get(SAVE_OP) == effect.op_id
        ]
    commits = repository.since(since, tip)
    if commits is None:
        listed = repository.git.run("rev-list", tip, f"^{since}").decode().split()
        commits = list(map(repository.objects.commit, listed))
    return [commit.sha for commit in commits if contributor_of(commit) is Contributor.HUMAN]


def _commits_of_today(repository: Repository, tip: str, effect: Effect) -> list[str]:
    """People's commits on the day of the request."""
    midnight = effect.issued_at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return [
        commit.sha
        for commit in repository.recent(tip, midnight)
        if commit.at >= midnight and contributor_of(commit) is Contributor.HUMAN
    ]


def _is_utf8(name: bytes) -> bool:
    try:
        name.decode()
    except UnicodeDecodeError:
        return False
    return True


def _synced_tip(repository: Repository, tip: str) -> str | None:
    """The tip to which the newest engine commit was synced."""
    for commit in _synced(repository, tip):
        if OP not in commit.trailers:
            continue
        value = commit.trailers.get(SYNC, commit.sha if commit.trailers.get(STEP) == RESET else "")
        plain = value and all(sign in "0123456789abcdef" for sign in value)
        known = repository.objects.resolve(value) if plain else None
        return known if known and repository.is_ancestor(known, tip) else commit.parents[0]
    return None


def _synced(repository: Repository, tip: str) -> Iterator[Commit]:
    """Commits that say to which tip they were synced, or that reset the book, newest first."""
    if repository.objects.loose is not None:
        history = repository.newest(tip)
        for commit in islice(history, NEAR):
            if _SYNCED.search(commit.message):
                yield commit
        if next(history, None) is None:
            return
    order = ("log", "-20", "--format=%H", f"--grep=^{SYNC}: ", f"--grep=^{STEP}: {RESET}$", tip)
    yield from map(repository.objects.commit, repository.git.run(*order).decode().split())
