"""Which items of a list are still there, in the same order, after a change."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

from rapidfuzz.distance import LCSseq

Pair = tuple[int, int]
"""Index before and after."""
_Region = tuple[int, int, int, int]

_MEASURED = 1_000
"""Items of a stretch without any unique one up to which the best pairing is looked for."""


def common_ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """How many items are the same at the start, and how many of the others at the end."""
    most = min(len(old), len(new))
    head = next((at for at in range(most) if old[at] != new[at]), most)
    most -= head
    return head, next((at for at in range(most) if old[-1 - at] != new[-1 - at]), most)


def aligned(old: Sequence[str], new: Sequence[str]) -> list[Pair]:
    """Pairs of equal items, rising on both sides.

    Items that occur once guide the pairing, so that its cost hardly grows faster than the lists do.
    """
    pairs: list[Pair] = []
    regions: list[_Region] = [(0, len(old), 0, len(new))]
    while regions:
        start, end, low, high = regions.pop()
        head, tail = common_ends(old[start:end], new[low:high])
        pairs += [(start + at, low + at) for at in range(head)]
        pairs += [(end - at, high - at) for at in range(1, tail + 1)]
        start, end, low, high = start + head, end - tail, low + head, high - tail
        if start == end or low == high:
            continue
        anchors = [(start + one, low + other) for one, other in _unique(old[start:end], new[low:high])]
        if anchors:
            pairs += anchors
            regions += _between(anchors, (start, end, low, high))
        else:
            found = _measured(old[start:end], new[low:high])
            pairs += [(start + one, low + other) for one, other in found]
    return sorted(pairs)


def _between(anchors: Sequence[Pair], region: _Region) -> Iterator[_Region]:
    start, end, low, high = region
    for one, other in (*anchors, (end, high)):
        yield start, one, low, other
        start, low = one + 1, other + 1


def _unique(old: Sequence[str], new: Sequence[str]) -> list[Pair]:
    """The longest rising row of items that either side holds once."""
    once = Counter(old)
    there = {item: at for at, item in enumerate(old) if once[item] == 1}
    again = Counter(new)
    candidates = [(there[item], at) for at, item in enumerate(new) if again[item] == 1 and item in there]
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (one, _) in enumerate(candidates):
        place = bisect_left(ends, one)
        before.append(last[place - 1] if place else -1)
        ends[place : place + 1] = [one]
        last[place : place + 1] = [number]
    row: list[Pair] = []
    number = last[-1] if last else -1
    while number >= 0:
        row.append(candidates[number])
        number = before[number]
    return row[::-1]


def _measured(old: Sequence[str], new: Sequence[str]) -> Iterator[Pair]:
    if max(len(old), len(new)) > _MEASURED:
        return
    for code in LCSseq.opcodes(old, new):
        if code.tag == "equal":
            yield from zip(
                range(code.src_start, code.src_end), range(code.dest_start, code.dest_end), strict=True
            )
