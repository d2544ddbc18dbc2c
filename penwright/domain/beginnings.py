"""Which long texts begin with which: a book that grew is compared with what it was once, or never."""

from dataclasses import dataclass

_LONG = 256 * 1024
"""Bytes of a text that is worth remembering."""
_MOST = 4


@dataclass(slots=True)
class _Longer:
    """Texts that were found to begin with another, newest first, the very objects.

    Whole tuples change hands, for other threads compare too.
    """

    pairs: tuple[tuple[bytes, bytes], ...] = ()

    def has(self, text: bytes, start: bytes) -> bool:
        return any(text is longer and start is shorter for longer, shorter in self.pairs)

    def made(self, start: bytes, tail: bytes) -> bytes | None:
        """What was made of the two before."""
        size = len(start) + len(tail)
        longer = (text for text, shorter in self.pairs if shorter is start and len(text) == size)
        return next((text for text in longer if text.endswith(tail)), None)

    def keep(self, text: bytes, start: bytes) -> None:
        self.pairs = ((text, start), *self.pairs)[:_MOST]


_longer = _Longer()


def lengthened(start: bytes, tail: bytes) -> bytes:
    """``start`` with ``tail`` behind it; a long text is made once, however often it is asked for."""
    if len(start) <= _LONG or not tail:
        return start + tail
    text = _longer.made(start, tail)
    if text is None:
        text = start + tail
        _longer.keep(text, start)
    return text


def start_of(text: bytes) -> bytes | None:
    """A text that ``text`` is known to begin with."""
    return next((shorter for longer, shorter in _longer.pairs if longer is text), None)


def begins_with(text: bytes, start: bytes) -> bool:
    """Whether ``text`` begins with ``start``: at once for what was made of it, or compared before."""
    if _longer.has(text, start):
        return True
    found = text.startswith(start)
    if found and len(start) > _LONG and len(text) > len(start):
        _longer.keep(text, start)
    return found
