"""Port of documents of other programs."""

from typing import Protocol

from schemas.documents import BookDocument, ReadDocument, SourceDocument, TargetFormat, WrittenDocument


class Documents(Protocol):
    """Converts documents of other programs. Calls block; nothing is fetched, memory and time are bounded.

    Every method raises ``PermanentError`` ``documents-missing`` where the converter is not installed, and
    ``document-too-slow`` or ``document-too-large`` when a bound is reached; ``WorkspaceBusy``
    ``documents-busy`` where others were converted all the time.
    """

    def read(self, document: SourceDocument) -> ReadDocument:
        """Return the text; raises ``UsageMistake`` ``document-broken`` or ``document-unsafe``."""
        ...

    def write(self, book: BookDocument, to: TargetFormat) -> WrittenDocument:
        """Return the file; the same book gives the same text in it."""
        ...
