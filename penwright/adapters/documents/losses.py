"""The one count of what a conversion could not keep: a sentence for each kind, for preview and report."""

import io
import re
import zipfile
from collections.abc import Iterator
from html.parser import HTMLParser

from penwright.domain.text.completeness import words_missing
from schemas.documents import Changes, ReadDocument, SourceDocument, SourceFormat

_HIDDEN = ("script", "style", "title", "template")
_PARTS = ("word/document.xml", "word/footnotes.xml", "word/endnotes.xml")
_FALLBACK = re.compile(r"<mc:Fallback\b.*?</mc:Fallback>", re.DOTALL)
_GOES = {
    "accept": re.compile(r"<w:moveFrom\b(?![A-Za-z])(?:(?!</w:moveFrom>).)*</w:moveFrom>", re.DOTALL),
    "reject": re.compile(r"<w:(ins|moveTo)\b(?![A-Za-z])[^<>]*[^/]>(?:(?!</w:\1>).)*</w:\1>", re.DOTALL),
}
_BREAKS = re.compile(r"</w:p>|<w:(?:tab|br|cr|noBreakHyphen|softHyphen)\b[^<>]*>")
_TEXT = re.compile(r"<w:t(?:\s[^<>]*)?>([^<]*)|(\n)")


def own_text(form: SourceFormat, content: bytes, changes: Changes = "accept") -> str:
    """Return the words of a document as it shows them, in about their order; empty where we cannot tell.

    Args:
        content: what ``checked_archive`` returned, or a page in UTF-8.
    """
    if form == "html":
        return _shown(content.decode("utf-8", "replace"))
    if form == "latex":
        return ""
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        if form == "docx":
            parts = (packed.read(name) for name in _PARTS if name in packed.namelist())
            return "\n".join(_of_word(part.decode("utf-8", "replace"), changes) for part in parts)
        pages = (name for name in packed.namelist() if name.endswith((".xhtml", ".html", ".htm")))
        texts = (packed.read(name).decode("utf-8", "replace") for name in pages)
        return "\n".join(_shown(text) for text in texts if 'epub:type="toc"' not in text)


def _of_word(xml: str, changes: Changes) -> str:
    kept = _GOES["accept" if changes == "accept" else "reject"].sub("", _FALLBACK.sub("", xml))
    if changes != "accept":
        kept = kept.replace("w:delText", "w:t")
    pieces = _TEXT.findall(_BREAKS.sub("\n", kept.replace("\n", " ")))
    page = _Words()
    page.feed("".join(words or "\n" for words, _ in pieces))
    page.close()
    return "".join(page.pieces)


def _shown(page: str) -> str:
    words = _Words()
    words.feed(page)
    words.close()
    return "".join(words.pieces)


class _Words(HTMLParser):
    """Collects the text of a page that its reader sees."""

    _INLINE = ("a", "abbr", "b", "bdi", "bdo", "cite", "code", "em", "font", "i", "mark", "q", "s", "small")
    _MORE = ("span", "strong", "sub", "sup", "u", "tt", "strike", "big", "del", "ins", "kbd", "samp", "var")

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in _HIDDEN
        self._part(tag)

    def handle_endtag(self, tag: str) -> None:
        self._hidden = max(0, self._hidden - (tag in _HIDDEN))
        self._part(tag)

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.pieces.append(data)

    def _part(self, tag: str) -> None:
        """Words on both sides of a block are not one word."""
        if tag not in (*self._INLINE, *self._MORE):
            self.pieces.append("\n")


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
