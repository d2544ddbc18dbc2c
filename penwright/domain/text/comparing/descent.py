"""Descent of a changed block's words: the old blocks they come from, and how many are new."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rapidfuzz.distance import LCSseq

from penwright.domain.text.blocks import Block, blocks_of, plain_text
from penwright.domain.text.comparing.changes import BlockChange
from penwright.domain.text.inline_citations import without_whole_citations
from penwright.domain.text.words import is_unspaced, split_words

ALIKE = 60
"""Similarity, per cent, from which a rewritten block still is partly its first author's."""
COPIED = 5
"""Words from which an equal text is a copy: shorter ones two authors write by chance."""
_RUN = 4
"""Words in a row that are looked for in other blocks."""
_SIGNS_PER_WORD = 2
"""Chinese or Japanese signs that say as much as a word."""
_PART = 8
"""Words from which a part of another block counts, however long the new block is."""
_INDEXED = 200_000
"""Words of removed and rewritten blocks up to which all of them are looked through."""
_SEARCHED = 2 * 1024 * 1024
"""Bytes of a file up to which copies of its text are looked for."""
_CHOICES = 8
_SIGNS = ".,;:!?…()[]*_\"'“”„‘’«»–—-"
_MARKS = '\r .!?,;:"”’'.encode()
_ENDS = (b". ", b"! ", b"? ", "” ".encode(), b'" ')

BlockKey = tuple[str, int]
"""Path and first line of a block after the change."""


@dataclass(frozen=True, slots=True)
class SourceBlock:
    """An old block that a new one has words of."""

    path: str
    block: Block
    words: int


@dataclass(frozen=True, slots=True)
class Descent:
    """Sources of one new block, the largest first."""

    sources: tuple[SourceBlock, ...] = ()
    new: int = 0
    """Words that are in none of them."""


@dataclass(frozen=True, slots=True)
class _Old:
    path: str
    block: Block
    words: tuple[str, ...]
    joined: bool = False


def descents(
    changes: Mapping[str, Sequence[BlockChange]], texts: Mapping[str, bytes | None]
) -> dict[BlockKey, Descent]:
    """The descent of every block that a change added, replaced or moved.

    Args:
        changes: of all files that change together, by path.
        texts: contents of these files before the change. Copies of text that stays are looked for in them.
    """
    index = _Index.of(_olds(changes))
    copies = _Copies(texts)
    found: dict[BlockKey, Descent] = {}
    for path, listed in changes.items():
        for each in listed:
            if each.after is not None:
                found[path, each.after.start_line] = _descent(path, each, index, copies)
    return found


def _olds(changes: Mapping[str, Sequence[BlockChange]]) -> Iterator[_Old]:
    """Blocks that are no longer what they were, each once."""
    seen: set[BlockKey] = set()
    for path, listed in changes.items():
        for each in listed:
            before = each.before
            if before is None or each.change == "moved" or (path, before.start_line) in seen:
                continue
            seen.add((path, before.start_line))
            joined = each.change == "removed" and each.similarity is not None
            yield _Old(path, before, _words(before), joined)


def may_be_copy(text: str) -> bool:
    """Whether a text is long enough that an equal one is its copy."""
    return len(split_words(text)) >= least_of(COPIED, text)


def least_of(words: int, text: str) -> int:
    """So many words, or as many signs as say as much."""
    return words * _SIGNS_PER_WORD if is_unspaced(text) else words


def _is_run(words: Sequence[str]) -> bool:
    """Whether so many words in a row are more than a usual turn of phrase."""
    return len(words) >= _RUN * _SIGNS_PER_WORD or len(words) >= least_of(_RUN, "".join(words))


def _words(block: Block) -> tuple[str, ...]:
    """Its words without case, punctuation and citations: where a paragraph is cut or cited, these change."""
    plain = plain_text(without_whole_citations(block.text)) or plain_text(block.text)
    return tuple(word.strip(_SIGNS).casefold() or word for word in split_words(plain))


def _descent(path: str, change: BlockChange, index: "_Index", copies: "_Copies") -> Descent:
    assert change.after is not None
    if change.change == "moved" and change.before is not None:
        return Descent((SourceBlock(change.from_path or path, change.before, len(_words(change.before))),))
    cover = _Cover(_words(change.after))
    cover.find_runs(index)
    if change.before is not None:
        cover.compare(index.at(path, change.before), change.similarity or 0)
    cover.find_short(index)
    if cover.longest_gap() >= COPIED:
        cover.find_runs(_Index.of(copies.blocks_like(change.after)))
    return cover.descent()


@dataclass(slots=True)
class _Index:
    """Runs of words in some blocks."""

    olds: Sequence[_Old]
    runs: dict[tuple[str, ...], list[tuple[int, int]]] = field(default_factory=dict)

    @classmethod
    def of(cls, olds: Iterable[_Old]) -> "_Index":
        index = cls(tuple(olds))
        if sum(len(each.words) for each in index.olds) <= _INDEXED:
            for number, old in enumerate(index.olds):
                for at in range(len(old.words) - _RUN + 1):
                    index.runs.setdefault(old.words[at : at + _RUN], []).append((number, at))
        return index

    def at(self, path: str, block: Block) -> _Old:
        """One of its blocks."""
        place = path, block.start_line
        return next(each for each in self.olds if (each.path, each.block.start_line) == place)

    def longest(self, words: Sequence[str], at: int, end: int) -> tuple[_Old, int] | None:
        """The block with the longest run that begins with the word ``at``, and its length."""
        best: tuple[_Old, int] | None = None
        for number, start in self.runs.get(tuple(words[at : at + _RUN]), ())[:_CHOICES]:
            old = self.olds[number]
            length = _RUN
            most = min(end - at, len(old.words) - start)
            while length < most and words[at + length] == old.words[start + length]:
                length += 1
            if length <= most and (best is None or length > best[1]) and _is_run(words[at : at + length]):
                best = old, length
        return best


