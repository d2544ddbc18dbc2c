"""INK notes about a contradiction, at the paragraph that is to be changed."""

from collections.abc import Mapping

from penwright.domain.book.files.layout import FULL_BOOK, REVIEW
from penwright.domain.book.review.passages import Decision, checked_note, decided, passages
from penwright.domain.text.blocks import block_hash, blocks_of
from penwright.domain.text.paragraphs import paragraphs
from schemas.continuity import Cited, ContinuityFinding

_DEFAULT = "this contradicts another passage; change it so that both hold"


def note_on(finding: ContinuityFinding, other: Cited, instruction: str) -> str:
    """The text of a note that names what is wrong, and quotes the ``other`` passage."""
    where = other.file or f"ch. {other.chapter}"
    said = f"{finding.about}, {finding.trait}: {instruction.strip() or _DEFAULT}"
    return checked_note(f"{said} ({where}: {other.value}: “{other.quote}”)".replace("--", "\u2013"))


def noted(texts: Mapping[str, str], block: str, note: str) -> tuple[str, str] | None:
    """The file that holds a paragraph, and its text with the note there; None if none does.

    Args:
        texts: the prose that waits and the book, by path, with LF.
    """
    review = texts.get(REVIEW, "")
    for passage in passages(review):
        if block in map(block_hash, paragraphs(passage.text)):
            return REVIEW, decided(review, [Decision(passage.id, "comment", note)])
    book = texts.get(FULL_BOOK, "")
    found = next((each for each in blocks_of(book) if each.hash == block), None)
    if found is None:
        return None
    lines = book.split("\n")
    lines[found.end_line - 1] = f"{lines[found.end_line - 1].rstrip()}{_comment(note)}"
    return FULL_BOOK, "\n".join(lines)


def without(texts: Mapping[str, str], note: str) -> tuple[str, str] | None:
    """The file that holds a note, and its text without it; None if a session has answered it."""
    comment = _comment(note)
    for path, text in texts.items():
        if comment in text:
            return path, text.replace(comment, "", 1)
    return None


def _comment(note: str) -> str:
    return f" <!-- INK: {note} -->"
