"""The least edit distance between a needle and any passage of a text, and where such passages end."""

import codecs
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import edlib

Signs = bytes | str
"""A needle or text as it is compared: a byte per character, or as it is."""
_CHUNK = 1 << 17
"""Characters searched at once: in a repetitive text nearly every one of them is an end."""
_TELLING = 8
"""Length of a piece from which looking for it first is faster than comparing everywhere."""
_MOST_STRETCHES = 200
_UNDEFINED = "\ufffe"
_PRIVATE = range(0xE000, 0xF900)


@dataclass(frozen=True, slots=True)
class Ends:
    """Ends of the passages with the least distance."""

    distance: int
    places: tuple[int, ...]
    """Rising. If they lie further apart than ``spread`` allows, the first ones and a later one."""

    def is_spread(self) -> bool:
        """Whether they lie too far apart to belong to one passage."""
        return self.places[-1] - self.places[0] > spread(self.distance)


def spread(distance: int) -> int:
    """Greatest distance between the ends of one passage with this edit distance."""
    return 4 * distance


def folded(needle: str, text: str) -> tuple[Signs, Signs]:
    """Both with one byte per character, in which characters that are not in the needle may be alike.

    Such characters match nothing, so distances to the needle stay. A needle with more different characters
    than bytes is returned as it is, and so is the text.
    """
    try:
        return needle.encode("latin-1"), text.encode("latin-1")
    except UnicodeEncodeError:
        return _charmapped(needle, text)


def _charmapped(needle: str, text: str) -> tuple[Signs, Signs]:
    # The codec writes "?" for what is not in its table, so a question mark of the needle needs another sign.
    if "?" in needle:
        free = next(chr(code) for code in _PRIVATE if chr(code) not in needle and chr(code) not in text)
        needle, text = needle.replace("?", free), text.replace("?", free)
    table = "".join(["\0?", *sorted(set(needle) - {"\0"})])
    if len(table) > 256 or _UNDEFINED in needle:
        return needle, text
    mapping = codecs.charmap_build(table.ljust(256, _UNDEFINED))
    encode = codecs.charmap_encode
    return encode(needle, "replace", mapping)[0], encode(text, "replace", mapping)[0]


def least_distance(needle: Signs, text: Signs, limit: int) -> Ends | None:
    """The least distance of at most ``limit``; None if every passage differs more.

    Args:
        needle: not empty, ``folded`` together with the text.
        limit: less than the needle's length, so that no passage is empty.
    """
    best: Ends | None = None
    for start, stop in _chunks(needle, text, limit):
        if limit < 0:
            break
        found = _in_chunk(needle, text, (start, stop), limit)
        if found is None:
            continue
        is_same = best is not None and best.distance == found.distance
        best = Ends(found.distance, best.places + found.places) if best and is_same else found
        # Further ends of equal distance would change nothing.
        limit = best.distance - best.is_spread()
    return best


def _chunks(needle: Signs, text: Signs, limit: int) -> Iterator[tuple[int, int]]:
    """Stretches in which passages up to ``limit`` may end, one after the other."""
    for low, high in _likely(needle, text, limit):
        for start in range(low, high, _CHUNK):
            yield start, min(high, start + _CHUNK)


def _likely(needle: Signs, text: Signs, limit: int) -> list[tuple[int, int]]:
    """Stretches beyond which no passage up to ``limit`` lies, in order and apart.

    With so many edits, one of as many pieces and one more of the needle must be there unchanged.
    """
    size, stretches = len(needle) // (limit + 1), list[tuple[int, int]]()
    if size < _TELLING:
        return [(0, len(text))]
    for at in range(0, size * (limit + 1), size):
        for place in _places(needle[at : at + size], text):
            begin = place - at - limit
            stretches.append((max(0, begin), min(len(text), begin + len(needle) + 2 * limit)))
            if len(stretches) > _MOST_STRETCHES:
                return [(0, len(text))]
    joined: list[tuple[int, int]] = []
    for low, high in sorted(stretches):
        if joined and low <= joined[-1][1]:
            low, high = joined[-1][0], max(high, joined.pop()[1])
        joined.append((low, high))
    return joined


def _places(piece: Signs, text: Signs) -> Iterator[int]:
    at = _find(piece, text, 0)
    while at >= 0:
        yield at
        at = _find(piece, text, at + 1)


def _find(piece: Signs, text: Signs, start: int) -> int:
    if isinstance(piece, bytes) and isinstance(text, bytes):
        return text.find(piece, start)
    return str(text).find(str(piece), start)


def _in_chunk(needle: Signs, text: Signs, chunk: tuple[int, int], limit: int) -> Ends | None:
    """The same for passages that end in one chunk, after its start."""
    start, stop = chunk
    before = max(0, start - len(needle) - limit)
    window = text[before:stop]
    distance, ends = (
        _aligned(needle, window, limit) if isinstance(needle, bytes) else _scanned(needle, window, limit)
    )
    places = [before + end for end in ends if before + end > start]
    most = spread(limit) + 2
    return Ends(distance, (*places[:most], *places[most:][-1:])) if places else None


def _aligned(needle: bytes, window: Signs, limit: int) -> tuple[int, list[int]]:
    found = edlib.align(needle, window, mode="HW", task="distance", k=limit)
    return found["editDistance"], [end + 1 for _, end in found["locations"]] if found["locations"] else []


def _scanned(needle: str, window: Signs, limit: int) -> tuple[int, list[int]]:
    scanned = list(_scan(needle, str(window), limit))
    least = min((distance for distance, _ in scanned), default=-1)
    return least, [end for distance, end in scanned if distance == least]


def _scan(needle: str, text: str, limit: int) -> Iterator[tuple[int, int]]:
    """Distance of the best passage that ends at each place, and the place, up to ``limit``.

    Myers' algorithm: a column of the distance matrix is held as the differences of its neighbours, one bit
    each. Half a second per megabyte, for needles that edlib cannot take.
    """
    places: defaultdict[str, int] = defaultdict(int)
    for at, character in enumerate(needle):
        places[character] |= 1 << at
    every, last = (1 << len(needle)) - 1, 1 << (len(needle) - 1)
    up, down, distance = every, 0, len(needle)
    for end, character in enumerate(text, 1):
        equal = places.get(character, 0)
        diagonal = (((equal & up) + up) ^ up) | equal
        right, left = down | (every & ~(diagonal | up)), up & diagonal
        distance += bool(right & last) - bool(left & last)
        right, left = (right << 1) & every, (left << 1) & every
        up, down = left | (every & ~(equal | down | right)), right & (equal | down)
        if distance <= limit:
            yield distance, end
