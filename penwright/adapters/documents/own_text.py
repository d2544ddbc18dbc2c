"""The text that a document itself has, read without the converter, to check what the converter made of it."""

import io
import re
import zipfile
from html.parser import HTMLParser

from schemas.documents import Changes, SourceFormat

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
