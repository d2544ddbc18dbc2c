"""Counting words: runs of characters that are not white space, HTML comments left out."""

_NO_SPACE = str.maketrans("\x1c\x1d\x1e\x1f", "xxxx")
"""``str.split`` takes these four for white space; Unicode's White_Space property does not."""


def count_words(text: str) -> int:
    """Words a reader sees. Headings count, comments of any length do not, wherever they stand."""
    visible = without_comments(text)
    if any(separator in visible for separator in "\x1c\x1d\x1e\x1f"):
        visible = visible.translate(_NO_SPACE)
    return len(visible.split())


def without_comments(text: str) -> str:
    """Text without its HTML comments; one that is never closed is text."""
    kept: list[str] = []
    behind = 0
    while (start := text.find("<!--", behind)) >= 0 and (end := text.find("-->", start + 2)) >= 0:
        kept.append(text[behind:start])
        behind = end + 3
    kept.append(text[behind:])
    return "".join(kept)
