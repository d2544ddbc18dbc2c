"""Verifying a ledger, level by level, and finding the blocks of its records in the text again."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Literal

from penwright.domain.intents.governed import GovernedPaths
from penwright.domain.text.blocks import Block, blocks_in, neighbours_of
from penwright.domain.text.comparing.changes import block_similarity
from penwright.domain.trace.live_blocks import LiveBlock, LiveBlocks, beside
from penwright.domain.trace.source import TraceSource
from penwright.domain.trace.verifying.anchors import (
    NO_REMOTE,
    RemoteLog,
    StoredAnchors,
    check_anchors,
    merge_stored_anchors,
    shortened,
)
from penwright.domain.trace.verifying.history import HistoryCheck
from penwright.domain.trace.verifying.ledger import LedgerView
from penwright.domain.trace.verifying.report import VerifyOptions, VerifyReport, finding
from schemas.trace import Finding, TraceRecord

Progress = Callable[[str, int], None]
_PLACE = frozenset({"NO_ANCHORS", "NO_LEDGER"})
"""Findings about the repository as a whole: no closer look changes them, and no filter hides them."""
_LISTED = 200
"""Findings of one code that are listed one by one."""

_Fate = Literal[
    "present", "moved", "relocated", "ambiguous", "split", "joined", "superseded", "edited-untraced", "lost"
]
_ALIKE = 60
"""Similarity in per cent from which a block counts as the recorded one, edited."""
_PIECE = 20
"""Characters from which a piece counts as part of a recorded block."""
_COMPARED = 400
"""Unrecorded blocks that a lost one is compared with; a book older than its ledger has thousands."""


def _silent(_what: str, _count: int) -> None:
    """Ignore progress."""


def verify(
    source: TraceSource,
    options: VerifyOptions,
    known: Mapping[str, str] | None = None,
    progress: Progress = _silent,
    *,
    stored: StoredAnchors = tuple,
    remote: RemoteLog = NO_REMOTE,
) -> VerifyReport:
    """Levels 0 to 5 over the ledger at the tip.

    Args:
        known: by clone, the newest entry of the log that an earlier verification saw.
        progress: called with what is counted (``records``, ``commits``) and how many are done.
        stored: asked for the entries of the log outside the branch that the database remembers.
        remote: what is known of the remote that keeps the logs of other clones.
    """
    expected = LiveBlocks(counting=True)

    def take(record: TraceRecord) -> None:
        expected.apply(record)
        progress("records", expected.turns)

    view = LedgerView(source, take)
    view.read()
    logged = source.anchors()
    anchors, lost = merge_stored_anchors(logged, stored)
    found = [*view.findings, *lost, *shortened(logged, known or {})]
    history = HistoryCheck(source, view, anchors, options.since, options.strict)
    commits: set[str] = set()
    for commit in source.commits(since=options.since, bookkeeping=False):
        commits.add(commit.sha)
        found += history.commit(commit)
        progress("commits", len(commits))
    found += history.finish()
    if view.entries or anchors:
        reaches = source.reaches if options.since else commits.__contains__
        found += check_anchors(anchors, hashes=view.hashes, reaches=reaches, remote=remote)
    else:
        found.append(finding("NO_LEDGER", "no ledger here: nothing was recorded that could be verified"))
    refinding = Refinding(source, expected, history.named, history.by_hand)
    found += refinding.run()
    vouching = not options.since and all(each.severity != "error" for each in found)
    return VerifyReport(
        tip=source.tip,
        records=len(view.entries),
        commits=len(commits),
        blocks={fate: count for fate, count in sorted(refinding.fates.items()) if count},
        findings=tuple(_abridged(_requested(found, options, view))),
        newest={**(known or {}), **{each.clone: each.entry for each in anchors}} if vouching else None,
        anchored=bool(anchors),
    )


def _requested(found: Iterable[Finding], options: VerifyOptions, view: LedgerView) -> Iterator[Finding]:
    """Findings about the intent and the path in ``options``."""
    for each in found:
        entry = view.entries.get(each.record)
        intent = each.intent or (entry.header.intent if entry else "")
        paths = {each.path, *(file.path for file in entry.files)} if entry else {each.path}
        wanted = options.intent in ("", intent) and (not options.path or options.path in paths)
        if wanted or each.code in _PLACE:
            yield each


def _abridged(found: Iterable[Finding]) -> Iterator[Finding]:
    """Keep the first ``_LISTED`` findings per code; count the rest."""
    seen: Counter[str] = Counter()
    for each in found:
        seen[each.code] += 1
        if seen[each.code] <= _LISTED:
            yield each
    for code, count in seen.items():
        if count > _LISTED:
            yield finding(code, f"and {count - _LISTED:,} more")


@dataclass(frozen=True, slots=True)
class CurrentBlock:
    """A block of the current text."""

    path: str
    ctx: tuple[str, str]
    block: Block


@dataclass(slots=True)
class Refinding:
    """Level 4: every recorded block is in the text, or a later record replaced or removed it."""

    source: TraceSource
    places: LiveBlocks
    named: Mapping[str, int]
    """Id of a record -> number of its commit."""
    by_hand: Mapping[str, int]
    """Path -> number of the newest commit that changed it outside a session."""
    fates: Counter[str] = field(default_factory=Counter)
    _now: dict[str, list[CurrentBlock]] = field(default_factory=dict)
    _files: Mapping[str, str] = field(default_factory=dict)
    _everywhere: bool = False
    """Whether files are in it, too, in which nothing recorded should be."""
    _free: dict[str, list[CurrentBlock]] | None = None
    _guessed: dict[tuple[str, str], int] = field(default_factory=dict)
    """Path and hash -> guesses that may have taken the wrong one of equal blocks and excused none yet."""

    def run(self) -> Iterator[Finding]:
        """Findings about blocks that are not where a record says; ``fates`` counts them all."""
        self.fates["superseded"] += self.places.superseded
        if not self.places.live:
            return
        self._files = self.source.files()
        self._now = self._current_blocks(self.places.live.keys())
        for path, hashes in self.places.live.items():
            for hashed, places in hashes.items():
                for place in places:
                    yield from self._judge(path, hashed, place, len(places))

    def _current_blocks(self, paths: Set[str]) -> dict[str, list[CurrentBlock]]:
        """Blocks of some files by hash."""
        found: dict[str, list[CurrentBlock]] = {}
        governed = GovernedPaths(self.source.profile)
        for path in filter(governed.__contains__, sorted(paths & self._files.keys())):
            blocks = blocks_in(self.source.blob(self._files[path]))
            for block, ctx in zip(blocks, neighbours_of(blocks), strict=True):
                found.setdefault(block.hash, []).append(CurrentBlock(path, ctx, block))
        return found

    def _judge(self, path: str, hashed: str, place: LiveBlock, wanted: int) -> Iterator[Finding]:
        there = self._now.get(hashed) or self._elsewhere(hashed)
        near = [each for each in there if each.path == path]
        if any(beside(each.ctx, place.ctx) for each in near):
            self.fates["present"] += 1
        elif near:
            yield from self._one_of(near, path, place, wanted, "moved")
        elif there:
            yield from self._one_of(there, path, place, wanted, "relocated")
        else:
            yield from self._changed(path, place)

    def _elsewhere(self, hashed: str) -> Sequence[CurrentBlock]:
        """Equal blocks in files without recorded blocks; they are read only when one is needed."""
        if not self._everywhere:
            self._everywhere = True
            rest = self._files.keys() - self.places.live.keys()
            for each, found in self._current_blocks(rest).items():
                self._now.setdefault(each, []).extend(found)
        return self._now.get(hashed, ())

    def _one_of(
        self, there: Sequence[CurrentBlock], path: str, place: LiveBlock, wanted: int, fate: _Fate
    ) -> Iterator[Finding]:
        """If there are more equal blocks than were recorded, which of them is meant is ambiguous."""
        if len(there) <= wanted:
            self.fates[fate] += 1
            return
        self.fates["ambiguous"] += 1
        message = (
            f"{len(there)} equal blocks, the first in line {there[0].block.start_line} of {there[0].path!r}"
        )
        yield finding("AMBIGUOUS", message, path=path, record=place.record)

    def _changed(self, path: str, place: LiveBlock) -> Iterator[Finding]:
        """No block has its hash: it was edited, split, joined with another, or removed."""
        by_hand = self._before_a_hand(path, place) or self._exchanged(path, place)
        fate, found = _fate_of(self._text(place), self._untraced(path))
        if found is None and by_hand:
            # The author may remove text by hand; a session would have recorded it.
            self.fates["superseded"] += 1
            return
        self.fates[fate] += 1
        if found is None:
            message = f"a block of {path!r} recorded in line {place.lines[0]} is gone"
            yield finding("LOST", message, path=path, record=place.record)
            return
        code = {"split": "BLOCK_SPLIT", "joined": "BLOCK_JOINED"}.get(fate, "EDITED_UNTRACED")
        message = f"line {found.block.start_line} of {found.path!r} is what became of a recorded block"
        problem = finding(code, message, path=path, record=place.record)
        yield problem.model_copy(update={"severity": "info"}) if by_hand else problem

    def _before_a_hand(self, path: str, place: LiveBlock) -> bool:
        """Whether the file was changed by hand after the block was recorded."""
        return self.by_hand.get(path, 0) > self.named.get(place.record, 0)

    def _exchanged(self, path: str, place: LiveBlock) -> bool:
        """Whether an equal, older block that a person may have removed was taken in its stead.

        The fold guesses which of equal blocks a session removed; each wrong guess excuses one block.
        """
        key = (path, place.hash)
        if key not in self._guessed:
            taken = (each for each in self.places.guessed.get(place.hash, ()) if each.path == path)
            self._guessed[key] = sum(self._before_a_hand(path, each) for each in taken)
        self._guessed[key] -= 1
        return self._guessed[key] >= 0

    def _text(self, place: LiveBlock) -> str:
        content = self.source.blob(place.blob) or b""
        lines = content.decode("utf-8", "replace").split("\n")
        return " ".join("\n".join(lines[place.lines[0] - 1 : place.lines[1]]).split())

    def _untraced(self, path: str) -> Sequence[CurrentBlock]:
        """Unrecorded blocks of the file; of every file, if this one was deleted."""
        if self._free is None:
            recorded = {hashed for hashes in self.places.live.values() for hashed in hashes}
            self._free = {}
            for hashed, found in self._now.items():
                for each in found if hashed not in recorded else ():
                    self._free.setdefault(each.path, []).append(each)
        if path in self._files:
            return self._free.get(path, ())[:_COMPARED]
        return [each for found in self._free.values() for each in found][:_COMPARED]


def _fate_of(text: str, free: Sequence[CurrentBlock]) -> tuple[_Fate, CurrentBlock | None]:
    """The fate of a recorded text, and the block that contains, continues or resembles it."""
    pieces: list[CurrentBlock] = []
    best, nearest = _ALIKE - 1, None
    for each in free:
        plain = " ".join(each.block.text.split())
        if len(text) >= _PIECE and text in plain:
            return "joined", each
        if len(plain) >= _PIECE and plain in text:
            pieces.append(each)
        similarity = block_similarity(text, plain)
        if similarity > best:
            best, nearest = similarity, each
    if len(pieces) > 1:
        return "split", pieces[0]
    return ("edited-untraced", nearest) if nearest else ("lost", None)
