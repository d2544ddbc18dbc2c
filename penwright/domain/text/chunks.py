"""The blocks of long texts, taken apart stretch by stretch: a book that grew is the same up to its end."""

import hashlib
import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from typing import NamedTuple

from penwright.domain.text.blocks import (
    FRONT_MATTER_BYTES,
    blocks_of,
    front_matter_bytes,
    is_settled,
    may_have_front_matter,
    short_hash,
)

Neighbours = tuple[str, str]
"""Short hashes of the blocks around one; empty at an end of the text."""

LENGTH = 16 * 1024
"""Bytes after which the next blank line ends a stretch."""
_MOST_BLOCKS = 100_000
_FEW, _TEXTS, _LONGEST = 2, 4, 16 * 1024 * 1024
"""Stretches of a text that is soon read, texts kept, and bytes of the longest that is."""
_BLANK = re.compile(rb"\n[ \t\r]*\n\s*")


@dataclass(frozen=True, slots=True)
class Stretch:
    """What stands between two blank lines that nothing spans."""

    hashes: tuple[str, ...]
    """Of its blocks, in order."""
    at: dict[str, tuple[int, ...]]
    """Block hash -> its places among them."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where the blocks of one text stand."""

    stretches: tuple[Stretch, ...] = ()
    edges: tuple[Neighbours, ...] = ()
    """Of each stretch: what stands before its first block and behind its last."""

    def __len__(self) -> int:
        return sum(len(stretch.hashes) for stretch in self.stretches)

    def among(self, blocks: Set[str]) -> set[str]:
        """Those of ``blocks`` that stand in the text."""
        return set().union(*(stretch.at.keys() & blocks for stretch in self.stretches))

    def around(self, blocks: Set[str]) -> dict[str, list[Neighbours]]:
        """What stands around each of ``blocks`` that stands in the text, for each place it stands at."""
        found: dict[str, list[Neighbours]] = {}
        for stretch, (before, after) in zip(self.stretches, self.edges, strict=True):
            hashes = stretch.hashes
            for block in stretch.at.keys() & blocks:
                for at in stretch.at[block]:
                    left = short_hash(hashes[at - 1]) if at else before
                    right = short_hash(hashes[at + 1]) if at + 1 < len(hashes) else after
                    found.setdefault(block, []).append((left, right))
        return found


def places_in(content: bytes, *, length: int = LENGTH) -> Places:
    """Where each block of a text stands; it is looked at in stretches of about ``length`` bytes.

    Raises ``UnicodeDecodeError`` for what is no UTF-8.
    """
    found = tuple(part.stretch for part in _parts_of(content, length) if part.stretch.hashes)
    ends = ["", *(short_hash(stretch.hashes[-1]) for stretch in found)]
    starts = [*(short_hash(stretch.hashes[0]) for stretch in found), ""]
    return Places(found, tuple(zip(ends, starts[1:], strict=False)))


class _Cut(NamedTuple):
    """Where a stretch may end."""

    end: int
    seen: int
    """Bytes that decided it, and one more."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A stretch of one text."""

    cut: _Cut
    stretch: Stretch


@dataclass(frozen=True, slots=True)
class _Read:
    """A text as it was taken apart."""

    content: bytes
    length: int
    parts: tuple[_Part, ...]
    """Without those that end only where the text does."""


@dataclass(slots=True)
class _Lately:
    """The long texts read last: what starts as one of them did is not even looked at.

    Whole tuples change hands, for other threads read too.
    """

    texts: tuple[_Read, ...] = ()

    def begun(self, content: bytes, length: int) -> tuple[_Read | None, tuple[_Part, ...]]:
        """The text that goes along with ``content`` furthest, and its stretches that do."""
        alike = ((each, _alike(each, content)) for each in self.texts if each.length == length)
        return max(alike, key=lambda found: len(found[1]), default=(None, ()))

    def keep(self, content: bytes, length: int, parts: Sequence[_Part], former: _Read | None) -> None:
        """Remember a text, instead of the one it is a later form of."""
        if len(parts) > _FEW and len(content) <= _LONGEST:
            others = (each for each in self.texts if each is not former)
            sure = tuple(part for part in parts[:-1] if part.cut.seen <= len(content))
            self.texts = (_Read(content, length, sure), *others)[:_TEXTS]


def _alike(read: _Read, content: bytes) -> tuple[_Part, ...]:
    alike = read.parts if content.startswith(read.content) else tuple(_same(read, content))
    return alike if alike and alike[-1].cut.seen >= _decided(content) else ()


def _same(read: _Read, content: bytes) -> Iterator[_Part]:
    """Stretches before the first that differs."""
    seen, at = memoryview(read.content), 0
    for part in read.parts:
        if not content.startswith(seen[at : part.cut.seen], at):
            return
        yield part
        at = part.cut.seen


def _decided(content: bytes) -> int:
    """Bytes that say where the first stretch may end."""
    return FRONT_MATTER_BYTES if may_have_front_matter(content) else 0


_lately = _Lately()


def _parts_of(content: bytes, length: int) -> Sequence[_Part]:
    read, known = _lately.begun(content, length)
    parts = [*known]
    begin = parts[-1].cut.end if parts else 0
    cuts = tuple(_cuts(content, begin, length))
    at, further = 0, 1
    while at < len(cuts):
        last = at == len(cuts) - 1
        made = _remembered.of(content[begin : cuts[at].end], first=not begin, last=last)
        if made is not None:
            parts.append(_Part(cuts[at], made))
            begin, further = cuts[at].end, 1
            at += 1
        else:
            # Twice as far each time: what never ends costs no more than the text.
            at = min(at + further, len(cuts) - 1)
            further *= 2
    former = read if read and 2 * len(known) > max(len(parts), len(read.parts)) else None
    _lately.keep(content, length, parts, former)
    return parts


def _cuts(content: bytes, begin: int, length: int) -> Iterator[_Cut]:
    """Where stretches may end; a text that is only longer than another has the same ones before its end."""
    at, front = begin, front_matter_bytes(content)
    while blank := _BLANK.search(content, max(at + length, front)):
        at = content.rfind(b"\n", 0, blank.end()) + 1
        yield _Cut(at, blank.end() + 1)
    if at < len(content):
        yield _Cut(len(content), len(content) + 1)


class _Unknown:
    """Nobody has looked yet."""


_UNKNOWN = _Unknown()


@dataclass(slots=True)
class _Remembered:
    """Stretches by what is in them; None: something goes on behind its end."""

    stretches: dict[tuple[bytes, bool, bool], Stretch | None] = field(default_factory=dict)
    blocks: int = 0

    def of(self, content: bytes, *, first: bool, last: bool) -> Stretch | None:
        key = hashlib.blake2b(content, digest_size=20).digest(), first, last
        known = self.stretches.get(key, _UNKNOWN)
        if not isinstance(known, _Unknown):
            return known
        text = content.decode()
        made = _taken_apart(text, 1 if first else 2) if last or is_settled(text) else None
        if self.blocks > _MOST_BLOCKS:
            self.stretches, self.blocks = {}, 0
        self.stretches[key] = made
        self.blocks += len(made.hashes) if made else 1
        return made


_remembered = _Remembered()


def _taken_apart(text: str, first_line: int) -> Stretch:
    hashes = tuple(block.hash for block in blocks_of(text, first_line=first_line))
    at: dict[str, tuple[int, ...]] = {}
    for place, block in enumerate(hashes):
        at[block] = (*at.get(block, ()), place)
    return Stretch(hashes, at)
