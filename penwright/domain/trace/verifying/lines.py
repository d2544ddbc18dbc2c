"""A segment taken apart: every line judged by itself, and what the other levels need of its record.

Pure, and of plain tuples, so that it may be done in another process: it is most of what a verification does.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
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
    """A record as the other levels need it; its blocks are not kept."""

    id: str
    hash: str
    segment: str
    line: int
    parent: str
    """Commit it says it was made on."""
    said: Said
    files: tuple[Touched, ...]


class Done(NamedTuple):
    """What a record did to a block, or to all blocks of a file; in the order in which it did them."""

    what: Literal["added", "replaced", "moved", "removed", "renamed", "deleted"]
    path: str
    hash: str = ""
    """Of the block as it is then; of the one that is gone where it was removed."""
    former: str = ""
    """Hash of the block it replaced; path of the file it moved from, or the file was renamed from."""
    ctx: tuple[str, str] = ("", "")
    start: int = 0
    end: int = 0
    blob: str = ""
    """Content of the file the lines are those of."""


class Judged(NamedTuple):
    """A line, and the record on it."""

    number: int
    hash: str
    """Empty where the line does not say."""
    prev: tuple[str, ...]
    fault: str
    why: str
    entry: Entry | None
    """None for a line that is no record."""
    at: float = 0.0
    done: Sequence[Done] = ()


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


Spread = Callable[[Callable[[Segment], Apart], Iterable[Segment]], Iterator[Apart]]
"""``map``, or what does the same with more hands."""


def taken_apart(segment: Segment) -> Apart:
    """Every line of it; blank ones are skipped."""
    path, content = segment
    shared: dict[Said, Said] = {}
    lines: list[Judged] = []
    for number, hash_, prev, record, fault, why in parsed_lines(content):
        if record is None:
            lines.append(Judged(number, hash_, prev, fault, why, None))
            continue
        files = record["files"]
        said = _said(record)
        touched = tuple([_touched(file) for file in files])
        revision = record["vcs"]["revision_id"]
        entry = Entry(record["id"], hash_, path, number, revision, shared.setdefault(said, said), touched)
        at = record["timestamp"].timestamp()
        lines.append(Judged(number, hash_, prev, "", "", entry, at, _done(files)))
    return Apart(path, f"sha256:{hashlib.sha256(content).hexdigest()}", lines)


def _said(record: ReadRecord) -> Said:
    mutation, intent, decision = record["mutation"], record.get("intent"), record.get("decision")
    # By place: so many are made that naming each field would be felt.
    return Said(
        record["tool"]["name"],
        _contributor(record["files"]),
        intent["id"] if intent else "",
        intent["registry_digest"] if intent else "",
        mutation["class"],
        mutation.get("declared", ""),
        mutation["detail"],
        mutation["floor"],
        tuple(intent["matched"]) if intent else (),
        decision["by"] if decision else "",
        tuple(decision["codes"]) if decision else (),
    )


def _contributor(files: Sequence[ReadFile]) -> str:
    for file in files:
        for part in file["conversations"]:
            return part["contributor"]["entity_type"]
    return "UNKNOWN"


def _touched(file: ReadFile) -> Touched:
    return Touched(
        intern(file["relative_path"]),
        file["op"],
        file.get("path_before", ""),
        file.get("blob_before"),
        file.get("blob_after"),
    )


def _done(files: Sequence[ReadFile]) -> Sequence[Done]:
    done: list[Done] = []
    for file in files:
        path, op, blob = file["relative_path"], file["op"], file.get("blob_after", "")
        if op == "rename" and "path_before" in file:
            done.append(Done("renamed", path, former=file["path_before"]))
        elif op == "delete":
            done.append(Done("deleted", path))
        for part in file["conversations"]:
            for gone in part["removed"]:
                done.append(Done("removed", path, gone["block_hash"]))
            for come in part["ranges"]:
                what, former = come["change"], ""
                if what == "replaced":
                    former = come.get("before_block_hash", "")
                elif what == "moved":
                    former = come.get("former", {}).get("path", "")
                lines = come["start_line"], come["end_line"]
                done.append(Done(what, path, come["block_hash"], former, come["ctx"], *lines, blob))
    return done
