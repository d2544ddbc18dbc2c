"""The chain of records: each names the heads it was made on, and is named by its own hash.

The order of the lines means nothing, so a merge may simply keep the lines of both sides.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from schemas.trace import SCHEMA, TraceRecord

ALGORITHM = "sha256+jcs"
_MOST = 64 * 1024
"""Bytes of a line beyond which it is not parsed."""
_HASH = re.compile(r"sha256:[0-9a-f]{64}")
# A line may hold anything, so records are plain JSON until they are checked.
Raw = dict[str, Any]
_ENCODE = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


def canonical(value: Mapping[str, Any]) -> bytes:
    """RFC 8785 form of a value whose numbers are integers and whose keys are ASCII."""
    return _ENCODE(value).encode("utf-8", "surrogatepass")


def digest(value: bytes) -> str:
    """``sha256:`` and 64 hexadecimal digits."""
    return f"sha256:{hashlib.sha256(value).hexdigest()}"


def record_hash(record: Raw) -> str:
    """The hash a record must carry."""
    integrity = {key: value for key, value in record.get("integrity", {}).items() if key != "hash"}
    return digest(canonical({**record, "integrity": integrity}))


def sealed(record: Raw, prev: Sequence[str]) -> Raw:
    """The record with its place in the chain, after ``prev``."""
    linked = {**record, "integrity": {"alg": ALGORITHM, "prev": sorted(prev)}}
    linked["integrity"]["hash"] = record_hash(linked)
    return linked


def as_raw(record: TraceRecord) -> Raw:
    """A record as plain JSON, without what it does not have."""
    # Pydantic's own JSON types are what will be read back, so the hash is taken over them.
    return record.model_dump(mode="json", by_alias=True, exclude_none=True)


def line_of(record: Raw) -> bytes:
    """A record as a line of the ledger."""
    return canonical(record) + b"\n"


@dataclass(frozen=True, slots=True)
class SegmentLine:
    """One line of a segment as it was found."""

    number: int
    record: Raw | None
    """None when ``fault`` says why it is not a record."""
    hash: str = ""
    prev: tuple[str, ...] = ()
    row: bytes = b""
    """Its bytes, without the line end."""
    fault: str = ""
    """``LINE_NOT_UTF8``, ``LINE_NOT_JSON``, ``LINE_NOT_CANONICAL``, ``LINE_TOO_LONG``, ``LINE_CUT``,
    ``LEGACY_RECORD``, ``SCHEMA_UNKNOWN``, ``CHAIN_MEMBER_MISSING``, ``CHAIN_HASH_MISMATCH``."""


@dataclass(frozen=True, slots=True)
class Chain:
    """Lines and the links between them."""

    lines: tuple[SegmentLine, ...]
    heads: tuple[str, ...] = ()
    """Hashes no other line names."""
    roots: tuple[str, ...] = ()
    """Hashes that are named but not here: the heads of an earlier segment."""
    doubled: tuple[str, ...] = field(default=())
    """Hashes of more than one line that has the hash it carries."""

    @property
    def sound(self) -> bool:
        """Whether every line is a record with its right hash, once."""
        return not self.doubled and not any(line.fault for line in self.lines)


def linked(lines: Iterable[SegmentLine]) -> Chain:
    """Put lines of one or more segments together."""
    kept = tuple(lines)
    present: set[str] = set()
    named: set[str] = set()
    for line in kept:
        if line.hash:
            present.add(line.hash)
            named.update(line.prev)
    sound = Counter(line.hash for line in kept if not line.fault)
    doubled = (each for each, count in sound.items() if count > 1)
    return Chain(
        kept,
        heads=tuple(sorted(present - named)),
        roots=tuple(sorted(named - present)),
        doubled=tuple(sorted(doubled)),
    )


def followed_from(heads: Iterable[str], links: Mapping[str, Sequence[str]]) -> set[str]:
    """``heads`` and everything they follow, directly or not; a hash that is right vouches for all of it."""
    known, ahead = set[str](), list(heads)
    while ahead:
        each = ahead.pop()
        if each not in known:
            known.add(each)
            ahead += links.get(each, ())
    return known


def read_lines(content: bytes) -> Iterator[SegmentLine]:
    """Every line of a segment; blank ones are skipped."""
    whole = content.endswith(b"\n") or not content
    rows = content.split(b"\n")
    for number, row in enumerate(rows, start=1):
        if row:
            cut = number == len(rows) and not whole
            yield _read(number, row, cut=cut)


def _read(number: int, row: bytes, *, cut: bool) -> SegmentLine:
    if len(row) > _MOST:
        return SegmentLine(number, None, row=row, fault="LINE_TOO_LONG")
    try:
        record = json.loads(row.decode())
    except UnicodeDecodeError:
        return SegmentLine(number, None, row=row, fault="LINE_NOT_UTF8")
    except (ValueError, RecursionError):
        return SegmentLine(number, None, row=row, fault="LINE_CUT" if cut else "LINE_NOT_JSON")
    if not isinstance(record, dict):
        return SegmentLine(number, None, row=row, fault="LINE_NOT_JSON")
    return _judged(number, row, record)


def _judged(number: int, row: bytes, record: Raw) -> SegmentLine:
    if record.get("schema") != SCHEMA:
        fault = "SCHEMA_UNKNOWN" if "schema" in record else "LEGACY_RECORD"
        return SegmentLine(number, record, row=row, fault=fault)
    integrity = record.get("integrity")
    if not isinstance(integrity, dict) or not _is_linked(integrity):
        return SegmentLine(number, record, row=row, fault="CHAIN_MEMBER_MISSING")
    hash_, prev = integrity["hash"], tuple(integrity["prev"])
    if canonical(record) != row:
        return SegmentLine(number, record, hash_, prev, row, "LINE_NOT_CANONICAL")
    fault = "" if record_hash(record) == hash_ else "CHAIN_HASH_MISMATCH"
    return SegmentLine(number, record, hash_, prev, row, fault)


def _is_linked(integrity: Raw) -> bool:
    return (
        integrity.get("alg") == ALGORITHM
        and isinstance(integrity.get("hash"), str)
        and isinstance(integrity.get("prev"), list)
        and all(
            isinstance(each, str) and _HASH.fullmatch(each)
            for each in [integrity["hash"], *integrity["prev"]]
        )
    )
