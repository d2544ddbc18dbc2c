"""Level 2, outside the branch: what the log says was recorded must still be recorded."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from penwright.domain.trace.verifying.report import finding
from schemas.trace import Anchor, Finding


def check_anchors(
    anchors: Sequence[Anchor],
    *,
    hashes: Collection[str],
    reaches: Callable[[str], bool],
    known: Mapping[str, str],
) -> Iterator[Finding]:
    """Entries of each clone's log after those in ``known``, against the ledger and the branch."""
    if not anchors:
        yield finding("NO_ANCHORS", "no log outside the branch is known here")
    by_clone: dict[str, list[Anchor]] = {}
    for anchor in anchors:
        by_clone.setdefault(anchor.clone, []).append(anchor)
    for clone, entries in by_clone.items():
        numbers = {entry.entry: number for number, entry in enumerate(entries)}
        start = numbers.get(known.get(clone, ""), -1) + 1
        last = max((n for n, entry in enumerate(entries) if entry.kind == "revocation"), default=-1)
        for number, entry in enumerate(entries[start:], start=start):
            if entry.kind == "record":
                yield from _check(entry, revoked=number < last, hashes=hashes, reaches=reaches)


def _check(
    entry: Anchor, *, revoked: bool, hashes: Collection[str], reaches: Callable[[str], bool]
) -> Iterator[Finding]:
    held = all(head in hashes for head in entry.heads)
    # Whether a commit is still there costs a walk through history, so it is asked last.
    if held or (revoked and not reaches(entry.commit)):
        return
    short = entry.commit[:12]
    if reaches(entry.commit):
        message = f"the ledger lacks what {entry.clone} noted for commit {short}"
        yield finding("LEDGER_TRUNCATED", message, commit=entry.commit)
    else:
        message = f"commit {short}, noted by {entry.clone}, is no longer in the branch"
        yield finding("BRANCH_REWOUND", message, commit=entry.commit)