@dataclass(slots=True)
class _Cover:
    """The words of one new block, and the old block that each comes from."""

    words: tuple[str, ...]
    owners: list[_Old | None] = field(init=False)
    partner: _Old | None = None
    """The block it replaces, if it is much like it."""

    def __post_init__(self) -> None:
        self.owners = [None] * len(self.words)

    def compare(self, old: _Old, similarity: int) -> None:
        """Take what it shares with the block it replaces, if one is much like the other or a part of it."""
        same = [
            at
            for code in LCSseq.opcodes(old.words, self.words)
            if code.tag == "equal"
            for at in range(code.dest_start, code.dest_end)
        ]
        if similarity >= ALIKE or len(same) == len(self.words):
            self.partner = old
            for at in same:
                self.owners[at] = self.owners[at] or old

    def find_runs(self, index: _Index) -> None:
        """Take runs of words that are in the blocks of an index, the longest at each place."""
        for start, end in list(self._gaps()):
            at = start
            while at < end:
                found = index.longest(self.words, at, end)
                if found is not None:
                    self.owners[at : at + found[1]] = [found[0]] * found[1]
                at += found[1] if found else 1

    def find_short(self, index: _Index) -> None:
        """Take blocks too short for a run that went into this one whole."""
        for old in index.olds:
            if len(old.words) < _RUN:
                self._take_short(old)

    def _take_short(self, old: _Old) -> None:
        size = len(old.words)
        for start, end in self._gaps():
            if not old.joined and end - start != size:
                continue
            for at in range(start, end - size + 1):
                if self.words[at : at + size] == old.words:
                    self.owners[at : at + size] = [old] * size
                    return

    def _gaps(self) -> Iterator[tuple[int, int]]:
        start: int | None = None
        for at, owner in enumerate([*self.owners, self.partner or _NOTHING]):
            if owner is None and start is None:
                start = at
            elif owner is not None and start is not None:
                yield start, at
                start = None

    def longest_gap(self) -> int:
        """Most words in a row without a source."""
        return max((end - start for start, end in self._gaps()), default=0)

    def descent(self) -> Descent:
        """The sources that count; words of the others are new."""
        counts: dict[int, tuple[_Old, int]] = {}
        for owner in self.owners:
            if owner is not None:
                counts[id(owner)] = owner, counts.get(id(owner), (owner, 0))[1] + 1
        kept = [
            SourceBlock(old.path, old.block, words)
            for old, words in counts.values()
            if old is self.partner or self._matters(old, words)
        ]
        kept.sort(key=lambda each: -each.words)
        return Descent(tuple(kept), len(self.words) - sum(each.words for each in kept))

    def _matters(self, old: _Old, words: int) -> bool:
        """Whether so many words are more than chance."""
        return words >= _PART or 2 * words >= len(self.words) or 100 * words >= ALIKE * len(old.words)


_NOTHING = _Old("", Block("break", "", 1, 1, (), 0, ""), ())


@dataclass(slots=True)
class _Copies:
    """Looks for text that was copied from what did not change."""

    texts: Mapping[str, bytes | None]
    _rows: dict[str, Collection[bytes]] = field(default_factory=dict)

    def blocks_like(self, block: Block) -> list[_Old]:
        """Blocks of the texts that hold one of the lines or sentences of a block."""
        wanted = [each for each in _rows_of(block.text.encode()) if len(split_words(each.decode())) >= _RUN]
        found: list[_Old] = []
        for path, text in self.texts.items():
            for row in wanted if text else ():
                if row in self._rows_in(path):
                    blocks, _ = blocks_at(text or b"", (text or b"").find(row))
                    olds = (_Old(path, each, _words(each)) for each in blocks)
                    found += [old for old in olds if old not in found]
        return found

    def _rows_in(self, path: str) -> Collection[bytes]:
        if path not in self._rows:
            text = self.texts[path] or b""
            self._rows[path] = set(_rows_of(text)) if len(text) <= _SEARCHED else ()
        return self._rows[path]


def _rows_of(text: bytes) -> list[bytes]:
    """Its lines and the sentences on them, without the marks at their ends."""
    parts = text
    for end in _ENDS:
        parts = parts.replace(end, end[:-1] + b"\n")
    rows = [*text.split(b"\n"), *parts.split(b"\n")] if parts != text else text.split(b"\n")
    return [row.rstrip(_MARKS) for row in rows]


def blocks_at(text: bytes, at: int) -> tuple[Sequence[Block], int]:
    """The blocks between the blank lines around a place, with lines of its own count, and their end."""
    start = max(text.rfind(b"\n\n", 0, at), text.rfind(b"\n\r\n", 0, at)) + 1
    ends = [end for end in (text.find(b"\n\n", at), text.find(b"\n\r\n", at)) if end >= 0]
    end = min(ends, default=len(text))
    return blocks_of(text[start:end].decode("utf-8", "replace"), first_line=2), end
