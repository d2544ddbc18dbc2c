"""People's changes since a session began, made again when that session is taken back."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from penwright.adapters.workspace.contents import is_prose, text_of
from penwright.adapters.workspace.git.commits import Commit
from penwright.adapters.workspace.git.entries import Entry
from penwright.adapters.workspace.git.repository import Repository, contributor_of
from penwright.adapters.workspace.tracing import anchors_of
from penwright.adapters.workspace.trees import Change, changed, difference, entry_at
from penwright.domain.text.merging.saving import brought_together, with_carried
from penwright.domain.trace.layout import FOLDER, LEDGER, MAP, is_ledger
from penwright.domain.trailers import AUTHORSHIP, CONTRIBUTOR, MODEL, PERSON, READ, STEP, TRANSPLANTED
from penwright.errors import Refused
from schemas.base import Effect
from schemas.trace import Anchor
from schemas.workspace import Contributor


@dataclass(frozen=True, slots=True)
class Kept:
    """The goal of a rollback with people's later commits on top."""

    tip: str
    commits: tuple[str, ...] = ()
    """Those that were kept, oldest first."""
    gone: tuple[str, ...] = ()
    """Files in which people changed what the session wrote: there the session's passages are taken out."""
    recorded: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Commits made again that write to the ledger, oldest first, and the heads of the ledger after each."""


def kept(repository: Repository, effect: Effect, tip: str, goal: str, *, without: Sequence[str] = ()) -> Kept:
    """Make people's commits since ``goal`` again on top of it; writes objects, moves nothing.

    Args:
        without: commits that stay out, with all before them.
    """
    objects = repository.objects
    ways = difference(objects, repository.tree(tip), repository.tree(goal))
    made = Kept(goal)
    for commit in _peoples(repository, tip, (goal, *without)):
        tree = repository.tree(made.tip)
        changes = difference(objects, repository.tree(commit.parents[0]), commit.tree)
        entries, gone = applied(repository, tree, changes, ways)
        gone = tuple(sorted({*made.gone, *gone}))
        after = changed(objects, tree, entries)
        if after == tree:
            made = Kept(made.tip, made.commits, gone)
        else:
            copy = _copied(repository, effect, commit, after, made.tip)
            made = Kept(copy, (*made.commits, commit.sha), gone)
    return made


def applied(
    repository: Repository, tree: str, changes: Mapping[str, Change], ways: Mapping[str, object]
) -> tuple[dict[str, Entry | None], tuple[str, ...]]:
    """Entries of ``tree`` after a person's changes, and the paths where the tree had no place for all.

    ``ways``: files between which a session may have moved passages.
    """
    entries: dict[str, Entry | None] = {}
    gone: list[str] = []
    for path, (before, after) in changes.items():
        now = entries.get(path, entry_at(repository.objects, tree, path))
        if is_ledger(path) or path == MAP or now == after:
            continue
        if now == before:
            entries[path] = after
            continue
        others = {other: _text(repository, tree, entries, other) for other in ways if other != path}
        merged = _merged(repository, path, (before, after, now), others)
        if merged is None or merged.gone:
            gone.append(path)
        for changed_path, text in merged.texts.items() if merged else ():
            entries[changed_path] = _written(repository, tree, changed_path, text, now)
    return entries, tuple(gone)


@dataclass(frozen=True, slots=True)
class _Merged:
    texts: dict[str, str]
    gone: bool


def _merged(
    repository: Repository,
    path: str,
    sides: tuple[Entry | None, Entry | None, Entry | None],
    others: Mapping[str, str],
) -> _Merged | None:
    """The person's change of a prose file on the text as it is now; None if it cannot be made there."""
    texts = [_content(repository, side) for side in sides]
    if not is_prose(path) or None in (sides[1], sides[2]) or None in texts:
        return None
    base, mine, now = (text or "" for text in texts)
    together = brought_together(base, mine, now, wins="theirs")
    for other, text in others.items() if together.places else ():
        carried = brought_together(base, mine, now, text, wins="theirs")
        if carried.carried:
            texts_after = {path: carried.text, other: with_carried(text, carried.carried)}
            return _Merged(texts_after, bool(carried.places))
    return _Merged({path: together.text}, bool(together.places))


