"""Sources of one's own: texts that belong to a novel or paper, by page and by passage."""

from typing import Literal

from schemas.base import Value
from schemas.scholarly import Reference, ScholarlyRecord


class LibraryPage(Value):
    """One page of a source as it was read; a text without pages is one page."""

    number: int
    """From 1, as the file counts them."""
    text: str


class LibraryPassage(Value):
    """About 150 words of one source, whole sentences."""

    source: str
    """Name of its file in ``sources/``."""
    number: int
    """Its place in the source, from 1."""
    page: int | None = None
    """The page that it begins on, from 1; None: the source has no pages."""
    section: str = ""
    """Title of the heading above it."""
    text: str
    is_reference_list: bool = False
    """It belongs to the list of references, which says nothing of its own."""
    has_words: bool = True
    """Of a passage that was searched for: it has a word of the question; else it was found by its meaning."""
    record: ScholarlyRecord | None = None
    """The work that the source is; None: not known yet."""


class LocatedQuote(Value):
    """Words of a source, verbatim, and where they stand."""

    source: str
    """Name of a file in ``sources/``, or a registry for an abstract."""
    quote: str
    page: int | None = None
    section: str = ""


class PrintedLine(Value):
    """A line of a page, and the size of its print; a wide gap between words is a tab."""

    text: str
    size: float


class Unsure(Value):
    """A field of a work that was guessed."""

    field: Literal["doi", "title", "authors", "year"]
    why: str


class SaidWork(Reference):
    """The work that a file says it is: not checked by anyone."""

    unsure: tuple[Unsure, ...] = ()


class ReadSource(Value):
    """The text of a file in ``sources/``, and what the file says of itself."""

    pages: tuple[LibraryPage, ...]
    """In a text without pages: one, in Markdown."""
    paged: bool = False
    headings: tuple[str, ...] = ()
    """Titles of its table of contents, if the file has one."""
    work: SaidWork = SaidWork()
    """The work as the file itself names it."""
    front: tuple[PrintedLine, ...] = ()
    """The lines of its first page, if it has pages."""
    made: int | None = None
    """The year in which the file was made."""
    without_text: tuple[int, ...] = ()
    """Numbers of the pages that hold no text that can be read, such as scans."""


class IndexedText(Value):
    """One text in the index, beside its passages."""

    rules: int
    """Version of the rules by which it was read."""
    model: str
    """The model that made its vectors; empty: it has none."""
    work: SaidWork
    """The work as the file itself names it."""
    pages: int | None
    """None: it has no pages."""
    without_text: tuple[int, ...] = ()
    words: int
    passages: int


class OwnSource(Value):
    """One file in ``sources/``, and the work that it is."""

    name: str
    blob: str
    """Git blob id of the file."""
    key: str = ""
    """Key of its entry in ``sources.bib``; empty: it has none."""
    record: ScholarlyRecord | None = None
    """What that entry says; None: nothing."""


class LibraryShelf(Value):
    """The sources of a novel at one commit."""

    sources: tuple[OwnSource, ...]
