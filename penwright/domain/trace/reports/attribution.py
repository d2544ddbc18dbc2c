"""Attribute the blocks at the tip to the records that introduced them, and to people's own commits.

Both are replayed in the order of the history. A block takes a live occurrence of its hash, one with equal
neighbours if possible. Each occurrence is used once. Where equal blocks have several authors and nothing
tells them apart, the block is ambiguous.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import chain

from penwright.domain.text.blocks import Block, blocks_of, neighbours_of
from penwright.domain.text.comparing.descent import may_be_copy
from penwright.domain.trace.authors import UNKNOWN, Origin, doubtful, models_of
from penwright.domain.trace.live_blocks import LiveBlock, LiveBlocks, Neighbours, differ, everyone
from penwright.domain.trace.reading import Reading, concerns_whole_files, hashes_named, read_records
from penwright.domain.trace.reports.arrivals import Arrivals, record_id
from penwright.domain.trace.reports.beginnings import began_with, history_of
from penwright.domain.trace.reports.by_hand import Edit, hand_commits, people_in
from penwright.domain.trace.reports.echoes import echoes
from penwright.domain.trace.reports.merges import merged_blocks
from penwright.domain.trace.reports.predecessors import sources_of, with_predecessors
from penwright.domain.trace.reports.texts import former_blocks, texts_of
from penwright.domain.trace.source import TraceSource
from schemas.trace import Author, Node, TracedCommit, TraceRecord

_COMPARED = 200
"""Newest records whose texts are compared where several people write: of older ones any block that went may
have been a source."""


@dataclass(frozen=True, slots=True)
class Attributed:
    """One block of the text, and as the ledger knows it; None if it does not."""

    block: Block
    written: LiveBlock | None


@dataclass(frozen=True, slots=True)
class Attribution:
    """Every block of some files."""

    files: Mapping[str, tuple[Attributed, ...]]
    left_out: int
    """Damaged lines of the ledger, which were ignored."""
    commits: Sequence[TracedCommit] = ()
    """The history since the ledger, or what was declared, began."""
    unread: int = 0
    """Commits by hand that are too old to be read: what they brought in is unknown."""
    among: Set[str] = frozenset()
    """Commits with changes beside their records: who else had a part in them is not known."""


def attribute(source: TraceSource, texts: Mapping[str, str]) -> Attribution:
    """Attribute the blocks of ``texts``, the contents at the tip by path."""
    stand = {**texts_of(source), **texts}
    standing = {path: blocks_of(text) for path, text in stand.items()}
    blocks = {path: standing[path] for path in texts}
    commits, arrived = history_of(source)
    by_hand, among, unread = hand_commits(source, commits, arrived)
    by_hand += merged_blocks(source, commits, {*texts, *_reached_from(blocks, standing, by_hand)})
    unseen = [block for each in by_hand for block in each.blocks]
    asked = [*chain.from_iterable(blocks.values())]
    older = began_with(source, commits, arrived, standing)
    former = former_blocks(source, arrived.replaced, stand.values())
    heard = echoes(asked, chain(chain.from_iterable(standing.values()), unseen, older.blocks, former))
    every = [*asked, *unseen]
    squashed = bool(among) or any(len(ids) > 1 for ids in arrived.records.values())
    several_people = squashed or len({name for each in commits for name in people_in(each)}) > 1
    followed = with_predecessors(
        source,
        {
            *(block.hash for block in every),
            *chain.from_iterable(run for runs in heard.values() for run in runs),
            *chain.from_iterable(each.named for each in by_hand),
        },
        (block.hash for block in unseen),
        several_people=several_people,
    )
    long = {block.hash for block in every if may_be_copy(block.text)}
    wanted = {name.encode() for name in followed}
    reading = read_records(
        source,
        lambda row: (
            not wanted.isdisjoint(hashes_named(row))
            or concerns_whole_files(row)
            or (bool(among) and record_id(row) in among)
        ),
    )
    compared = {each.id for each in reading.records[-_COMPARED:]} if several_people else frozenset[str]()
    remaining = LiveBlocks(followed, naming=several_people, long=long)
    for event in _in_order(reading, arrived, by_hand):
        if isinstance(event, TraceRecord):
            remaining.apply(event, sources_of(source, event) if event.id in compared else None)
        else:
            event.follow(remaining)
    hashes = {path: {block.hash for block in found} for path, found in standing.items()}
    sure = {each.hash for each in older.sure}
    doubts = _Doubts(remaining, hashes, heard, {each.hash for each in older.blocks}, sure, unread)
    return Attribution(
        {
            path: tuple(doubts.about(path, each) for each in _matched(path, found, remaining, hashes))
            for path, found in blocks.items()
        },
        reading.left_out,
        commits,
        unread,
        frozenset(each.commit.sha for each in by_hand if each.among),
    )


def _reached_from(
    blocks: Mapping[str, Sequence[Block]], standing: Mapping[str, Sequence[Block]], by_hand: Iterable[Edit]
) -> Iterator[str]:
    """Paths of files whose text may have come into the asked ones by hand: as a copy, or in one commit."""
    asked = {block.hash for found in blocks.values() for block in found}
    yield from (path for path, found in standing.items() if any(block.hash in asked for block in found))
    yield from (path for each in by_hand for path in each.touched)


def _in_order(reading: Reading, arrived: Arrivals, by_hand: Iterable[Edit]) -> list[TraceRecord | Edit]:
    """Records and what no record tells, as the history has them."""
    ranks = {record.id: rank for rank, record in enumerate(reading.records)}
    events: list[tuple[tuple[int, float], TraceRecord | Edit]] = [
        ((arrived.places.get(record.id, -1), ranks[record.id]), record) for record in reading.records
    ]
    for each in by_hand:
        rank = ranks[each.place.before] - 0.5 if each.place.before else float("inf")
        events.append(((each.place.at, rank), each))
    return [event for _, event in sorted(events, key=lambda placed: placed[0])]


@dataclass(frozen=True, slots=True)
class _Doubts:
    """Limits of the ledger's knowledge: text whose arrival it did not record."""

    live: LiveBlocks
    hashes: Mapping[str, Set[str]]
    """Of the blocks of every file, by path."""
    echoes: Mapping[str, frozenset[frozenset[str]]]
    began_with: Set[str]
    """Blocks that are older than the ledger, or may be."""
    sure: Set[str]
    """Those of them that are."""
    unread: int
    """Commits by hand that were not read."""
    firsts: dict[str, Sequence[LiveBlock]] = field(default_factory=dict)
    """By hash, as far as they were asked for."""

    def about(self, path: str, each: Attributed) -> Attributed:
        """The block, ambiguous if it may be a copy of another author's text."""
        echoed = self._echoed(path, each)
        if each.written is None:
            return Attributed(each.block, _copy_of(echoed[0], path, each.block, echoed) if echoed else None)
        unseen = self._unseen(path, each.block.hash) or self._older(each)
        others = (*everyone(echoed), *unseen)
        written = _doubtful(each.written, others) if others else self._with_earlier(each.written)
        return Attributed(each.block, written)

    def _with_earlier(self, written: LiveBlock) -> LiveBlock:
        """The block, with what brought in the first blocks that have a run of its words.

        Only where several people write.
        """
        if not self.live.naming:
            return written
        firsts = (one for one in self._firsts(written.hash) if one.turn < written.turn)
        earlier = {made: None for one in firsts for made in one.makings if made not in written.makings}
        return replace(written, beside=(*earlier, *written.beside)) if earlier else written

    def _echoed(self, path: str, each: Attributed) -> Sequence[LiveBlock]:
        """The first blocks with a run of its words, where no record says that these are their authors'."""
        hashed, written = each.block.hash, each.written
        known = self.live.of(path, hashed) or ((written,) if written else ())
        alone = max((one.turn for one in known if one.alone), default=0)
        doubted = (one.turn for one in known if one.corrected or one.author.entity_type == "UNKNOWN")
        unsure = max(doubted, default=0 if known else self.live.turns)
        named = models_of(written.possible) if written else frozenset[str]()
        kinds = _kinds(written) if written else frozenset[str]()
        return [
            one
            for one in self._firsts(hashed)
            if (one.turn < max(alone, unsure) and models_of(one.possible) - named)
            or (one.turn < alone and _kinds(one) - kinds)
        ]

    def _firsts(self, hashed: str) -> Sequence[LiveBlock]:
        """The first blocks with a run of a block, one of those that came at once by the same authors."""
        if hashed not in self.firsts:
            runs = self.echoes.get(hashed, ())
            alike: dict[tuple[int, tuple[Author, ...]], LiveBlock] = {}
            for one in (one for run in runs for one in self._first(run)):
                alike.setdefault((one.turn, one.possible), one)
            self.firsts[hashed] = [*alike.values()]
        return self.firsts[hashed]

    def _first(self, sharing: Set[str]) -> Sequence[LiveBlock]:
        """Those of some blocks that came first; none if one is older than the ledger for certain."""
        if not self.sure.isdisjoint(sharing):
            return ()
        found = [
            one
            for hashed in sharing
            for one in (*self.live.anywhere(hashed), *self.live.gone.get(hashed, ()))
        ]
        first = min((one.turn for one in found), default=0)
        return [one for one in found if one.turn == first]

    def _unseen(self, path: str, hashed: str) -> tuple[Author, ...]:
        """Someone unknown, if the text is also in a file that it reached in a commit that was not read."""
        unseen = self.unread > 0 and any(
            other != path and hashed in hashes and not self.live.of(other, hashed)
            for other, hashes in self.hashes.items()
        )
        return (UNKNOWN,) if unseen else ()

    def _older(self, each: Attributed) -> tuple[Author, ...]:
        """Someone unknown, if the text is a copy of one that is older than the ledger.

        Or if it is said to be a person's, and has words in a row of such a one.
        """
        hashed, written = each.block.hash, each.written
        copied = hashed in self.began_with and hashed in self.live.long
        if written and _kinds(written) == {"HUMAN"}:
            copied |= any(not self.began_with.isdisjoint(run) for run in self.echoes.get(hashed, ()))
        return (UNKNOWN,) if copied else ()


