"""Exports of Penwright that come back: their title, and the list of contents that an export adds."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from penwright.domain.book.exporting.forms import as_markdown
from penwright.domain.book.files.cover import Cover
from penwright.domain.book.importing.reading import read_source
from penwright.domain.book.importing.values import SourceText

_HEADER = re.compile(r'---\n((?:(?:title|author|lang): ".*"\n)+)---\n\n')
_LINKS = re.compile(r"(?:(?:  )*- \[.*\]\(#.*\)\n)+\n")
_PLAIN = re.compile(r"(?P<title>\S.*)\n(?:(?:by )?(?P<author>\S.*)\n)?\n\n(?P<list>(?:.*\S.*\n)+)\n")


@dataclass(frozen=True, slots=True)
class OwnExport:
    """A text without what an export put in front of it."""

    text: str
    """With an empty line for each line that was left out, so that line numbers stay those of the file."""
    title: str = ""
    author: str = ""
    left_out: tuple[str, ...] = ()
    """For the author."""
    head_lines: int = 0
    is_markdown: bool = False

    def source(self, chapters_at: str = "") -> SourceText:
        """Read the text as ``read_source`` does, without the head; its parts name lines of the file."""
        read, cut = read_source(self.text, chapters_at), self.head_lines
        heads = (replace(each, first=each.first - cut, end=each.end - cut) for each in read.headings)
        return replace(read, lines=read.lines[cut:], headings=tuple(heads))


def read_own_export(text: str) -> OwnExport:
    """Take the head off a Markdown or plain text that ``book export`` made; any other text stays as it is."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    return _markdown(text) or _plain_text(text) or OwnExport(text)


def _markdown(text: str) -> OwnExport | None:
    head = _HEADER.match(text)
    if head is None:
        return None
    try:
        fields = {name: json.loads(value) for name, value in re.findall(r"(\w+): (.*)\n", head[1])}
    except ValueError:
        return None
    title, author = fields.get("title", ""), fields.get("author", "")
    end, said = head.end(), "the header of an export"
    links = _LINKS.match(text, end)
    # Made again from the headings, the list must be the same: an edited one is the author's text.
    if links and as_markdown(text[links.end() :], Cover(title, author), fields.get("lang", "")) == text:
        end, said = links.end(), "the header and the list of contents of an export"
    return replace(_taken(text, end, title, author, said), is_markdown=True)


def _plain_text(text: str) -> OwnExport | None:
    head = _PLAIN.match(text)
    if head is None:
        return None
    entries = [line.strip() for line in head["list"].splitlines()]
    if not _repeated(entries, text[head.end() :]):
        return None
    said = "the title page and the list of contents of an export"
    return _taken(text, head.end(), head["title"].strip(), head["author"] or "", said)


def _repeated(entries: Sequence[str], body: str) -> bool:
    """Whether the body has every entry as a line of its own, in order, and reads most as headings."""
    lines = iter(body.splitlines())
    if not all(any(line.strip() == entry for line in lines) for entry in entries):
        return False
    heads = {head.title for head in read_source(body).headings}
    return 2 * len(heads.intersection(entries)) >= len(entries)


def _taken(text: str, end: int, title: str, author: str, said: str) -> OwnExport:
    count = text.count("\n", 0, end)
    left_out = (f"left out: {said}, lines 1 to {count}; the book gets its own",)
    return OwnExport("\n" * count + text[end:], title, author, left_out, count)
