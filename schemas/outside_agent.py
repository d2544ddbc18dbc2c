"""What an agent gets for selecting an intent, and for reading a book."""

from schemas.base import Value


class HandshakeResult(Value):
    """The handshake's answer."""

    intent: str
    context: str
    """Escaped XML: what the intent is for, where it may write, and what was done for it."""
    overlaps: tuple[str, ...] = ()
    """Other intents in progress whose scope names some of the same files."""


class PageOfText(Value):
    """Part of a committed file, in characters from ``offset``."""

    path: str
    text: str
    offset: int
    next_offset: int | None = None
    """Where the rest begins; None if this is the end."""
    characters: int
    """Of the whole file."""
    blob: str
    """Git blob id of the whole file."""


class SearchHit(Value):
    """Where something was found."""

    path: str
    line: int
    excerpt: str


class SearchHits(Value):
    """What a search found, in the order of the book, and whether there is more of it."""

    places: tuple[SearchHit, ...]
    more: bool = False
    passed_over: tuple[str, ...] = ()
    """Files that could not be searched."""


class OmittedText(Value):
    """A text that was too long to be handed over with the rest."""

    path: str
    characters: int
