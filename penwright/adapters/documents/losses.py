"""The one count of what a conversion could not keep: a sentence for each kind, for preview and report."""

import re
from collections.abc import Iterator

from penwright.adapters.documents.own_text import own_text
from penwright.domain.text.completeness import words_missing
from schemas.documents import ReadDocument, SourceDocument

_COMMENT = re.compile(rb"<!--(?!\s*\[)")
_NOT_SHOWN = re.compile(rb"<(script|style)\b.*?</\1", re.DOTALL | re.IGNORECASE)
_SHOWN = 5


def counted_losses(read: ReadDocument, document: SourceDocument, content: bytes) -> ReadDocument:
    """Return the document with all that it lost; the words are checked against its own text.

    Args:
        content: the document as it went to the converter.
    """
    shown = "\n".join((read.markdown, read.title, read.author, read.abstract))
    missing = words_missing(own_text(document.format, content, document.changes), shown)
    said = (*_said(read, document, content), *read.left_out, *_of_words(missing))
    return read.model_copy(update={"left_out": said, "words_missing": missing})


def _said(read: ReadDocument, document: SourceDocument, content: bytes) -> Iterator[str]:
    if read.pictures:
        yield f"pictures left out: {read.pictures}"
    # Comments that a program writes for browsers do not count.
    comments = len(_COMMENT.findall(_NOT_SHOWN.sub(b"", content))) if document.format == "html" else 0
    if comments:
        yield f"comments left out: {comments}"


def _of_words(missing: tuple[str, ...]) -> Iterator[str]:
    if missing:
        such = ", ".join(dict.fromkeys(missing[:_SHOWN]))
        yield f"words of the document that are not in the text: {len(missing)}, such as {such}"
