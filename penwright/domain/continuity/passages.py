"""The prose of a book by blocks, and the passages of it that a clerk still has to read."""

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from penwright.domain.book.chapters import chapter_titles
from penwright.domain.book.files.chapter_text import chapter_starts
from penwright.domain.book.view import BookView
from penwright.domain.text.blocks import Block, blocks_of, plain_text
from penwright.domain.text.words import count_words
from schemas.continuity import PassageText

PASSAGE_WORDS = 2_500
"""The most of new prose that one call reads; a longer paragraph is read alone."""
_NO_PROSE = frozenset({"heading", "break", "front-matter", "code"})


@dataclass(frozen=True, slots=True)
class ToldBlock:
    """A paragraph of the story."""

    hash: str
    text: str
    chapter: int


@dataclass(frozen=True, slots=True)
class Passage:
    """Neighbouring paragraphs of one chapter."""

    blocks: tuple[ToldBlock, ...]
    words: int

    @property
    def chapter(self) -> int:
        """The chapter they stand in."""
        return self.blocks[0].chapter

    @property
    def value(self) -> PassageText:
        """As it is sent to the clerk."""
        return PassageText(
            chapter=self.chapter,
            blocks=tuple(each.hash for each in self.blocks),
            texts=tuple(plain_text(each.text) for each in self.blocks),
        )


def told_blocks(book: str, view: BookView) -> tuple[ToldBlock, ...]:
    """Every paragraph of the validated book, then of the prose that waits, in the order of the text.

    Args:
        book: text of the validated book.
    """
    text = book.replace("\r\n", "\n")
    titles = chapter_titles(view.config, view.state.current_chapter, view.outlines())
    starts = chapter_starts(text, titles)
    lines = [text.count("\n", 0, each.position) + 1 for each in starts]
    numbers = [each.number for each in starts]

    def chapter_of(block: Block) -> int:
        at = bisect_right(lines, block.start_line)
        return numbers[at - 1] if at else 1

    told = (ToldBlock(each.hash, each.text, chapter_of(each)) for each in _prose(text))
    waiting = (ToldBlock(each.hash, each.text, view.review_chapter) for each in _prose(view.waiting.text))
    return (*told, *waiting)


def _prose(text: str) -> Iterator[Block]:
    return (each for each in blocks_of(text) if each.kind not in _NO_PROSE)


def unread_passages(told: Sequence[ToldBlock], read: Collection[str]) -> tuple[Passage, ...]:
    """The paragraphs without a reading, by passages; what stands twice is read once.

    Args:
        read: hashes of the blocks that have one.
    """
    seen: set[str] = set()
    runs: list[tuple[int, ToldBlock]] = []
    run = 0
    for each in told:
        if each.hash in read or each.hash in seen:
            run += 1
            continue
        seen.add(each.hash)
        runs.append((run, each))
    by_place = groupby(runs, key=lambda pair: (pair[1].chapter, pair[0]))
    return tuple(passage for _, pairs in by_place for passage in _portioned([block for _, block in pairs]))


def _portioned(blocks: Sequence[ToldBlock]) -> Iterator[Passage]:
    """Passages of like length."""
    counts = [count_words(plain_text(each.text)) for each in blocks]
    share = sum(counts) / max(1, -(-sum(counts) // PASSAGE_WORDS))
    taken: list[ToldBlock] = []
    words = 0
    for each, more in zip(blocks, counts, strict=True):
        if taken and (words + more > PASSAGE_WORDS or words >= share):
            yield Passage(tuple(taken), words)
            taken, words = [], 0
        taken.append(each)
        words += more
    if taken:
        yield Passage(tuple(taken), words)
