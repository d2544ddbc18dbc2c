"""The one fold over the ledger: every recorded block that is still in the text, and who wrote it.

Records are applied oldest first. Reports attribute the text by it; the recorder asks it who wrote a block,
and the verifier what should still be there.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice

from penwright.domain.text.blocks import Block, short_hash
from penwright.domain.trace.authors import UNKNOWN, Origin, doubtful, origin_of
from penwright.domain.trace.corrected import Part, possible_authors
from penwright.domain.trace.mentions import instant
from schemas.trace import Author, Conversation, Former, Node, Range, TracedFile, TraceRecord

Heading = tuple[str, ...]
"""Titles of the headings above a block, outermost first."""

Neighbours = tuple[str, str]
"""Short hashes of the blocks around one; empty at an end of the text."""

Sources = Mapping[tuple[str, str], Collection[str]]
"""By path and hash of a new block: hashes of the blocks that it has words of."""


@dataclass(frozen=True, slots=True)
class Made:
    """When, by what and on which commit a record was made."""

    record: str
    """Its id; empty for a person's own commit, which has no record."""
    at: datetime
    tool: str
    parent: str
    commit: str = ""
    """The commit, where it is known: a person's own."""

    @classmethod
    def of(cls, record: TraceRecord) -> "Made":
        """The making of ``record``."""
        return cls(record.id, instant(record), record.tool.name, record.vcs.revision_id)


@dataclass(slots=True, eq=False)
class LiveBlock:
    """One occurrence of a recorded block."""

    path: str
    hash: str
    node: Node
    ctx: Neighbours
    origin: Origin
    made: Made
    """The record it was written by."""
    moved: Made | None = None
    """The record that moved it last."""
    earlier: tuple[Made, ...] = ()
    """The records of the blocks it was made from, one out of the other, the newest last."""
    beside: tuple[Made, ...] = ()
    """Records of other blocks that words of it may be from; of several people only."""
    candidates: tuple[Author, ...] = ()
    """Everyone its author may be, if that cannot be decided; otherwise empty."""
    blob: str = ""
    """Blob id of the file as recorded, and its lines there."""
    lines: tuple[int, int] = (0, 0)
    corrected: bool = False
    """Its author is not from a record: it came by hand, or is a copy of what did."""
    believed: Author = UNKNOWN
    """Its author, as its record says; unknown if it came by hand."""
    alone: bool = False
    """All its words are said to be those of who brought it in."""
    turn: int = 0
    """Number of the record that brought it in, in the order they were applied."""

    @property
    def ambiguous(self) -> bool:
        """Whether its author cannot be decided."""
        return bool(self.candidates)

    @property
    def possible(self) -> tuple[Author, ...]:
        """Its author, or everyone it may be."""
        return self.candidates or (self.origin.author,)

    @property
    def makings(self) -> tuple[Made, ...]:
        """Everything that may have brought words of it in, its own record last."""
        return (*self.beside, *self.earlier, self.made)

    def parts(self, believed: Author | None = None) -> tuple[Part, ...]:
        """Its words, by everyone who may have written them. ``believed``: what a later record says of it."""
        return tuple(Part(each, believed or self.believed) for each in self.possible)

    @property
    def author(self) -> Author:
        return self.origin.author

    @property
    def intent(self) -> str | None:
        return self.origin.intent

    @property
    def source(self) -> Made | None:
        """The record of the block it was made from, if that was another."""
        return self.earlier[-1] if self.earlier else None

    @property
    def record(self) -> str:
        """Id of the record that introduced or moved it."""
        return (self.moved or self.made).record


@dataclass(slots=True)
class Applied:
    """Changes that one record made to the followed blocks."""

    come: list[LiveBlock] = field(default_factory=list)
    gone: list[LiveBlock] = field(default_factory=list)
    """As they were."""
    confused: list[LiveBlock] = field(default_factory=list)
    """Those that cannot be told from an equal one any more."""


