"""Level 0: a line read as a record, as far as the verifier looks at one.

The line is parsed and checked in one go and hashed as it stands: a long ledger has a hundred thousand, and to
build each of them, and write it out again to compare, would take a minute. Only a line that fails is looked
at slowly, to say what is wrong with it.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Literal, NamedTuple

from msgspec import UNSET, DecodeError, Meta, Struct, UnsetType, field
from msgspec.json import Decoder

from penwright.domain.trace.chain import Line, hash_of_line, read_lines
from schemas.trace import EntityType

# Lengths only, for Python matches a pattern in two microseconds; ``fault_of`` looks at the digits.
_Digest = Annotated[str, Meta(min_length=71, max_length=71)]
_BlockHash = Annotated[str, Meta(pattern=r"^prose1:[0-9a-f]{32}\Z")]
_Object = Annotated[str, Meta(min_length=40, max_length=64)]
_Uuid = Annotated[str, Meta(min_length=36, max_length=36)]
_Count = Annotated[int, Meta(ge=1)]
_Name = Annotated[str, Meta(min_length=1)]
_Class = Literal["AST_REFACTOR", "INTENT_EVOLUTION"]
_Detail = Literal["MECHANICAL", "RELOCATION", "LINE_EDIT", "EVOLUTION"]
_LONGEST = 64 * 1024
_are_digests = re.compile(r"(?:sha256:[0-9a-f]{64})*").fullmatch
_OBJECT = "(?:[0-9a-f]{40}|[0-9a-f]{64})"
_are_objects = re.compile(rf"{_OBJECT}(?:\n{_OBJECT})*").fullmatch
_is_uuid = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}").fullmatch


class ReadFormer(Struct, frozen=True):
    """Where a moved block was."""

    path: str = ""


class ReadRange(Struct, frozen=True):
    """A block that came in."""

    start_line: _Count
    end_line: _Count
    content_hash: _Digest
    block_hash: _BlockHash
    change: Literal["added", "replaced", "moved"]
    ctx: tuple[str, str]
    before_block_hash: _BlockHash = ""
    former: ReadFormer = ReadFormer()


class ReadRemoved(Struct, frozen=True):
    """A block that went out."""

    block_hash: _BlockHash


class ReadAuthor(Struct, frozen=True):
    """Who made the change."""

    entity_type: EntityType


class ReadConversation(Struct, frozen=True):
    """What one contributor did to a file."""

    contributor: ReadAuthor
    ranges: tuple[ReadRange, ...]
    removed: tuple[ReadRemoved, ...]


class ReadFile(Struct, frozen=True):
    """One changed file."""

    relative_path: _Name
    op: Literal["create", "modify", "delete", "rename"]
    conversations: tuple[ReadConversation, ...]
    path_before: str = ""
    blob_before: _Object = ""
    blob_after: _Object = ""


class ReadMutation(Struct, frozen=True):
    """How far the change went."""

    coarse: _Class = field(name="class")
    detail: _Detail
    floor: _Detail
    declared: _Class | UnsetType = UNSET


class ReadIntent(Struct, frozen=True):
    """The intent a change was made under."""

    id: str
    registry_digest: str
    matched: tuple[str, ...]


class ReadDecision(Struct, frozen=True):
    """What a person approved."""

    approval: str
    by: str
    plan_digest: str
    codes: tuple[str, ...]


class ReadOp(Struct, frozen=True):
    """The effect."""

    id: _Digest
    key: str
    part: _Count
    parts: _Count


class ReadVcs(Struct, frozen=True):
    """The commit the change was made on."""

    revision_id: _Object
    branch: str


class ReadTool(Struct, frozen=True):
    """What made the change."""

    name: str


class ReadIntegrity(Struct, frozen=True):
    """The place in the chain."""

    alg: Literal["sha256+jcs"]
    prev: tuple[_Digest, ...]
    hash: _Digest


class ReadRecord(Struct, frozen=True):
    """A record without what nobody verifies."""

    schema: Literal["orchestration.trace/1"]
    id: _Uuid
    timestamp: Annotated[datetime, Meta(tz=True)]
    vcs: ReadVcs
    tool: ReadTool
    op: ReadOp
    mutation: ReadMutation
    files: tuple[ReadFile, ...]
    integrity: ReadIntegrity
    intent: ReadIntent | UnsetType = UNSET
    decision: ReadDecision | UnsetType = UNSET


_RECORD = Decoder(ReadRecord)


class ReadLine(NamedTuple):
    """A line as it was found."""

    number: int
    hash: str = ""
    """Empty where the line does not say."""
    prev: tuple[str, ...] = ()
    record: ReadRecord | None = None
    fault: str = ""
    """Stable code; ``RECORD_MALFORMED`` for a line that has its hash and is no record all the same."""
    why: str = ""


def parsed_lines(content: bytes) -> Iterator[ReadLine]:
    """Every line of a segment; blank ones are skipped."""
    rows = content.split(b"\n")
    last = len(rows)
    for number, row in enumerate(rows, start=1):
        if row:
            yield parsed(number, row, number < last)


def parsed(number: int, row: bytes, whole: bool = True) -> ReadLine:
    """One line without its end; ``whole`` if it has one."""
    try:
        record = _RECORD.decode(row)
    except (DecodeError, UnicodeDecodeError, RecursionError) as error:
        return _faulty(number, row, error, whole=whole)
    hash_ = record.integrity.hash
    if len(row) > _LONGEST or hash_of_line(row, hash_) != hash_:
        return _faulty(number, row, None, whole=whole)
    return ReadLine(number, hash_, record.integrity.prev, record)


def fault_of(row: bytes) -> tuple[str, str]:
    """What is wrong with a line that ``parsed`` took for a record, and why; both empty if nothing is.

    To write each record out again, to compare, would take longer than all the rest. Those whose hash an
    engine named need it not: it hashes the canonical form of its own records only.
    """
    (found,) = read_lines(row + b"\n")
    if found.fault:
        return found.fault, ""
    shaped = _is_shaped(_RECORD.decode(row))
    return ("", "") if shaped else ("RECORD_MALFORMED", "an id or a digest has digits that it cannot have")


def _is_shaped(record: ReadRecord) -> bool:
    """Whether its ids are made of the right digits; that its own hash is, is seen when it is made again."""
    digests, objects = [record.op.id, *record.integrity.prev], [record.vcs.revision_id]
    for file in record.files:
        objects += [sha for sha in (file.blob_before, file.blob_after) if sha]
        for part in file.conversations:
            digests += [row.content_hash for row in part.ranges]
    return bool(_is_uuid(record.id) and _are_digests("".join(digests)) and _are_objects("\n".join(objects)))


def _faulty(number: int, row: bytes, error: Exception | None, *, whole: bool) -> ReadLine:
    """What is wrong with a line that is no record."""
    found: Line = next(read_lines(row + b"\n" if whole else row))
    if found.fault or error is None:
        fault = found.fault or "CHAIN_HASH_MISMATCH"
        return ReadLine(number, found.hash, found.prev, None, fault)
    return ReadLine(number, found.hash, found.prev, None, "RECORD_MALFORMED", str(error))
