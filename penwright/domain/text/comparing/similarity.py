"""Similarity of texts, and which of several texts became which."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz
from rapidfuzz.distance import LCSseq

from penwright.domain.text.words import split_words

MIN_SIMILARITY = 50
"""Per cent from which a text counts as the successor of another; unrelated paragraphs of a book reach 46."""
_MEASURED = 16_000
"""Characters of the differing part that are compared; the rest counts as different."""
_CLOSE = 24 * 24
_CLOSE_SIGNS = 100_000
"""Pairs and characters up to which every text is compared with every other; beyond that, only likely ones."""
_NEAR = 2
_WORDS = 4
"""Words at the start or the end by which a likely predecessor is found."""
_LOOKED_AT = 200
"""Characters at the start or the end in which these words are sought."""
_MANY = 8
_PART = 80
"""Per cent of a piece that must be found in a text that it was cut from or went into."""
_SHORT_PART = 24
"""Characters up to which a piece must be found word for word."""


@dataclass(frozen=True, slots=True)
class Succession:
    """Which new text came from which old one. Both halves of a split text have the same origin."""

    successors: dict[int, tuple[int, int]]
    """Index of a new text -> index of the old one it came from, and their similarity in per cent."""
    joined: dict[int, int]
    """Index of an old text that was joined with another -> similarity of the joined text in per cent."""


def similarity_percent(old: str, new: str, least: int = 0) -> int:
    """Per cent, 100 only for the same text; 0 if it is below ``least``."""
    if old == new:
        return 100
    total = len(old) + len(new)
    if min(len(old), len(new)) * 200 < least * total:
        return 0
    shared = 0
    if max(len(old), len(new)) > _MEASURED:
        head = _shared(old, new)
        old, new = old[head:], new[head:]
        tail = _shared(old[::-1], new[::-1])
        old, new = old[: len(old) - tail][:_MEASURED], new[: len(new) - tail][:_MEASURED]
        shared = head + tail
    shared += LCSseq.similarity(old, new)
    percent = 200 * shared // total
    return percent if percent >= least else 0


def _shared(old: str, new: str) -> int:
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if old[low:middle] == new[low:middle] else (low, middle - 1)
    return low


def succession(olds: Sequence[str], news: Sequence[str]) -> Succession:
    """Pair the most similar texts first, each once; then find splits and joins."""
    successors = _pairs(olds, news)
    used = {one for one, _ in successors.values()}
    joined: dict[int, int] = {}
    for other, (one, percent) in list(successors.items()):
        group, percent = _grown([one], percent, olds, news[other], used)
        joined |= {each: percent for each in group if each != one}
        successors[other] = (one, percent)
    taken = set(successors)
    for other, (one, percent) in list(successors.items()):
        group, percent = _grown([other], percent, news, olds[one], taken)
        successors |= dict.fromkeys(group, (one, percent))
    if len(olds) * len(news) <= _CLOSE:
        for one, group, percent in _scattered(olds, used, news, taken):
            successors |= dict.fromkeys(group, (one, percent))
        for other, group, percent in _scattered(news, taken, olds, used):
            successors[other] = (group[0], percent)
            joined |= dict.fromkeys(group[1:], percent)
    return Succession(successors, joined)


def _pairs(olds: Sequence[str], news: Sequence[str]) -> dict[int, tuple[int, int]]:
    scored = []
    for one, other in _candidates(olds, news):
        if percent := similarity_percent(olds[one], news[other], MIN_SIMILARITY):
            scored.append((-percent, abs(one - other), other, one))
    pairs: dict[int, tuple[int, int]] = {}
    used: set[int] = set()
    for less, _, other, one in sorted(scored):
        if other not in pairs and one not in used:
            pairs[other] = (one, -less)
            used.add(one)
    return pairs


def _candidates(olds: Sequence[str], news: Sequence[str]) -> Iterable[tuple[int, int]]:
    if len(olds) * len(news) <= _CLOSE and sum(map(len, (*olds, *news))) <= _CLOSE_SIGNS:
        return [(one, other) for one in range(len(olds)) for other in range(len(news))]
    return sorted({*_nearby(len(olds), len(news)), *_same_ends(olds, news)})


def _nearby(olds: int, news: int) -> Iterator[tuple[int, int]]:
    for other in range(news):
        middles = {other, other * olds // news, olds - news + other}
        for middle in middles:
            for one in range(max(0, middle - _NEAR), min(olds, middle + _NEAR + 1)):
                yield one, other


def _same_ends(olds: Sequence[str], news: Sequence[str]) -> Iterator[tuple[int, int]]:
    found: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for one, text in enumerate(olds):
        for end in _ends(text):
            found[end].append(one)
    for other, text in enumerate(news):
        for end in _ends(text):
            yield from ((one, other) for one in found.get(end, ())[:_MANY])


def _ends(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    first, last = split_words(text[:_LOOKED_AT]), split_words(text[-_LOOKED_AT:])
    return ("start", *first[:_WORDS]), ("end", *last[-_WORDS:])


def _scattered(
    texts: Sequence[str], used: set[int], pieces: Sequence[str], taken: set[int]
) -> Iterator[tuple[int, list[int], int]]:
    """Texts cut into pieces too small to be similar one by one, and the pieces."""
    for at in sorted(set(range(len(texts))) - used):
        free = (each for each in range(len(pieces)) if each not in taken)
        first = next((each for each in free if is_part(pieces[each], texts[at])), None)
        if first is None:
            continue
        group, percent = _grown(
            [first], similarity_percent(pieces[first], texts[at]), pieces, texts[at], set(taken)
        )
        if percent >= MIN_SIMILARITY:
            taken |= set(group)
            used.add(at)
            yield at, group, percent


def _grown(
    group: list[int], percent: int, pieces: Sequence[str], text: str, taken: set[int]
) -> tuple[list[int], int]:
    """Add neighbouring pieces while that raises the similarity to ``text``; return them and it."""
    for step in (1, -1):
        beside = group[-1 if step > 0 else 0] + step
        while 0 <= beside < len(pieces) and beside not in taken and is_part(pieces[beside], text):
            grown = sorted([*group, beside])
            whole = similarity_percent(" ".join(pieces[each] for each in grown), text)
            if whole <= percent:
                break
            group, percent = grown, whole
            taken.add(beside)
            beside += step
    return group, percent


def is_part(piece: str, text: str) -> bool:
    """Whether a text contains a piece, apart from small edits."""
    if len(piece) <= _SHORT_PART:
        return f" {piece} " in f" {text} "
    if len(piece) > len(text) or max(len(piece), len(text)) > _MEASURED:
        return False
    # As much must be shared with the whole text as with the best place in it, even if that has nothing else:
    # this tells most pieces that were never in a text in a hundredth of the time.
    if LCSseq.similarity(piece, text) * (200 - _PART) < len(piece) * _PART:
        return False
    return fuzz.partial_ratio(piece, text, score_cutoff=_PART) >= _PART