@dataclass(slots=True)
class LiveBlocks:
    """Recorded blocks by path, then by hash, the oldest first."""

    wanted: Collection[str] | None = None
    """Hashes of the blocks that are followed; None for all."""
    counting: bool = False
    """For sums: of equal blocks one goes even if nothing tells which; what is gone is not kept."""
    naming: bool = False
    """Whether it is followed which blocks words are from: where several people write."""
    long: Collection[str] = ()
    """Hashes of blocks so long that an equal one is a copy, even if a record names another author."""
    live: dict[str, dict[str, list[LiveBlock]]] = field(default_factory=dict)
    gone: dict[str, list[LiveBlock]] = field(default_factory=dict)
    """By hash: replaced, moved and removed ones."""
    superseded: int = 0
    """Number of superseded blocks among them."""
    guessed: dict[str, list[LiveBlock]] = field(default_factory=dict)
    """By hash: those that were taken from among equal ones."""
    turns: int = 0
    """Records that were applied."""
    applied: Applied = field(default_factory=Applied)
    """Changes by the last record."""
    files: Sequence[TracedFile] = ()
    """Files of the last record."""
    sources: Sources | None = None
    """Of its blocks; None if they may be of any that went."""
    authors: dict[Author, Author] = field(default_factory=dict)
    """One object for equal authors, so that they are compared fast."""

    def apply(self, record: TraceRecord, sources: Sources | None = None) -> None:
        """Apply what a record adds, replaces, moves and removes."""
        self.follow(record.files, Made.of(record), record.intent.id if record.intent else None, sources)

    def follow(
        self, files: Sequence[TracedFile], made: Made, intent: str | None, sources: Sources | None = None
    ) -> None:
        """The same for changes of files."""
        self.turns, self.applied, self.files, self.sources = self.turns + 1, Applied(), files, sources
        for file in files:
            if file.path_before:
                self._rename(file.path_before, file.relative_path)
        # Removals first: two blocks may change places.
        self.applied.come += [each for file in files for each in self._changed(file, made, intent)]
        for path, old, new in reworded_headings(files):
            self._reword(path, old, new)
        beside_equals: dict[tuple[str, str], list[LiveBlock]] = {}
        for each in self.applied.come:
            there = self.live.setdefault(each.path, {}).setdefault(each.hash, [])
            there.append(each)
            if len(there) > 1 and short_hash(each.hash) in each.ctx:
                beside_equals[each.path, each.hash] = there
        for there in beside_equals.values():
            if differ(there):
                # One came right beside an equal one: which of them is new cannot be known.
                self._confuse(there)

    def confuse_copies(self) -> None:
        """Doubt each block of the last change that equals one of another author, and that one."""
        for hashed in dict.fromkeys(each.hash for each in self.applied.come):
            there = list(self.anywhere(hashed))
            if hashed in self.long and differ(there):
                self._confuse(there)

    def come_unseen(
        self, path: str, blocks: Iterable[Block], made: Made, authors: Iterable[Author], named: Iterable[str]
    ) -> None:
        """Add blocks that any of ``authors`` may have written, or those of the ``named`` or equal ones."""
        self.turns, self.applied = self.turns + 1, Applied()
        former = everyone(
            one for hashed in named for one in self.of(path, hashed) or self.gone.get(hashed, ())[-1:]
        )
        possible = (*authors, *former)
        for each in blocks:
            # It may be an equal one that is known, or a copy of one.
            equal = self._equal(each.hash) if each.hash in self.long else self.of(path, each.hash)
            candidates = tuple(dict.fromkeys((*possible, *everyone(equal))))
            node = Node(heading=each.heading, kind=each.kind, ordinal=each.ordinal)
            found = LiveBlock(path, each.hash, node, ("", ""), doubtful(candidates), made, turn=self.turns)
            found.candidates = candidates if len(candidates) > 1 else ()
            self.live.setdefault(path, {})[each.hash] = [found]
            self.applied.come.append(found)

    def of(self, path: str, hashed: str) -> Sequence[LiveBlock]:
        """Live occurrences of a block in a file."""
        return self.live.get(path, {}).get(hashed, ())

    def every(self) -> Iterator[LiveBlock]:
        """All live blocks."""
        return (each for hashes in self.live.values() for blocks in hashes.values() for each in blocks)

    def anywhere(self, hashed: str) -> Iterator[LiveBlock]:
        """Live occurrences of a block in all files."""
        return (each for hashes in self.live.values() for each in hashes.get(hashed, ()))

    def _changed(self, file: TracedFile, made: Made, intent: str | None) -> Iterator[LiveBlock]:
        """Remove what the file lost; yield what it gained."""
        path = file.relative_path
        for talk in file.conversations:
            for gone in talk.removed:
                self._take(gone.block_hash, path, gone.node)
            for row in talk.ranges:
                before = self._leave(path, row)
                if self.wanted is None or row.block_hash in self.wanted:
                    yield self._come(file, talk, row, made, intent, before)
        if file.op == "delete":
            for found in self.live.pop(path, {}).values():
                self._retire(found)

    def _come(
        self,
        file: TracedFile,
        talk: Conversation,
        row: Range,
        made: Made,
        intent: str | None,
        before: LiveBlock | None,
    ) -> LiveBlock:
        moved, origin = row.change == "moved", origin_of(talk, row, intent)
        origin = replace(origin, author=self.authors.setdefault(origin.author, origin.author))
        # It may be gone already: it was split, or replaced in another clone meanwhile. Or it is a copy that
        # came unseen, of one in another file; or that one is a copy of it, which is older than the ledger.
        hashed = row.block_hash if moved else row.before_block_hash or ""
        gone = self.gone.get(hashed, ()) if before is None else ()
        elsewhere = () if before or gone else [*islice(self.anywhere(hashed), 1)]
        former = next(iter(elsewhere), gone[-1] if gone else before)
        copied = self._copied(row)
        possible = everyone(copied) if copied else (origin.author,)
        if not copied and self._is_corrected(former, row, made, origin.author):
            said = (row.former and row.former.contributor) or origin.author
            was = former.parts(said if row.change == "replaced" else None) if former else _unseen(row, said)
            found = possible_authors(was, self._gone_with(former), talk, row)
            possible = tuple(dict.fromkeys((*found, *((origin.author,) if elsewhere else ()))))
        settled = self._settled(possible, origin, copied[-1] if copied else former, intent)
        return LiveBlock(
            path=file.relative_path,
            hash=row.block_hash,
            node=row.node,
            ctx=row.ctx,
            origin=settled,
            made=former.made if moved and former else made,
            moved=made if moved else None,
            earlier=_earlier(copied[-1] if copied else former, moved=moved),
            beside=self._beside(file.relative_path, row, [*copied, *([former] if former else ())]),
            candidates=possible if len(possible) > 1 else (),
            blob=file.blob_after or "",
            lines=(row.start_line, row.end_line),
            corrected=not made.record or bool(former and former.corrected) or settled != origin,
            believed=origin.author if made.record else UNKNOWN,
            alone=not moved and row.contributor is None,
            turn=former.turn if moved and former else self.turns,
        )

    def _is_corrected(self, former: LiveBlock | None, row: Range, made: Made, said: Author) -> bool:
        """Whether more may be known of what a block was made of than when the change was recorded."""
        if former is not None and former.ambiguous:
            return True
        if not made.record or (former is not None and former.corrected):
            return bool(made.record)
        if row.contributor is None or row.change == "moved":
            return False
        # A person's and a model's words are mixed, whoever else's are among them.
        return said.entity_type == "UNKNOWN" or (
            said.entity_type == "MIXED"
            and any(part.author != part.believed for part in self._gone_with(former))
        )

    def _gone_with(self, former: LiveBlock | None) -> tuple[Part, ...]:
        """Everyone who may have written one of the blocks that go in this change, but for one."""
        found: list[Part] = []
        for path, hashed in _going(self.files):
            if former is None or hashed != former.hash:
                there = self.of(path, hashed) or self.gone.get(hashed, ())[-1:]
                found += [part for each in there for part in each.parts()]
        return tuple(dict.fromkeys(found))

    def _beside(self, path: str, row: Range, former: Sequence[LiveBlock]) -> tuple[Made, ...]:
        """Find blocks that may have brought in words, besides the change and what came before it there.

        Args:
            former: what it was, or is a copy of.
        """
        if not self.naming:
            return ()
        if row.change == "moved":
            return former[-1].beside if former else ()
        going = {hashed for _, hashed in _going(self.files)}
        hashes = going if self.sources is None else self.sources.get((path, row.block_hash), ())
        found = [
            one for hashed in hashes for one in [*self.anywhere(hashed)] or self.gone.get(hashed, ())[-1:]
        ]
        return tuple(dict.fromkeys(made for one in (*former, *found) for made in one.makings))

    def _settled(
        self, possible: Sequence[Author], said: Origin, former: LiveBlock | None, intent: str | None
    ) -> Origin:
        """The origin of a block of one of ``possible``: as a record said it, if that is right."""
        if len(possible) > 1:
            return doubtful(possible)
        if possible[0] == said.author:
            return said
        return former.origin if former and possible[0] == former.author else Origin(possible[0], intent)

    def _copied(self, row: Range) -> Sequence[LiveBlock]:
        """Equal blocks of which this is a copy, without the recorder's knowledge."""
        said = row.contributor.entity_type if row.contributor else ""
        copied = said == "UNKNOWN" and not row.before_block_hash
        if row.change != "added" or not (copied or row.block_hash in self.long):
            return ()
        return self._equal(row.block_hash)

    def _equal(self, hashed: str) -> Sequence[LiveBlock]:
        """Live occurrences of a block in all files, or else those that are gone."""
        return list(self.anywhere(hashed)) or self.gone.get(hashed, ())

    def _leave(self, path: str, row: Range) -> LiveBlock | None:
        """Take the block that was replaced or moved."""
        hashed = row.block_hash if row.change == "moved" else row.before_block_hash
        if row.change == "added" or hashed is None:
            return None
        former = row.former or Former()
        heading = row.node.heading if former.heading is None else former.heading
        place = row.node.model_copy(update={"heading": heading}) if former.heading is not None else row.node
        return self._take(hashed, former.path or path, place, moved=row.change == "moved")

    def _take(self, hashed: str, path: str, place: Node, *, moved: bool = False) -> LiveBlock | None:
        """Remove the nearest of the equal occurrences in a file."""
        there = self.live.get(path, {}).get(hashed)
        if not there:
            return None
        if len(there) > 1 and differ(there):
            if not moved and not self.counting:
                # Which of them went cannot be known: the neighbours of what is left may tell.
                return None
            self._confuse(there)
        taken = min(
            reversed(there),
            key=lambda each: (each.node.heading != place.heading, abs(each.node.ordinal - place.ordinal)),
        )
        there.remove(taken)
        if there:
            self.guessed.setdefault(hashed, []).append(taken)
        else:
            del self.live[path][hashed]
        self._retire([taken])
        return taken

    def _retire(self, blocks: Iterable[LiveBlock]) -> None:
        for each in blocks:
            self.superseded += 1
            self.applied.gone.append(each)
            if not self.counting:
                self.gone.setdefault(each.hash, []).append(each)

    def _confuse(self, blocks: Sequence[LiveBlock]) -> None:
        candidates = everyone(blocks)
        origin = doubtful(candidates)
        for each in blocks:
            each.candidates, each.origin = candidates, origin
            self.applied.confused.append(each)

    def _rename(self, before: str, path: str) -> None:
        for hashed, blocks in self.live.pop(before, {}).items():
            for each in blocks:
                each.path = path
            self.live.setdefault(path, {}).setdefault(hashed, []).extend(blocks)

    def _reword(self, path: str, old: Heading, new: Heading) -> None:
        """Blocks under a heading go with it."""
        for each in (each for blocks in self.live.get(path, {}).values() for each in blocks):
            if each.node.heading[: len(old)] == old:
                heading = (*new, *each.node.heading[len(old) :])
                each.node = each.node.model_copy(update={"heading": heading})


