"""Comments of a document as notes in a text, with the names of those who wrote them, and the way back."""

import re
from collections.abc import Callable

from penwright.domain.text.ink_comments import parse_comments
from schemas.documents import DocumentComment

_OPAQUE_END = re.compile(r"^(?:`{3,}|~{3,}|\||\$\$).*\Z", re.MULTILINE)
"""A last line of code, a table or a formula, after which nothing can stand."""
_HYPHENS = re.compile(r"-{2,}|-(?=>)")


def ink_note(comment: DocumentComment) -> str:
    """The comment as an INK note: ``<!-- INK: Anna Bell: Is this true? -->``."""
    said = f"{comment.by}: {comment.text}" if comment.text else comment.by
    # Two hyphens in a row end a comment in HTML.
    words = _HYPHENS.sub("\u2013", " ".join(said.split())).rstrip("-")
    return f"<!-- INK: {words} -->"


def with_notes(text: str, noted: Callable[[str], str]) -> str:
    """Return a text with what ``noted`` makes of each INK note after the paragraph before; the notes stay."""
    for note in reversed([each for each in parse_comments(text) if each.kind == "instruction"]):
        end = len(text[: note.start].rstrip())
        place = note.start if not end or _OPAQUE_END.search(text[:end]) else end
        text = f"{text[:place]}{noted(note.text)}{text[place:]}"
    return text
