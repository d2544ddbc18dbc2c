"""Level 2, outside the branch: what the log says was recorded must still be recorded."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple, Protocol

from penwright.domain.trace.verifying.report import finding
from schemas.trace import Anchor, Finding

_NEVER = datetime.min.replace(tzinfo=UTC)


class StoredAnchors(Protocol):
    """Reads the entries of the log that the database stores."""

    def __call__(self, since: Mapping[str, datetime], /) -> Sequence[Anchor] | None:
        """Entries, oldest first, without those of a clone noted before ``since``; None if it is silent."""
        ...


def no_stored_anchors(_since: Mapping[str, datetime], /) -> Sequence[Anchor]:
    """No entries: there is no database."""
    return ()


class RemoteBranch(NamedTuple):
    """The remote's branch as last fetched, beside ours."""

    ahead: Collection[str] = frozenset()
    """Commits that ours lacks."""
    diverged: bool = False
    """Whether ours has commits that it lacks."""


class RemoteLog(NamedTuple):
    """What is known of the remote that keeps the logs of other clones."""

    clone: str = ""
    """Name of this clone; what it noted itself must be here, wherever else it may be."""
    why_none: str = ""
    """Why no log came from there; the end of a sentence."""
    branch: Callable[[], RemoteBranch] = RemoteBranch
    """Asked only when an entry speaks of a commit that is not here."""


NO_REMOTE = RemoteLog()


def merge_stored_anchors(
    anchors: Sequence[Anchor],
    stored: StoredAnchors,
    *,
    known: Mapping[str, str],
    holds: Callable[[Anchor], bool],
) -> tuple[tuple[Anchor, ...], list[Finding]]:
    """Merge the log in git with the entries in the database; report entries that git has lost.

    Args:
        known: newest entry of each clone that an earlier verification saw; it is made on all before it.
        holds: whether git still has an entry that is older than those in ``anchors``.
    """
    began = {anchor.clone: anchor.at for anchor in anchors if known.get(anchor.clone) == anchor.entry}
    kept = stored(began)
    if kept is None:
        return tuple(anchors), [finding("LOG_NOT_COMPARED", "the database that keeps it did not answer")]
    there = {anchor.entry for anchor in anchors}
    clones = {anchor.clone for anchor in anchors}
    lost = [
        anchor
        for anchor in kept
        if anchor.entry not in there and not (anchor.clone in began and holds(anchor))
    ]
    found = [
        finding("LOG_SHORTENED", f"the log of {anchor.clone} lacks an entry it had", commit=anchor.commit)
        for anchor in lost
        if anchor.clone in clones
    ]
    return (*lost, *anchors), found


def shortened(anchors: Sequence[Anchor], newest: Mapping[str, str]) -> Iterator[Finding]:
    """Entries an earlier verification saw, by clone, that no log holds any more."""
    there = {anchor.entry for anchor in anchors}
    for clone, entry in newest.items():
        if entry not in there:
            yield finding("LOG_SHORTENED", f"the log of {clone} lacks entry {entry[:12]}, which it had")


def check_anchors(
    anchors: Sequence[Anchor],
    *,
    hashes: Collection[str],
    reaches: Callable[[str], bool],
    known: Mapping[str, str],
    remote: RemoteLog = NO_REMOTE,
) -> Iterator[Finding]:
    """Entries of each clone's log after those in ``known``, against the ledger and the branch."""
    if not anchors:
        why = f"; {remote.why_none}" if remote.why_none else ""
        yield finding("NO_ANCHORS", f"not anchored: no log outside the branch is known here{why}")
    lacking = {head for anchor in anchors for head in anchor.heads if head not in hashes}
    if not lacking:
        return
    branch: RemoteBranch | None = None
    behind: set[str] = set()
    by_clone: dict[str, list[Anchor]] = {}
    for anchor in anchors:
        by_clone.setdefault(anchor.clone, []).append(anchor)
    for clone, entries in by_clone.items():
        numbers = {entry.entry: number for number, entry in enumerate(entries)}
        start = numbers.get(known.get(clone, ""), -1) + 1
        last = max((n for n, entry in enumerate(entries) if entry.kind == "revocation"), default=-1)
        taken_back = _taken_back(by_clone, clone)
        for number, entry in enumerate(entries[start:], start=start):
            if lacking.isdisjoint(entry.heads):
                continue
            # A later rollback excuses what was noted before, here or in any other clone.
            revoked = number < last or entry.at <= taken_back
            if revoked and entry.kind == "revocation":
                continue
            problem = _problem(entry, revoked=revoked, reaches=reaches)
            if problem is None:
                continue
            if problem.code == "BRANCH_REWOUND" and clone != remote.clone:
                branch = branch or remote.branch()
                if entry.commit in branch.ahead and not branch.diverged:
                    behind.add(entry.commit)
                    continue
                problem = _beside_remote(problem, entry, branch)
            yield problem
    if behind:
        yield finding(
            "BRANCH_BEHIND", f"the remote has {len(behind)} recorded commit(s) that are not here yet"
        )


def _beside_remote(problem: Finding, entry: Anchor, branch: RemoteBranch) -> Finding:
    """The finding, with advice if the commit is on the remote beside commits of our own."""
    if entry.commit not in branch.ahead:
        return problem
    message = f"commit {entry.commit[:12]}, noted by {entry.clone}, is on the remote and not in this branch"
    hint = "this branch and the remote's have parted: pull, then verify again"
    return problem.model_copy(update={"message": message, "hint": hint})


def standing_heads(anchors: Sequence[Anchor]) -> frozenset[str]:
    """Heads of the entries that no later rollback took back; each vouches for every record it follows."""
    by_clone: dict[str, list[Anchor]] = {}
    for anchor in anchors:
        by_clone.setdefault(anchor.clone, []).append(anchor)
    found: set[str] = set()
    for clone, entries in by_clone.items():
        last = max((n for n, entry in enumerate(entries) if entry.kind == "revocation"), default=0)
        taken_back = _taken_back(by_clone, clone)
        found.update(head for entry in entries[last:] if entry.at > taken_back for head in entry.heads)
    return frozenset(found)


def _taken_back(by_clone: Mapping[str, Sequence[Anchor]], clone: str) -> datetime:
    """When another clone last rolled the branch back."""
    times = (
        entry.at
        for other, entries in by_clone.items()
        if other != clone
        for entry in entries
        if entry.kind == "revocation"
    )
    return max(times, default=_NEVER)


def _problem(entry: Anchor, *, revoked: bool, reaches: Callable[[str], bool]) -> Finding | None:
    """The finding about an entry whose heads the ledger lacks; None if a rollback excuses it."""
    short, there = entry.commit[:12], reaches(entry.commit)
    if revoked and not there:
        return None
    if there:
        message = f"the ledger lacks what {entry.clone} noted for commit {short}"
        return finding("LEDGER_TRUNCATED", message, commit=entry.commit)
    message = f"commit {short}, noted by {entry.clone}, is no longer in the branch"
    return finding("BRANCH_REWOUND", message, commit=entry.commit)
