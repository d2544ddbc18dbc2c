"""Counting words: runs of characters that are not white space, HTML comments left out."""

_WIDE_SPACES = (
    "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_WORD_OR_SPACE = bytes(0x20 if byte in b"\t\n\x0b\x0c\r " else 0x78 for byte in range(256))
"""Every byte as a blank or an x. ``str.split`` would also split at U+001C to U+001F: no white space."""


def count_words(text: str) -> int:
    """Words a reader sees. Headings count, comments of any length do not, wherever they stand."""
    visible = without_comments(text)
    if not visible.isascii():
        for space in _WIDE_SPACES:
            visible = visible.replace(space, " ")
    signs = visible.encode("utf-8", "surrogatepass").translate(_WORD_OR_SPACE)
    return signs.count(b" x") + signs.startswith(b"x")


def without_comments(text: str) -> str:
    """Text without its HTML comments; one that is never closed is text."""
    kept: list[str] = []
    behind = 0
    while (start := text.find("<!--", behind)) >= 0 and (end := text.find("-->", start + 2)) >= 0:
        kept.append(text[behind:start])
        behind = end + 3
    kept.append(text[behind:])
    return "".join(kept)
