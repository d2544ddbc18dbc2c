"""The blocks of long texts, taken apart stretch by stretch: a book that grew is the same up to its end."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from penwright.domain.trace.blocks import blocks_of, front_matter_end, is_settled, short_hash

Neighbours = tuple[str, str]
"""Short hashes of the blocks around one; empty at an end of the text."""

LENGTH = 64 * 1024
"""Signs after which the next blank line ends a stretch."""
_MOST_BLOCKS = 100_000
_BLANK = re.compile(r"\n[ \t\r]*\n\s*")


@dataclass(frozen=True, slots=True)
class Stretch:
    """What stands between two blank lines that nothing spans."""

    hashes: tuple[str, ...]
    """Of its blocks, in order."""
    at: Mapping[str, tuple[int, ...]]
    """Block hash -> its places among them."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where the blocks of one text stand."""

    stretches: tuple[Stretch, ...] = ()
    edges: tuple[Neighbours, ...] = ()
    """Of each stretch: what stands before its first block and behind its last."""

    def __len__(self) -> int:
        return sum(len(stretch.hashes) for stretch in self.stretches)

    def __contains__(self, block: str) -> bool:
        return any(block in stretch.at for stretch in self.stretches)

    def around(self, block: str) -> Iterator[Neighbours]:
        """What stands around it, for each place it stands at."""
        for stretch, (before, after) in zip(self.stretches, self.edges, strict=True):
            hashes = stretch.hashes
            for at in stretch.at.get(block, ()):
                yield (
                    short_hash(hashes[at - 1]) if at else before,
                    short_hash(hashes[at + 1]) if at + 1 < len(hashes) else after,
                )


def places_in(text: str, *, length: int = LENGTH) -> Places:
    """Where each block of ``text`` stands; it is looked at in stretches of about ``length`` signs."""
    found = tuple(stretch for stretch in _stretches_of(text, length) if stretch.hashes)
    ends = ["", *(short_hash(stretch.hashes[-1]) for stretch in found)]
    starts = [*(short_hash(stretch.hashes[0]) for stretch in found), ""]
    return Places(found, tuple(zip(ends, starts[1:], strict=False)))


def _stretches_of(text: str, length: int) -> Iterator[Stretch]:
    cuts = tuple(_cuts(text, length))
    begin = at = 0
    further = 1
    while at < len(cuts):
        last = at == len(cuts) - 1
        known = _remembered.of(text[begin : cuts[at]], first=not begin, last=last)
        if known is not None:
            yield known
            begin, further = cuts[at], 1
            at += 1
        else:
            # Twice as far each time: what never ends costs no more than the text.
            at = min(at + further, len(cuts) - 1)
            further *= 2


def _cuts(text: str, length: int) -> Iterator[int]:
    """Where stretches may end; a text that is only longer than another has the same ones before its end."""
    at, begin = 0, front_matter_end(text)
    while blank := _BLANK.search(text, max(at + length, begin)):
        at = text.rfind("\n", 0, blank.end()) + 1
        yield at
    if at < len(text):
        yield len(text)


class _Unknown:
    """Nobody has looked yet."""


_UNKNOWN = _Unknown()


@dataclass(slots=True)
class _Remembered:
    """Stretches by what is in them; None: something goes on behind its end."""

    stretches: dict[tuple[bytes, bool, bool], Stretch | None] = field(default_factory=dict)
    blocks: int = 0

    def of(self, text: str, *, first: bool, last: bool) -> Stretch | None:
        key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20).digest(), first, last
        known = self.stretches.get(key, _UNKNOWN)
        if not isinstance(known, _Unknown):
            return known
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