def _matched(
    path: str, blocks: Sequence[Block], remaining: LiveBlocks, standing: Mapping[str, Set[str]]
) -> Iterator[Attributed]:
    found: dict[int, LiveBlock] = {}
    around = neighbours_of(blocks)
    for hashed, places in _by_hash(blocks).items():
        others = (each for each in remaining.anywhere(hashed) if each.path != path)
        tiers = [
            remaining.of(path, hashed),
            [each for each in others if hashed not in standing.get(each.path, ())],
        ]
        long = may_be_copy(blocks[places[0]].text)
        if long:
            tiers.append(remaining.gone.get(hashed, []))
        contexts = {at: around[at] for at in places}
        for tier in tiers:
            found |= _taken(contexts, tier)
            contexts = {at: ctx for at, ctx in contexts.items() if at not in found}
        twins = (found[at] for at in places if at in found)
        if twin := next((each for each in twins if long or each.ambiguous), None):
            # No record tells of these copies.
            found |= {at: _doubtful(twin, (UNKNOWN,)) for at in contexts}
    return (Attributed(block, found.get(at)) for at, block in enumerate(blocks))


def _by_hash(blocks: Iterable[Block]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for at, block in enumerate(blocks):
        found.setdefault(block.hash, []).append(at)
    return found


def _taken(contexts: Mapping[int, Neighbours], blocks: Sequence[LiveBlock]) -> dict[int, LiveBlock]:
    """Give each place a block: one with both neighbours equal, else with one, else the newest left.

    Only both neighbours together tell equal blocks by two authors apart.
    """
    found: dict[int, LiveBlock] = {}
    left, used = list(blocks), set[int]()
    enough = len(blocks) >= len(contexts)
    one_author = len({each.origin for each in blocks}) == 1 and enough
    others = (*everyone(blocks), *(() if enough else (UNKNOWN,)))
    for same in (lambda ctx: ctx, lambda ctx: ctx[0], lambda ctx: ctx[1], lambda ctx: ""):
        offers: dict[object, list[LiveBlock]] = {}
        for each in left:
            offers.setdefault(same(each.ctx), []).append(each)
        asking = Counter(same(ctx) for at, ctx in contexts.items() if at not in found)
        for at, ctx in contexts.items():
            offered = offers.get(same(ctx))
            if at not in found and offered:
                taken = offered.pop()
                known = one_author or (
                    isinstance(same(ctx), tuple) and _is_certain([taken, *offered], asking[same(ctx)])
                )
                found[at] = taken if known else _doubtful(taken, others)
                asking[same(ctx)] -= 1
                used.add(id(taken))
        left = [each for each in left if id(each) not in used]
    return found


def _is_certain(offered: Sequence[LiveBlock], asking: int) -> bool:
    """Whether all that may be taken have one author, and suffice for all places that ask."""
    return len(offered) >= asking and not differ(offered)


def _kinds(block: LiveBlock) -> frozenset[str]:
    """Whether a person, and whether someone unknown, may have written it."""
    return frozenset(
        "HUMAN" if each.entity_type == "MIXED" else each.entity_type for each in block.possible
    ) - {"AI"}


def _copy_of(older: LiveBlock, path: str, block: Block, echoed: Iterable[LiveBlock]) -> LiveBlock:
    """A block that nothing tells of, as a copy of an older one or of others, or someone's own."""
    unknown = replace(
        older,
        path=path,
        hash=block.hash,
        node=Node(heading=block.heading, kind=block.kind, ordinal=block.ordinal),
        made=replace(older.made, record="", commit=""),
        moved=None,
        candidates=(UNKNOWN,),
    )
    return _doubtful(unknown, everyone(echoed))


def _doubtful(block: LiveBlock, others: Iterable[Author]) -> LiveBlock:
    """The block, which one of these wrote, if not its author."""
    candidates = tuple(dict.fromkeys((*block.possible, *others)))
    if len(candidates) == 1:
        return replace(block, origin=Origin(candidates[0], None), earlier=())
    return replace(block, origin=doubtful(candidates), earlier=(), candidates=candidates)
