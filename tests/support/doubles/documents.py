"""``MemoryDocuments``: documents without a converter; a file is the value itself, as JSON."""

from pydantic import ValidationError

from penwright.errors import UsageMistake
from schemas.documents import BookDocument, ReadDocument, SourceDocument, TargetFormat, WrittenDocument


class MemoryDocuments:
    """Reads what it has written; see ``penwright.ports.documents.Documents``."""

    def __init__(self) -> None:
        self.written: list[tuple[BookDocument, TargetFormat]] = []

    def read(self, document: SourceDocument) -> ReadDocument:
        try:
            book = BookDocument.model_validate_json(document.content)
        except ValidationError:
            raise UsageMistake(
                "document-broken", f"the {document.format.upper()} cannot be read", hint="save it again"
            ) from None
        return ReadDocument(
            markdown=book.markdown, title=book.title, author=book.author, language=book.language
        )

    def write(self, book: BookDocument, to: TargetFormat) -> WrittenDocument:
        self.written.append((book, to))
        return WrittenDocument(content=book.model_dump_json().encode())
