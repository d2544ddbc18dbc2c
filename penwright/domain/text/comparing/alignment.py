"""Which items of a list are still there, in the same order, after a change."""

from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Iterator, Sequence

from rapidfuzz.distance import LCSseq

Pair = tuple[int, int]
"""Index before and after."""
_Region = tuple[int, int, int, int]

_MEASURED = 1_000
"""Items of a stretch without any unique one up to which the best pairing is looked for."""


def common_ends(
    old: Sequence[str] | Sequence[bytes], new: Sequence[str] | Sequence[bytes]
) -> tuple[int, int]:
    """Count the equal items at the start, and the equal ones of the others at the end."""
    most = min(len(old), len(new))
    head = tail = 0
    while head < most and old[head] == new[head]:
        head += 1
    most -= head
    while tail < most and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return head, tail


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
        inner = old[start:end], new[low:high]
        if set(inner[0]).isdisjoint(inner[1]):
            continue
        anchors = _rising(_once(*inner))
        if not anchors and max(map(len, inner)) > _MEASURED:
            anchors = _rising(_counted(*inner))
        if anchors:
            anchors = [(start + one, low + other) for one, other in anchors]
            pairs += anchors
            regions += _between(anchors, (start, end, low, high))
        elif max(map(len, inner)) <= _MEASURED:
            pairs += [(start + one, low + other) for one, other in _measured(*inner)]
    return sorted(pairs)


def _between(anchors: Sequence[Pair], region: _Region) -> Iterator[_Region]:
    start, end, low, high = region
    for one, other in (*anchors, (end, high)):
        yield start, one, low, other
        start, low = one + 1, other + 1


def _once(old: Sequence[str], new: Sequence[str]) -> list[Pair]:
    """Items that either side holds once, in the order of the new ones."""
    once, again = Counter(old), Counter(new)
    there = {item: at for at, item in enumerate(old) if once[item] == 1}
    return [(there[item], at) for at, item in enumerate(new) if again[item] == 1 and item in there]


def _counted(old: Sequence[str], new: Sequence[str]) -> list[Pair]:
    """The first of each item with the first, the second with the second, and so on."""
    there: dict[str, deque[int]] = {}
    for at, item in enumerate(old):
        there.setdefault(item, deque()).append(at)
    return [(there[item].popleft(), at) for at, item in enumerate(new) if there.get(item)]


def _rising(candidates: Sequence[Pair]) -> list[Pair]:
    """The longest row of pairs that rise on both sides; they rise on the second already."""
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
    for code in LCSseq.opcodes(old, new):
        if code.tag == "equal":
            yield from zip(
                range(code.src_start, code.src_end), range(code.dest_start, code.dest_end), strict=True
            )
