"""Adler-32 of long texts that grow: summed up from where the last one ended, not from the beginning."""

import zlib
from collections.abc import Callable
from dataclasses import dataclass

_BASE = 65521
_MOST = 4


@dataclass(slots=True)
class Checksums:
    """Sums of the texts that were summed last, the very objects.

    Whole tuples change hands, for other threads sum too.
    """

    start_of: Callable[[bytes], bytes | None]
    """A text that another is known to begin with."""
    long: int = 256 * 1024
    """Bytes of a text whose sum is worth remembering."""
    known: tuple[tuple[bytes, int], ...] = ()

    def behind(self, header: bytes, content: bytes) -> int:
        """The sum of ``header`` and ``content`` as one."""
        return _joined(zlib.adler32(header), self._of(content), len(content))

    def _of(self, content: bytes) -> int:
        found = self._known(content)
        if found is None:
            start = self.start_of(content)
            begun = self._known(start) if start is not None else None
            if start is not None and begun is not None:
                found = zlib.adler32(memoryview(content)[len(start) :], begun)
            else:
                found = zlib.adler32(content)
            if len(content) >= self.long:
                self.known = ((content, found), *self.known)[:_MOST]
        return found

    def _known(self, content: bytes) -> int | None:
        return next((total for text, total in self.known if text is content), None)


def _joined(first: int, second: int, length: int) -> int:
    """The sum of two parts as one; ``length`` is the second's. As zlib's own ``adler32_combine`` does."""
    low = ((first & 0xFFFF) + (second & 0xFFFF) - 1) % _BASE
    high = ((first >> 16) + (second >> 16) + length % _BASE * ((first & 0xFFFF) - 1)) % _BASE
    return high << 16 | low
