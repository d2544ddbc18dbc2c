"""Indexes of the books that were read last, so that only what a book has grown by is read again."""

from collections import deque
from threading import Lock

from penwright.domain.prose.indexing import extended, index_of
from schemas.prose import BookIndex

_MOST = 8
_KEPT: deque[tuple[str, BookIndex]] = deque(maxlen=_MOST)
"""Texts with their indexes, the last read first."""
_LOCK = Lock()


def book_index(text: str, language: str) -> BookIndex:
    """The index of a book's text; a text that begins with one that was read before costs only its rest."""
    with _LOCK:
        known = next(
            ((read, index) for read, index in _KEPT if index.language == language and text.startswith(read)),
            None,
        )
    if known is not None and known[0] == text:
        return known[1]
    index = extended(known[1], [text[len(known[0]) :]]) if known else index_of([text], language)
    with _LOCK:
        _KEPT.appendleft((text, index))
    return index
