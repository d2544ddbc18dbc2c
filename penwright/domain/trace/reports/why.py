"""Reasons for a commit: its intent, what allowed it, and the story of each block."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from penwright.domain.intents.governed import GovernedPaths
from penwright.domain.intents.registry import REGISTRY, BrokenRegistry, read_registry
from penwright.domain.trace.layout import LEDGER
from penwright.domain.trace.reading import ids_of, records_of
from penwright.domain.trace.source import TraceSource
from penwright.domain.trailers import AUTHORSHIP, CONTRIBUTOR, OP
from penwright.errors import NotFound
from schemas.intents import Intent
from schemas.trace import Author, Conversation, Node, TracedCommit, TracedFile, TraceRecord
from schemas.workspace import Contributor

CommitKind = Literal["recorded", "by-hand", "engine", "merge", "unrecorded"]

_SHOWN = 90
"""Signs of a block that are shown."""


@dataclass(frozen=True, slots=True)
class BlockStory:
    """Story of one block in a commit."""

    path: str
    change: Literal["added", "replaced", "moved", "removed"]
    node: Node
    line: int | None
    """First line after the change; None if it is gone."""
    author: Author | None
    """Its author, or the author before it was removed; None if unknown."""
    similarity: int | None
    text: str
    """Its first words; empty if it is gone."""


@dataclass(frozen=True, slots=True)
class Why:
    """A commit, explained."""

    commit: TracedCommit
    kind: CommitKind
    """``by-hand``: a person's own commit, which no session recorded. ``engine``: bookkeeping.
    ``unrecorded``: text changed, and a record should be there."""
    records: tuple[TraceRecord, ...]
    intent: Intent | None
    """The intent's entry as the commit found it; None if it had none, or the registry has it no more."""
    blocks: tuple[BlockStory, ...]
    untold: tuple[str, ...]
    """Files of text that changed and no record speaks of."""
    missing: tuple[str, ...]
    """Ids of records the commit names and the ledger lacks."""
    left_out: int
    """Damaged lines of the ledger that were not believed."""
    recorded_before: str = ""
    """Of the engine's bookkeeping: the last commit before it whose changes are recorded, if any."""


def why(source: TraceSource, sha: str) -> Why:
    """Explain the commit ``sha``, which may be shortened; ``NotFound`` unless exactly one is reachable."""
    commit = _commit(source, sha)
    reading = records_of(source, commit)
    records = reading.records
    recorded = {
        path for record in records for file in record.files for path in (file.relative_path, file.path_before)
    }
    present = {record.id for record in records}
    governed = GovernedPaths(source.profile)
    untold = tuple(c.path for c in commit.paths if c.path in governed and c.path not in recorded)
    kind = _kind(source, commit, records, untold)
    return Why(
        commit=commit,
        kind=kind,
        records=records,
        intent=_intent(source, commit, records),
        blocks=tuple(story for record in records for story in _stories(source, commit, record)),
        untold=untold,
        missing=tuple(each for each in ids_of(commit) if each not in present),
        left_out=reading.left_out,
        recorded_before=_recorded_before(source, commit.sha) if kind == "engine" else "",
    )


def _commit(source: TraceSource, sha: str) -> TracedCommit:
    found = [commit for commit in source.commits() if commit.sha.startswith(sha)]
    if not found:
        raise NotFound(
            "no-such-commit", f"{sha!r} is no commit of this book's branch", hint="take one from `git log`"
        )
    if len(found) > 1:
        raise NotFound("ambiguous-commit", f"{sha!r} fits {len(found)} commits; give more of its digits")
    return found[0]


def _recorded_before(source: TraceSource, sha: str) -> str:
    last = ""
    for commit in source.commits():
        if commit.sha == sha:
            break
        if ids_of(commit):
            last = commit.sha
    return last


def _kind(
    source: TraceSource, commit: TracedCommit, records: Sequence[TraceRecord], untold: Sequence[str]
) -> CommitKind:
    if records or ids_of(commit):
        return "recorded"
    if len(commit.parents) > 1:
        return "merge"
    by = commit.trailers.get(CONTRIBUTOR, Contributor.HUMAN)
    if by == Contributor.HUMAN and OP not in commit.trailers and AUTHORSHIP not in commit.trailers:
        return "by-hand"
    # A book is laid out before there is a ledger.
    expected = untold and source.at(commit.sha, LEDGER) is not None
    return "unrecorded" if expected else "engine"


def _intent(source: TraceSource, commit: TracedCommit, records: Sequence[TraceRecord]) -> Intent | None:
    named = next((record.intent.id for record in records if record.intent), None)
    if named is None:
        return None
    try:
        registry = read_registry(source.at(commit.parents[0] if commit.parents else commit.sha, REGISTRY))
    except BrokenRegistry:
        return None
    return registry.find(named)


def _stories(source: TraceSource, commit: TracedCommit, record: TraceRecord) -> Iterator[BlockStory]:
    for file in record.files:
        content = source.at(commit.sha, file.relative_path) or b""
        rows = content.decode("utf-8", "replace").split("\n")
        for talk in file.conversations:
            yield from _of(file, talk, rows)


def _of(file: TracedFile, talk: Conversation, rows: Sequence[str]) -> Iterator[BlockStory]:
    for found in talk.ranges:
        text = " ".join(" ".join(rows[found.start_line - 1 : found.end_line]).split())
        yield BlockStory(
            path=file.relative_path,
            change=found.change,
            node=found.node,
            line=found.start_line,
            author=found.contributor or talk.contributor,
            similarity=found.similarity,
            text=text if len(text) <= _SHOWN else text[: _SHOWN - 1].rstrip() + "…",
        )
    for gone in talk.removed:
        yield BlockStory(file.relative_path, "removed", gone.node, None, gone.contributor, None, "")
