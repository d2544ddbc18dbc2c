"""Comments of a document as notes in a text, with the names of those who wrote them."""

import re

from schemas.documents import DocumentComment

_HYPHENS = re.compile(r"-{2,}|-(?=>)")


def ink_note(comment: DocumentComment) -> str:
    """The comment as an INK note: ``<!-- INK: Anna Bell: Is this true? -->``."""
    said = f"{comment.by}: {comment.text}" if comment.text else comment.by
    # Two hyphens in a row end a comment in HTML.
    words = _HYPHENS.sub("\u2013", " ".join(said.split())).rstrip("-")
    return f"<!-- INK: {words} -->"
