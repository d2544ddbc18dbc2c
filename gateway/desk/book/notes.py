"""The notes that an author left in a book's texts for the next session."""

from dataclasses import dataclass
from typing import Literal

from gateway.desk.book import texts
from gateway.desk.services import Services
from gateway.desk.works.books import Book
from penwright.domain.text.ink_comments import parse_comments
from penwright.errors import Refused


@dataclass(frozen=True, slots=True)
class NoteInText:
    """A note, and where it stands."""

    path: str
    line: int
    """From 1."""
    kind: Literal["instruction", "conflict", "malformed"]
    """``malformed``: a note that no session reads as one; its text says how to mend it."""
    text: str


def notes(services: Services, book: Book) -> tuple[NoteInText, ...]:
    """Every note at the tip, by path and line; what is no text has none."""
    found: list[NoteInText] = []
    for each in texts.listed(services, book):
        if not (each.editable and each.path.endswith(".md")):
            continue
        try:
            text = texts.read(services, book, each.path).text
        except Refused:
            continue
        for comment in parse_comments(text):
            if comment.kind != "marker":
                found.append(NoteInText(each.path, comment.line, comment.kind, comment.text))
    return tuple(found)
