"""The ledger at a tip: what can be continued, and how it grows."""

from dataclasses import dataclass
from typing import Protocol

from penwright.domain.trace.chain import linked, read_lines
from penwright.domain.trace.layout import (
    ATTRIBUTES,
    ATTRIBUTES_CLOSED,
    ATTRIBUTES_TEXT,
    CLOSED,
    LEDGER,
    MANIFEST,
    SEGMENT_BYTES,
    segment_numbers,
    segment_path,
)
from penwright.domain.trace.manifest import manifest_line, newest_of, read_manifest


class Tip(Protocol):
    """The committed tree the ledger lies in."""

    def kind(self, path: str) -> str | None: ...
    def content(self, path: str) -> bytes | None: ...
    def names(self, folder: str) -> tuple[str, ...]: ...


class DamagedLedger(Exception):
    """The ledger cannot be continued; the message says where and why."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """The open segment, and the records that the next one follows."""

    open: bytes
    heads: tuple[str, ...]


def read_ledger(tip: Tip) -> Ledger:
    """The ledger at ``tip``. Raises ``DamagedLedger``."""
    if tip.kind(LEDGER) not in (None, "file"):
        raise DamagedLedger(f"{LEDGER} is no plain file")
    if tip.kind(CLOSED) not in (None, "folder"):
        raise DamagedLedger(f"{CLOSED} is no folder; move what lies there elsewhere")
    content = tip.content(LEDGER) or b""
    found = linked(read_lines(content))
    for line in found.lines:
        if line.fault:
            raise DamagedLedger(f"line {line.number} of {LEDGER}: {line.fault}")
    if found.doubled:
        raise DamagedLedger(f"{LEDGER} holds {found.doubled[0]} twice")
    closed = list(read_manifest(tip.content(MANIFEST) or b""))
    if None in closed:
        raise DamagedLedger(f"line {closed.index(None) + 1} of {MANIFEST} names no segment")
    return Ledger(content, newest_of(found, filter(None, closed)))


def grown(tip: Tip, ledger: Ledger, lines: bytes) -> dict[str, bytes]:
    """Contents by path once ``lines`` are added; a full open segment is closed first."""
    if not ledger.open or len(ledger.open) + len(lines) <= SEGMENT_BYTES:
        first = {} if tip.kind(LEDGER) or tip.kind(ATTRIBUTES) else {ATTRIBUTES: ATTRIBUTES_TEXT}
        return {LEDGER: ledger.open + lines, **first}
    numbers = segment_numbers(tip.names(CLOSED))
    path = segment_path(1 + max(numbers, default=0))
    manifest = (tip.content(MANIFEST) or b"") + manifest_line(path, ledger.open)
    first = {} if numbers else _attributes(tip)
    return {path: ledger.open, MANIFEST: manifest, LEDGER: lines, **first}


def _attributes(tip: Tip) -> dict[str, bytes]:
    """Git attributes of closed segments, for a file that is older than their folder."""
    held = tip.content(ATTRIBUTES) if tip.kind(ATTRIBUTES) == "file" else b""
    if held is None or ATTRIBUTES_CLOSED in held:
        return {}
    parted = held if held.endswith(b"\n") or not held else held + b"\n"
    return {ATTRIBUTES: parted + ATTRIBUTES_CLOSED if held else ATTRIBUTES_TEXT}


def merged_lines(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    """Our lines and theirs; one that either side has moved to a closed segment is not brought back."""
    old, mine, other = (dict.fromkeys(content.splitlines(keepends=True)) for content in (base, ours, theirs))
    kept = [line for line in mine if line in other or line not in old]
    kept += [line for line in other if line not in mine and line not in old]
    return b"".join(line if line.endswith(b"\n") else line + b"\n" for line in kept)
