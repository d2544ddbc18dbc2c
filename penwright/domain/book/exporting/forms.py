"""A book as Markdown and as plain text, with its title and a list of contents."""

import json
import re

from penwright.domain.book.exporting.reading_text import Heading, contents_depth, headings, listed
from penwright.domain.book.files.cover import Cover

_MARK = re.compile(r"^#{1,6} (?=[ \t]*\S)", re.MULTILINE)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_HARD_BREAK = re.compile(r"(?: {2,}|\\)$", re.MULTILINE)


def as_markdown(text: str, cover: Cover, language: str) -> str:
    """Return the book with a header for other programs, and a list of links to its chapters."""
    fields = {"title": cover.title, "author": cover.author, "lang": language}
    header = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in fields.items() if value]
    entries = listed(headings(text), contents_depth(text)) if cover.contents else ()
    lines = ["---", *header, "---", ""]
    if entries:
        lines += [*map(_link, entries), ""]
    return "\n".join(lines) + f"\n{text}"


def as_plain_text(text: str, cover: Cover) -> str:
    """Return the book without marks of headings; emphasis keeps its asterisks and underscores."""
    lines = [cover.title, *([cover.author] if cover.author else []), ""]
    entries = listed(headings(text), contents_depth(text)) if cover.contents else ()
    if entries:
        indented = (f"{'  ' * (heading.level - 1)}{_plain(heading.title)}" for heading in entries)
        lines += ["", *indented, ""]
    return "\n".join(lines) + f"\n{_plain(_HARD_BREAK.sub('', without_marks(text)))}"


def without_marks(text: str) -> str:
    """Return the text with its headings as plain lines."""
    return _MARK.sub("", text)


def _plain(text: str) -> str:
    return _ESCAPED.sub(r"\1", text)


def _link(entry: Heading) -> str:
    title = entry.title.replace("[", "\\[").replace("]", "\\]")
    return f"{'  ' * (entry.level - 1)}- [{title}](#{entry.anchor})"
