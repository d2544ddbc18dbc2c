"""Passages that stand twice: in the draft itself, or in the book before it."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from penwright.domain.prose.checked import Checked, Place
from penwright.domain.prose.indexing import LEAST_WORDS, folded_of, shingles_of
from penwright.domain.prose.packing import unpacked, values_of
from penwright.domain.prose.reading import Paragraph, Word, sentences
from schemas.prose import LONGEST_BEGINNING

ECHO = 0.3
"""Share of the five-word runs of a paragraph that one earlier paragraph has too, from which it is a copy."""
LOOP = 0.5
"""The same for an earlier paragraph of the draft: verses of one song share a refrain."""
SENTENCE = 4
"""Words of a sentence that counts; shorter ones are repeated in any talk."""
OFTEN = 4
"""From this time on a sentence of a draft is a loop; refrains stand twice or three times."""
IN_A_ROW = 3
"""The same if nothing stands between."""


def echoes(given: Checked) -> Iterator[Place]:
    """Paragraphs that repeat one of the book."""
    entries = unpacked(given.index.shingles)
    for _, each, number in _copies(given.paragraphs, lambda _, key: values_of(key, entries), ECHO):
        yield Place(each.start, each.end, given.index.passages[number - given.index.dropped])


def loops(given: Checked) -> Iterator[Place]:
    """Paragraphs that repeat an earlier one of the draft, and sentences that are said over and over."""
    firsts = _firsts(given.paragraphs)

    def before(number: int, key: int) -> list[int]:
        return [firsts[key]] if firsts[key] < number else []

    copied = set()
    for number, each, other in _copies(given.paragraphs, before, LOOP):
        copied.add(number)
        yield Place(each.start, each.end, given.paragraphs[other].text[:LONGEST_BEGINNING])
    yield from _said_again(given, [each for at, each in enumerate(given.paragraphs) if at not in copied])


def repeats(
    paragraphs: Iterable[Paragraph], earlier: Sequence[Paragraph], may_repeat: Callable[[Paragraph], bool]
) -> Iterator[Place]:
    """Paragraphs that repeat one of those before them."""
    firsts = _firsts(earlier)

    def before(_: int, key: int) -> list[int]:
        return [firsts[key]] if key in firsts else []

    for _, each, other in _copies(paragraphs, before, ECHO, may_repeat):
        yield Place(each.start, each.end, earlier[other].text[:LONGEST_BEGINNING])


def _firsts(paragraphs: Sequence[Paragraph]) -> dict[int, int]:
    """The number of the first paragraph with a shingle, by the shingle."""
    firsts: dict[int, int] = {}
    for number, each in enumerate(paragraphs):
        for key in shingles_of(each):
            firsts.setdefault(key, number)
    return firsts


def _copies(
    paragraphs: Iterable[Paragraph],
    find: Callable[[int, int], Iterable[int]],
    least: float,
    may_repeat: Callable[[Paragraph], bool] = lambda each: each.is_quotation,
) -> Iterator[tuple[int, Paragraph, int]]:
    """The number of each paragraph that is a copy, itself, and the number of the one that it repeats.

    Args:
        find: earlier paragraphs that have a shingle, by the number of the later one and the shingle.
        least: share of the shingles that a copy has.
        may_repeat: whether a paragraph may well stand twice.
    """
    for number, each in enumerate(paragraphs):
        if len(each.words) < LEAST_WORDS or may_repeat(each):
            continue
        shingles = shingles_of(each)
        shared = Counter(other for key in shingles for other in find(number, key))
        for other, count in shared.most_common(1):
            if count >= least * len(shingles):
                yield number, each, other


def _said_again(given: Checked, paragraphs: Iterable[Paragraph]) -> Iterator[Place]:
    """The second standing of each sentence that stands too often."""
    said: defaultdict[tuple[str, ...], list[tuple[int, Sequence[Word]]]] = defaultdict(list)
    spoken = (words for each in paragraphs if not each.is_quotation for words in sentences(each))
    for number, words in enumerate(spoken):
        if len(words) >= SENTENCE:
            said[folded_of(words)].append((number, words))
    for found in said.values():
        if len(found) >= OFTEN or _longest_row([number for number, _ in found]) >= IN_A_ROW:
            (_, first), (_, again) = found[:2]
            yield Place(again[0].start, again[-1].end, given.prose[first[0].start : first[-1].end])


def _longest_row(numbers: Sequence[int]) -> int:
    """Length of the longest row of whole numbers that follow each other."""
    longest = length = 0
    for at, number in enumerate(numbers):
        length = length + 1 if at and number == numbers[at - 1] + 1 else 1
        longest = max(longest, length)
    return longest
