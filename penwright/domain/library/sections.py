"""The sections of a source, each with its running text."""

from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from penwright.domain.library.page_lines import sections_of_pages
from penwright.domain.library.running_text import Section
from penwright.domain.text.blocks import front_matter_end
from schemas.library import ReadSource

_PARAGRAPH = "\n\n"


def sections_of(read: ReadSource) -> tuple[Section, ...]:
    """Return the sections in the order of the source; what stands above the first heading has no title."""
    if read.paged:
        return sections_of_pages(read.pages, read.headings)
    return tuple(_of_markdown("\n".join(page.text for page in read.pages)))


def _of_markdown(text: str) -> Iterator[Section]:
    title, paragraphs = "", list[str]()
    for is_heading, words in _blocks(text[front_matter_end(text) :]):
        if not is_heading:
            paragraphs.append(words)
            continue
        yield Section(title, _PARAGRAPH.join(paragraphs))
        title, paragraphs = words, []
    yield Section(title, _PARAGRAPH.join(paragraphs))


def _blocks(text: str) -> Iterator[tuple[bool, str]]:
    """Whether each block is a heading, and its words without marks."""
    is_heading = False
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type == "heading_open":
            is_heading = True
        elif token.type == "inline":
            if words := _words(token.children or ()):
                yield is_heading, words
            is_heading = False


def _words(children: Sequence[Token]) -> str:
    said = (" " if each.type in ("softbreak", "hardbreak") else each.content for each in children)
    return " ".join("".join(said).split())