def beside(now: Neighbours, then: Neighbours) -> bool:
    """Whether a block still has one of its neighbours: text that is added around it does not move it."""
    return now[0] == then[0] or now[1] == then[1]


def reworded_headings(files: Iterable[TracedFile]) -> Iterator[tuple[str, Heading, Heading]]:
    """Path, titles before and titles after of each heading that was rewritten."""
    for file in files:
        for row in (row for talk in file.conversations for row in talk.ranges):
            former = row.former.heading if row.former else None
            if row.node.kind == "heading" and row.change == "replaced" and former:
                yield file.relative_path, former, row.node.heading


def differ(blocks: Sequence[LiveBlock]) -> bool:
    """Whether equal blocks have several authors, or one has none that is known."""
    # A refrain is compared as often as it stands in the text: mostly its author is one object.
    first = blocks[0].origin.author
    return any(each.origin.author is not first and each.origin.author != first for each in blocks)


def _going(files: Iterable[TracedFile]) -> Iterator[tuple[str, str]]:
    for file in files:
        for talk in file.conversations:
            yield from ((file.relative_path, each.block_hash) for each in talk.removed)
            for row in talk.ranges:
                if row.change == "replaced" and row.before_block_hash:
                    yield file.relative_path, row.before_block_hash


def everyone(blocks: Iterable[LiveBlock]) -> tuple[Author, ...]:
    """Everyone who may have written one of some blocks."""
    objects = {id(author): author for each in blocks for author in each.possible}
    return tuple(dict.fromkeys(objects.values()))


def common_origin(blocks: Sequence[LiveBlock]) -> Origin:
    """The origin of equal blocks, the newest one's intent; doubtful if their authors differ."""
    return doubtful(everyone(blocks)) if differ(blocks) else blocks[-1].origin


def _unseen(row: Range, said: Author) -> tuple[Part, ...]:
    """The block that another was made of, where only its record tells whose it was."""
    return (Part(said, said),) if row.before_block_hash else ()


def _earlier(former: LiveBlock | None, *, moved: bool) -> tuple[Made, ...]:
    """The records of the blocks that a block is made from."""
    if former is None:
        return ()
    return former.earlier if moved else tuple(dict.fromkeys((*former.earlier, former.made)))
