"""Results of the tools that select an intent, read a book and write its files."""

from schemas.base import Value


class HandshakeResult(Value):
    """Result of selecting an intent."""

    intent: str
    context: str
    """Escaped XML: the intent's purpose, scope and history."""
    overlaps: tuple[str, ...] = ()
    """Other intents in progress whose scope names some of the same files."""


class PageOfText(Value):
    """Part of a committed file, in characters from ``offset``."""

    path: str
    text: str
    offset: int
    next_offset: int | None = None
    """Offset of the rest; None at the end of the file."""
    characters: int
    """Length of the whole file."""
    blob: str
    """Git blob id of the whole file."""


class SearchHit(Value):
    """One occurrence of the searched text."""

    path: str
    line: int
    excerpt: str


class SearchHits(Value):
    """The first hits of a search, in book order, and whether there are more."""

    places: tuple[SearchHit, ...]
    more: bool = False
    passed_over: tuple[str, ...] = ()
    """Files that could not be searched."""


class OmittedText(Value):
    """A text that was left out because it is too long."""

    path: str
    characters: int


class WrittenFile(Value):
    """A file that an agent changed."""

    path: str
    blob: str = ""
    """Git blob id of the whole file; empty if nothing was changed."""
    commit: str = ""
    merged: bool = False
    """Whether a concurrent change of other passages was merged; both changes are kept."""
