"""Large tables of hashed words in a form that JSON holds: sorted 64-bit numbers in base64."""

from base64 import b64decode, b64encode
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from struct import pack, unpack
from sys import byteorder

VALUE_BITS = 24
LARGEST = (1 << VALUE_BITS) - 1
"""The largest value beside a hash; hashes have 40 bits."""


def hashed(words: Sequence[str]) -> int:
    """Forty bits for some words in their order, the same on every machine."""
    return int.from_bytes(blake2b(" ".join(words).encode("utf-8", "surrogatepass"), digest_size=5).digest())


def entry(key: int, value: int) -> int:
    """A hash and a value as one number; the numbers of one hash are next to each other when sorted."""
    return key << VALUE_BITS | min(value, LARGEST)


def packed(entries: Iterable[int]) -> str:
    """Sorted entries as text."""
    numbers = tuple(entries)
    return b64encode(pack(f"<{len(numbers)}Q", *numbers)).decode("ascii")


def unpacked(text: str) -> Sequence[int]:
    """The sorted entries of a packed table."""
    found = b64decode(text)
    # A view makes a number only where one is looked at: a search looks at few.
    return memoryview(found).cast("Q") if byteorder == "little" else unpack(f"<{len(found) // 8}Q", found)


def values_of(key: int, entries: Sequence[int]) -> Iterator[int]:
    """The values beside a hash."""
    at = bisect_left(entries, key << VALUE_BITS)
    while at < len(entries) and entries[at] >> VALUE_BITS == key:
        yield entries[at] & LARGEST
        at += 1
