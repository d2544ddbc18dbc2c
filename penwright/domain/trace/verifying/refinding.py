"""Level 4: every recorded block is found again in the text, or a record says what became of it."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from penwright.domain.trace.blocks import Block, blocks_of, short_hash
from penwright.domain.trace.changes import likeness_of
from penwright.domain.trace.governed import is_governed
from penwright.domain.trace.verifying.report import finding
from schemas.trace import Finding, Range, TracedFile, TraceRecord

Fate = Literal[
    "present",
    "moved",
    "relocated",
    "ambiguous",
    "split",
    "joined",
    "superseded",
    "edited",
    "lost",
    "removed-by-hand",
]
_ALIKE = 60
"""Per cent from which a block counts as the recorded one, edited."""


class Source(Protocol):
    """As much of ``penwright.ports.TraceSource`` as this needs."""

    def files(self) -> Mapping[str, str]: ...
    def blob(self, sha: str) -> bytes | None: ...


@dataclass(frozen=True, slots=True)
class Place:
    """Where a block was recorded."""

    record: str
    path: str
    ctx: tuple[str, str]
    blob: str
    start: int
    end: int
    number: int


@dataclass(slots=True)
class Places:
    """Recorded blocks that should still be there, by hash."""

    live: dict[str, list[Place]] = field(default_factory=dict)
    superseded: int = 0
    renamed: dict[str, str] = field(default_factory=dict)
    deleted: dict[str, int] = field(default_factory=dict)
    """Path -> number of the newest record that deleted it."""
    _number: int = 0

    def apply(self, record: TraceRecord) -> None:
        """Take in what a record adds, replaces, moves and removes."""
        self._number += 1
        for file in record.files:
            path = file.relative_path
            if file.op == "delete":
                self.deleted[path] = self._number
            for part in file.conversations:
                for gone in part.removed:
                    self._drop(gone.block_hash, path)
                for found in part.ranges:
                    self._place(record, file, found)

    def _place(self, record: TraceRecord, file: TracedFile, found: Range) -> None:
        if found.change == "moved":
            self._drop(found.block_hash, file.relative_path)
        elif found.before_block_hash:
            self._drop(found.before_block_hash, file.relative_path)
        place = Place(
            record=record.id,
            path=file.relative_path,
            ctx=found.ctx,
            blob=file.blob_after or "",
            start=found.start_line,
            end=found.end_line,
            number=self._number,
        )
        self.live.setdefault(found.block_hash, []).append(place)

    def _drop(self, hashed: str, path: str) -> None:
        """One block less of this hash, if possible in this file."""
        held = self.live.get(hashed)
        if not held:
            return
        at = next((n for n, place in enumerate(held) if place.path == path), 0)
        del held[at]
        self.superseded += 1
        if not held:
            del self.live[hashed]


@dataclass(frozen=True, slots=True)
class Standing:
    """A block of the text as it is now."""

    path: str
    ctx: tuple[str, str]
    block: Block


def standing(source: Source, paths: Collection[str] | None = None) -> dict[str, list[Standing]]:
    """Blocks of governed text by hash; of ``paths`` only, if given."""
    found: dict[str, list[Standing]] = {}
    for path, sha in source.files().items():
        if is_governed(path) and (paths is None or path in paths):
            blocks = _blocks(source.blob(sha))
            hashes = ["", *(short_hash(block.hash) for block in blocks), ""]
            for at, block in enumerate(blocks):
                ctx = (hashes[at], hashes[at + 2])
                found.setdefault(block.hash, []).append(Standing(path, ctx, block))
    return found


def _blocks(content: bytes | None) -> Sequence[Block]:
    if content is None or b"\0" in content:
        return ()
    try:
        return blocks_of(content.decode())
    except UnicodeDecodeError:
        return ()


@dataclass(slots=True)
class Refinding:
    """Looks for every live block."""

    source: Source
    places: Places
    now: Mapping[str, Sequence[Standing]]
    human_paths: Collection[str]
    fates: Counter[str] = field(default_factory=Counter)
    _free: dict[str, list[Standing]] | None = None

    def run(self) -> Iterator[Finding]:
        """Findings about blocks that are not where a record says; ``fates`` counts them all."""
        self.fates["superseded"] += self.places.superseded
        for hashed, places in self.places.live.items():
            for place in places:
                if place.number < self.places.deleted.get(place.path, 0):
                    self.fates["superseded"] += 1
                else:
                    yield from self._judge(hashed, place, len(places))

    def _judge(self, hashed: str, place: Place, wanted: int) -> Iterator[Finding]:
        there = self.now.get(hashed, ())
        if any(each.path == place.path and _beside(each.ctx, place.ctx) for each in there):
            self.fates["present"] += 1
        elif near := [each for each in there if each.path == place.path]:
            yield from self._one_of(near, place, wanted, "moved")
        elif there:
            yield from self._one_of(there, place, wanted, "relocated")
        else:
            yield from self._changed(place)

    def _one_of(self, there: Sequence[Standing], place: Place, wanted: int, fate: Fate) -> Iterator[Finding]:
        """Equal blocks: as many as were recorded are the recorded ones; of more, nobody can tell which."""
        if len(there) <= max(wanted, 1):
            self.fates[fate] += 1
            return
        self.fates["ambiguous"] += 1
        line = there[0].block.start_line
        yield finding(
            "AMBIGUOUS",
            f"{len(there)} equal blocks in {place.path!r}, the first in line {line}",
            path=place.path,
            record=place.record,
        )

    def _changed(self, place: Place) -> Iterator[Finding]:
        """No block has its hash: it was edited, cut in two, joined with another, or taken away."""
        text = self._text(place)
        best, found = 0, None
        for each in self._untraced(place.path):
            likeness = _likeness(text, each.block.text)
            if likeness > best:
                best, found = likeness, each
        by_hand = place.path in self.human_paths
        if found is not None and best >= _ALIKE:
            self.fates["edited"] += 1
            message = f"line {found.block.start_line} of {place.path!r} is {best} % of what was recorded"
            told = finding("EDITED_UNTRACED", message, path=place.path, record=place.record)
            yield told.model_copy(update={"severity": "info"}) if by_hand else told
        elif by_hand:
            self.fates["removed-by-hand"] += 1
        else:
            self.fates["lost"] += 1
            message = f"a block of {place.path!r} recorded in line {place.start} is gone"
            yield finding("LOST", message, path=place.path, record=place.record)

    def _text(self, place: Place) -> str:
        content = self.source.blob(place.blob) or b""
        lines = content.decode("utf-8", "replace").split("\n")
        return "\n".join(lines[place.start - 1 : place.end])

    def _untraced(self, path: str) -> Sequence[Standing]:
        """Blocks of the file that no record knows."""
        if self._free is None:
            self._free = {}
            for hashed, found in self.now.items():
                if hashed not in self.places.live:
                    for each in found:
                        self._free.setdefault(each.path, []).append(each)
        return self._free.get(path, ())


def _beside(now: tuple[str, str], then: tuple[str, str]) -> bool:
    """Whether a block still has one of its neighbours; what follows the end of a book changes daily."""
    return now[0] == then[0] or now[1] == then[1]


def _likeness(old: str, new: str) -> int:
    """Likeness; a block that holds most of the other, cut or joined, is as like as what they share."""
    shorter, longer = sorted((" ".join(old.split()), " ".join(new.split())), key=len)
    if len(shorter) > 40 and shorter in longer:
        return 100
    return likeness_of(old, new)
