"""Documents of other programs: source texts that come in, books and manuscripts that go out."""

from typing import Literal

from schemas.base import Value

SourceFormat = Literal["docx", "epub", "html", "latex"]
TargetFormat = Literal["docx", "epub", "html", "latex", "pdf"]


class SourceDocument(Value):
    """A document of another program."""

    format: SourceFormat
    content: bytes
    scholarly: bool = False
    """Keep citations, as ``[@key]``, and formulas, between dollar signs."""


class ReadDocument(Value):
    """A document as Markdown."""

    markdown: str
    """LF line ends, one line per paragraph, headings with ``#``; no pictures and no HTML."""
    title: str = ""
    author: str = ""
    """Several are parted by semicolons."""
    language: str = ""
    """As the document names it, often a tag such as ``en-GB``."""
    pictures: int = 0
    """Pictures that were left out."""
    abstract: str = ""
    """Markdown; it is not part of ``markdown``."""
    left_out: tuple[str, ...] = ()
    """What else of the document is not in the text: a sentence for each kind."""


class BookDocument(Value):
    """A book to be written as a document."""

    markdown: str
    """CommonMark with footnotes and pipe tables; pictures are left out, of HTML the words stay."""
    title: str
    author: str = ""
    language: str = ""
    """A tag such as ``en-GB``; empty if it is not known."""
    contents: bool = True
    """Whether it has a list of contents."""
    contents_depth: int = 1
    """Levels of headings in the list of contents, from the highest one in the text on."""
    top_level: int = 1
    """The highest level of heading in the text, 1 to 6."""
    identifier: str = ""
    """A URN that stays the same for every export of the book."""
    written_at: int = 0
    """Seconds since 1970, for the formats that say when they were made."""
    scholarly: bool = False
    """The text has citations as ``[@key]``, formulas between dollar signs, and commands of LaTeX."""
    bibliography: str = ""
    """BibTeX of what is cited."""
    bibliography_name: str = "references"
    """In LaTeX: the file beside it with the bibliography, without ``.bib``; letters, digits, -_."""
    style: str = ""
    """A style in CSL; empty: Chicago, author and date."""
    abstract: str = ""


class WrittenDocument(Value):
    """A book as a file of another program."""

    content: bytes