def _written(repository: Repository, tree: str, path: str, text: str, now: Entry | None) -> Entry | None:
    before = entry_at(repository.objects, tree, path) or now
    assert before is not None, "only a file that is there is merged"
    return Entry(before.mode, repository.objects.write_blob(text.encode()))


def _text(repository: Repository, tree: str, entries: Mapping[str, Entry | None], path: str) -> str:
    entry = entries.get(path, entry_at(repository.objects, tree, path))
    return (_content(repository, entry) or "") if is_prose(path) else ""


def _content(repository: Repository, entry: Entry | None) -> str | None:
    """The text of an entry, empty without a file; None if it is no text."""
    if entry is None:
        return ""
    return text_of(repository.objects.blob(entry.sha)) if entry.is_text_file else None


def _peoples(repository: Repository, tip: str, without: Sequence[str]) -> Iterator[Commit]:
    """Commits of people, and of readings, in none of ``without``, oldest first; merged ones are among them.

    Raises:
        Refused: ``session-rewritten``, where a commit mixes a session's changes with a person's.
    """
    bounds = (f"^{each}" for each in without)
    listed = repository.git.run("rev-list", "--reverse", "--topo-order", "--no-merges", tip, *bounds)
    log = cache(lambda: anchors_of(repository, {}))
    for commit in map(repository.objects.commit, listed.decode().split()):
        if is_reading(commit) and commit.parents:
            yield commit  # what was read of earlier passages was paid for
            continue
        if contributor_of(commit) is not Contributor.HUMAN or not commit.parents:
            continue
        rewritten = CONTRIBUTOR not in commit.trailers and _writes_ledger(repository, commit)
        whose = _replaced(repository, commit, log()) if rewritten else {Contributor.HUMAN}
        if whose == {Contributor.HUMAN}:
            yield commit
        elif not whose or Contributor.HUMAN in whose:
            raise _mixed(commit.sha[:10])


def is_reading(commit: Commit) -> bool:
    """Whether a commit holds what the clerk has read."""
    return commit.trailers.get(STEP) == READ


def _mixed(sha: str) -> Refused:
    return Refused(
        "session-rewritten",
        f"the commit {sha} was amended, squashed or rewritten, and has a session's changes together with a "
        "person's, so the session cannot be taken out alone; nothing was changed",
        hint=f"`git show {sha}` shows it; take the session's words out in the files, and save them",
    )


def _writes_ledger(repository: Repository, commit: Commit) -> bool:
    """Whether a commit brings records, as ours do: a person's by hand has none."""
    objects = repository.objects
    folders = (repository.tree(commit.parents[0]), commit.tree)
    before, after = (entry_at(objects, tree, FOLDER) for tree in folders)
    return after is not None and before != after


def _replaced(repository: Repository, commit: Commit, log: Iterable[Anchor]) -> set[Contributor]:
    """Contributors of the commits that one was rewritten from; empty if they are not known."""
    objects = repository.objects
    ledger = entry_at(objects, commit.tree, LEDGER)
    written = {each.commit for each in log if ledger and each.ledger == ledger.sha}
    for sha in filter(objects.resolve, sorted(written - {commit.sha})):
        if objects.commit(sha).tree == commit.tree and repository.is_ancestor(commit.parents[0], sha):
            between = repository.git.run("rev-list", sha, f"^{commit.parents[0]}").decode().split()
            return {contributor_of(objects.commit(each)) for each in between}
    return set()


def _copied(repository: Repository, effect: Effect, commit: Commit, tree: str, parent: str) -> str:
    reads = commit.trailers.get(STEP) == READ
    names = (MODEL, STEP) if reads else (PERSON, AUTHORSHIP, MODEL)
    told = [(name, commit.trailers[name]) for name in names if name in commit.trailers]
    title = commit.message.split("\n")[0]
    whose = Contributor.ENGINE if reads else Contributor.HUMAN
    trailers = [(TRANSPLANTED, commit.sha), (CONTRIBUTOR, whose.value), *told]
    return repository.commit(tree, [parent], effect, title, trailers, author=commit.person)
