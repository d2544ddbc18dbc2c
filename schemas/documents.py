"""Documents of other programs: source texts that come in, books and manuscripts that go out."""

from typing import Literal

from schemas.base import Value

SourceFormat = Literal["docx", "epub", "html", "latex"]
TargetFormat = Literal["docx", "epub", "html", "latex", "pdf"]
Changes = Literal["accept", "reject", "review"]
"""The treatment of a document's tracked changes; ``review``: none is made before a person decides."""


class SourceDocument(Value):
    """A document of another program."""

    format: SourceFormat
    content: bytes
    scholarly: bool = False
    """Keep citations, as ``[@key]``, and formulas, between dollar signs."""
    changes: Changes = "accept"


class PassageEdit(Value):
    """One passage before and after its tracked changes."""

    before: str
    """Markdown of its paragraphs; a new paragraph stands with the one before it, or else the one after."""
    after: str
    """Empty if it goes."""
    people: tuple[str, ...]
    """Names of those who changed it."""


class DocumentComment(Value):
    """A comment at the edge of a document."""

    by: str
    text: str
    """In one line."""
    passage: str = ""
    """The paragraph at which it stands, in Markdown."""


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
    references: str = ""
    """BibTeX of the works that a reference manager's fields cite; the text names them by these keys."""
    left_out: tuple[str, ...] = ()
    """Parts of the document that are not in the text: a sentence for each kind."""
    words_missing: tuple[str, ...] = ()
    """Words that the document itself has, and that are not here, in small letters; none of LaTeX are told."""
    people: tuple[str, ...] = ()
    """Names of those whose tracked changes are in the text."""
    edits: tuple[PassageEdit, ...] = ()
    """To be reviewed, in the order of the text, which is the one without them."""
    comments: tuple[DocumentComment, ...] = ()
    """To be reviewed; otherwise they are INK notes in the text, each after its paragraph."""


class BookDocument(Value):
    """A book to be written as a document."""

    markdown: str
    """CommonMark with footnotes and pipe tables; pictures are left out, of HTML the words stay.

    In a DOCX, the marks of ``penwright/domain/text/word_marks.py`` become comments and tracked changes."""
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
    description: str = ""
    """Of an EPUB, as the next four."""
    rights: str = ""
    publisher: str = ""
    cover: bytes = b""
    """A picture; empty without one."""
    cover_name: str = "cover.png"
    """Its file name, which says what it is: letters, digits, and ``.png``, ``.jpg``, ``.gif`` or ``.svg``."""


class WrittenDocument(Value):
    """A book as a file of another program."""

    content: bytes
    faults: tuple[str, ...] = ()
    """Of an EPUB: rules that it breaks, one sentence each."""
