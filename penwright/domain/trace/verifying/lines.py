"""A segment taken apart: every line judged by itself, and what the other levels need of its record.

Pure, and of plain tuples, so that it may be done in another process: it is most of what a verification does.
"""

import hashlib
from collections.abc import Sequence
from sys import intern
from typing import Literal, NamedTuple

from penwright.domain.trace.verifying.parsing import ReadFile, ReadRecord, parsed_lines


class Touched(NamedTuple):
    """One file of a record."""

    path: str
    op: str
    path_before: str
    before: str | None
    """Blob id."""
    after: str | None


class Said(NamedTuple):
    """What a record says of how its change came about; records of a segment that say the same share one."""

    tool: str
    contributor: str
    intent: str
    digest: str
    """Of the intent's entry as selected."""
    coarse: str
    declared: str
    detail: str
    floor: str
    matched: tuple[str, ...]
    approver: str
    """Who approved what the gate would have denied; empty if nobody had to."""
    excused: tuple[str, ...]
    """Denials that were approved."""


class Entry(NamedTuple):
    """A record as the other levels need it; what it did to blocks is not kept."""

    id: str
    hash: str
    segment: str
    line: int
    parent: str
    """Commit it says it was made on."""
    said: Said
    files: tuple[Touched, ...]


# From here on plain tuples, taken apart by place: with names they would take four times as long to send.
What = Literal["added", "replaced", "moved", "removed", "renamed", "deleted"]
Done = tuple[What, str, str, str, tuple[str, str], int, int, str]
"""What a record did to a block, or to all blocks of a file, in the order in which it did them.

Path; hash of the block as it is then, or of the one removed; hash of the block it replaced, or path of the
file that it moved from or that was renamed; neighbours, first and last line, and the blob these are lines of.
"""
Changed = tuple[str, str, str, str | None, str | None]
"""The fields of ``Touched``."""
Told = tuple[str, str, float, Said, Sequence[Changed], Sequence[Done]]
"""A record: id, commit it was made on, time, and what it says."""
Judged = tuple[int, str, tuple[str, ...], str, str, Told | None]
"""A line: number, hash (empty where it does not say), those it follows, a fault, why; the record."""


class Segment(NamedTuple):
    """A segment of the ledger."""

    path: str
    content: bytes


class Apart(NamedTuple):
    """A segment as it was taken apart."""

    path: str
    digest: str
    """``sha256:`` of its bytes."""
    lines: Sequence[Judged]


_NOBODY = ("", "")


def taken_apart(segment: Segment) -> Apart:
    """Every line of it; blank ones are skipped."""
    path, content = segment
    shared: dict[Said, Said] = {}
    lines: list[Judged] = []
    for number, hash_, prev, record, fault, why in parsed_lines(content):
        if record is None:
            lines.append((number, hash_, prev, fault, why, None))
            continue
        files, said = record.files, _said(record)
        told = (
            record.id,
            record.vcs.revision_id,
            record.timestamp.timestamp(),
            shared.setdefault(said, said),
            [_changed(file) for file in files],
            _done(files),
        )
        lines.append((number, hash_, prev, "", "", told))
    return Apart(path, f"sha256:{hashlib.sha256(content).hexdigest()}", lines)


def _said(record: ReadRecord) -> Said:
    mutation, intent, decision = record.mutation, record.intent, record.decision
    # By place: so many are made that naming each field would be felt.
    return Said(
        record.tool.name,
        _contributor(record.files),
        intent.id if intent else "",
        intent.registry_digest if intent else "",
        mutation.coarse,
        mutation.declared or "",
        mutation.detail,
        mutation.floor,
        intent.matched if intent else (),
        decision.by if decision else "",
        decision.codes if decision else (),
    )


def _contributor(files: Sequence[ReadFile]) -> str:
    for file in files:
        for part in file.conversations:
            return part.contributor.entity_type
    return "UNKNOWN"


def _changed(file: ReadFile) -> Changed:
    path, before, after = intern(file.relative_path), file.blob_before, file.blob_after
    return (path, file.op, file.path_before, before or None, after or None)


def _done(files: Sequence[ReadFile]) -> Sequence[Done]:
    done: list[Done] = []
    for file in files:
        path, blob = intern(file.relative_path), file.blob_after
        if file.op == "rename" and file.path_before:
            done.append(("renamed", path, "", file.path_before, _NOBODY, 0, 0, ""))
        elif file.op == "delete":
            done.append(("deleted", path, "", "", _NOBODY, 0, 0, ""))
        for part in file.conversations:
            for gone in part.removed:
                done.append(("removed", path, gone.block_hash, "", _NOBODY, 0, 0, ""))
            for come in part.ranges:
                what, former = come.change, ""
                if what == "replaced":
                    former = come.before_block_hash
                elif what == "moved":
                    former = come.former.path
                lines = come.start_line, come.end_line
                done.append((what, path, come.block_hash, former, come.ctx, *lines, blob))
    return done
