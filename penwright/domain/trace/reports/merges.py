"""Blocks that a merge made of the words of both sides: neither side's records know them."""

from collections.abc import Iterable, Iterator, Sequence

from penwright.domain.text.blocks import blocks_of
from penwright.domain.text.comparing.changes import changes_of
from penwright.domain.text.comparing.descent import descents
from penwright.domain.trace.reports.by_hand import HandCommit, Place, author_in
from penwright.domain.trace.source import TraceSource
from schemas.trace import PathChange, TracedCommit

_MERGES = 200
"""Newest merges that are read."""


def merged_blocks(
    source: TraceSource, commits: Sequence[TracedCommit], paths: Iterable[str]
) -> Iterator[HandCommit]:
    """Find what merges made in some files, as changes of their first parents."""
    asked = tuple(paths)
    merges = [(at, commit) for at, commit in enumerate(commits) if len(commit.parents) == 2]
    for at, commit in merges[-_MERGES:]:
        for path in asked:
            merged = source.at(commit.sha, path) or b""
            sides = [source.at(each, path) or b"" for each in commit.parents]
            if merged not in sides and (found := _merged(Place(at), commit, path, sides, merged)):
                yield found


def _merged(
    place: Place, commit: TracedCommit, path: str, sides: Sequence[bytes], merged: bytes
) -> HandCommit | None:
    ours, theirs = sides
    known = {block.hash for block in blocks_of(theirs.decode("utf-8", "replace"))}
    found = changes_of({path: (ours, merged)})[path]
    new = tuple(
        each for each in found if each.after and each.change != "moved" and each.after.hash not in known
    )
    if not new:
        return None
    # Whole sentences are looked for on both sides, words within them on ours.
    parts = descents({path: new}, {path: ours + b"\n\n" + theirs})
    # The blob is of no use here: what a merge made is in no record.
    paths = (PathChange(path, None, None),)
    return HandCommit(place, commit, paths, {path: new}, {path: ours}, parts, author_in(commit))
