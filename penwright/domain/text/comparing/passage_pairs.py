"""Which paragraph of one stretch of text became which of another."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

_LIKE = 0.5
"""The least share that two versions of one paragraph have in common."""


def paired(old: Sequence[str], new: Sequence[str], olds: range, news: range) -> Iterator[tuple[range, range]]:
    """Which paragraphs of a stretch become which: each with the next one that is like it, or with none.

    One that takes the place of one is what became of it.
    """
    if len(olds) == len(news) == 1:
        yield olds, news
        return
    at = olds.start
    for place in news:
        like = (each for each in range(at, olds.stop) if _alike(old[each], new[place]))
        if (mate := next(like, None)) is None:
            yield range(at, at), range(place, place + 1)
            continue
        yield from ((range(gone, gone + 1), range(place, place)) for gone in range(at, mate))
        yield range(mate, mate + 1), range(place, place + 1)
        at = mate + 1
    yield from ((range(gone, gone + 1), range(news.stop, news.stop)) for gone in range(at, olds.stop))


def _alike(one: str, other: str) -> bool:
    return SequenceMatcher(None, one.split(), other.split(), autojunk=False).ratio() >= _LIKE
