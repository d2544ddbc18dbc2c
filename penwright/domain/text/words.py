"""Count words: runs of characters other than white space, without HTML comments and inline citations."""

from collections.abc import Iterator

from penwright.domain.text.inline_citations import without_whole_citations

_WIDE_SPACES = (
    "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_WORD_OR_SPACE = bytes(0x20 if byte in b"\t\n\x0b\x0c\r " else 0x78 for byte in range(256))
"""Maps every byte to a blank or an x. ``str.split`` also splits at U+001C to U+001F, which we do not."""


def count_words(text: str) -> int:
    """Count the words that a reader sees: headings count, comments and citations ``[[@…{…}]]`` do not."""
    visible = without_comments(without_whole_citations(text))
    if not visible.isascii():
        for space in _WIDE_SPACES:
            visible = visible.replace(space, " ")
    signs = visible.encode("utf-8", "surrogatepass").translate(_WORD_OR_SPACE)
    return signs.count(b" x") + signs.startswith(b"x")


def without_comments(text: str) -> str:
    """Return ``text`` without its HTML comments; an unclosed comment is text."""
    kept: list[str] = []
    position = 0
    for start, end in comments(text):
        kept.append(text[position:start])
        position = end
    kept.append(text[position:])
    return "".join(kept)


def comments(text: str) -> Iterator[tuple[int, int]]:
    """From where to where each HTML comment stands."""
    position = 0
    while (start := text.find("<!--", position)) >= 0 and (end := text.find("-->", start + 2)) >= 0:
        position = end + 3
        yield start, position
