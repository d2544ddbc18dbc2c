"""``PandocDocuments``: the converter that comes in the wheel of the extra ``documents``."""

import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from importlib.util import find_spec
from pathlib import Path

from penwright.adapters.documents import tracked, word_losses
from penwright.adapters.documents.archives import MOST_BYTES, checked_archive, with_changes
from penwright.adapters.documents.dating import dated
from penwright.adapters.documents.epub_check import faults
from penwright.adapters.documents.latex_commands import (
    UnknownCommands,
    probe,
    unknown_in,
    with_words,
    without_environments,
    without_known,
)
from penwright.adapters.documents.losses import counted_losses
from penwright.adapters.documents.pages import decoded_page
from penwright.adapters.documents.processes import Bounds, Finished, run
from penwright.adapters.documents.reference_headings import contents_heading, reference_heading
from penwright.adapters.documents.tracked import with_paragraph_marks
from penwright.domain.citations.exchange.carried import carried
from penwright.domain.citations.typed import with_typed_citations
from penwright.errors import PermanentError, UsageMistake
from schemas.documents import BookDocument, ReadDocument, SourceDocument, TargetFormat, WrittenDocument

_HERE = Path(__file__).parent
_AS_MARKDOWN = "markdown_strict+footnotes+pipe_tables+strikeout-raw_html"
_BOOK = "commonmark+footnotes+pipe_tables+strikeout+gfm_auto_identifiers-raw_html"
_SCHOLARLY = (
    "markdown-raw_html-markdown_in_html_blocks-native_divs-native_spans-pandoc_title_block-yaml_metadata_block"
    "-fancy_lists-example_lists-implicit_figures-smart"
)
_AS_SCHOLARLY = f"{_AS_MARKDOWN}+tex_math_dollars+citations+table_captions"
_STYLE = "style.csl"
_HEADER_LINES = 6
"""Lines of ``reading.template`` before the text, and a blank one. The last begins with a sign: pandoc leaves
out blank lines."""
_LINE_END = "\x1f"
"""Ends a line of the abstract in the header."""
_DEEPEST = 6


class PandocDocuments:
    """Pandoc in its sandbox, and typst for the PDF; see ``penwright.ports.documents.Documents``."""

    def __init__(self, bounds: Bounds | None = None) -> None:
        self._bounds = bounds or Bounds()
        # A novel of a million words takes pandoc 1.0 GB and typst 2.9 GB.
        self._typesetting = replace(self._bounds, memory_mb=2 * self._bounds.memory_mb)

    def read(self, document: SourceDocument) -> ReadDocument:
        """Convert to Markdown."""
        content = _checked(document)
        read = (
            self._read_word(document, content)
            if document.format == "docx"
            else self._read_other(document, content)
        )
        return counted_losses(read, document, content)

    def _read_other(self, document: SourceDocument, content: bytes) -> ReadDocument:
        unknown = self._unknown_commands(content) if document.format == "latex" else None
        content = with_words(content.decode(), unknown).encode() if unknown else content
        read = self._converted(document, content)
        if unknown:
            read = read.model_copy(update={"left_out": (*read.left_out, *unknown.losses)})
        # LaTeX has citations of its own; in the others they are text.
        return _with_citations(read) if document.scholarly and document.format != "latex" else read

    def _read_word(self, document: SourceDocument, content: bytes) -> ReadDocument:
        """Read a DOCX, with its comments and tracked changes."""
        found = tracked.marked(content)
        read = self._converted(
            document, found.content, "accept" if document.changes == "accept" else "reject"
        )
        seen = max(read.pictures, word_losses.pictures(content))
        left_out = (*read.left_out, *word_losses.losses(content))
        read = read.model_copy(update={"pictures": seen, "left_out": left_out})
        read = _with_citations(read) if document.scholarly else read
        if document.changes != "review" or not (found.changes or found.comments):
            return tracked.settled(read, found, document.changes)
        changed = self._converted(document, found.content, "accept")
        changed = _with_citations(changed) if document.scholarly else changed
        return tracked.to_review(read, changed, found)

    def _converted(self, document: SourceDocument, content: bytes, changes: str = "accept") -> ReadDocument:
        citing = document.scholarly and document.format == "docx" and word_losses.has_citations(content)
        form = "docx+citations" if citing else document.format
        arguments = (
            f"--from={form}",
            f"--to={_AS_SCHOLARLY if document.scholarly else _AS_MARKDOWN}",
            f"--template={_HERE / 'reading.template'}",
            f"--track-changes={changes}",
            "--wrap=none",
            _filter("filter"),
        )
        done = self._pandoc(arguments, content)
        if done.status:
            raise UsageMistake(
                "document-broken",
                f"the {document.format.upper()} cannot be read: {_first_complaint(done.complaint)}",
                hint="open it in its own program, save it again, and try with the new file",
            )
        read = _read(done.output.decode("utf-8", "replace"))
        if not citing:
            return read
        records = self._pandoc((f"--from={form}", "--to=csljson"), content).output
        works = carried(read.markdown, records.decode("utf-8", "replace"))
        return read.model_copy(update={"markdown": works.text, "references": works.bibliography})

    def _unknown_commands(self, content: bytes) -> UnknownCommands | None:
        """Return what pandoc does not know of a source; None if it cannot read it."""
        source, found = content.decode(), UnknownCommands()
        for _ in range(_DEEPEST):
            done = self._pandoc(("--from=latex+raw_tex", "--to=json"), source.encode())
            if done.status:
                return None
            document = done.output.decode("utf-8", "replace")
            more = unknown_in(document)
            found = found.and_within(more)
            opened = with_words(without_environments(source, document), more)
            if opened == source:
                break
            source = opened
        done = self._pandoc(("--from=latex", "--to=plain"), probe(found).encode())
        return without_known(found, done.output.decode("utf-8", "replace"))

    def write(self, book: BookDocument, to: TargetFormat) -> WrittenDocument:
        """Convert from Markdown; a PDF in two steps."""
        variables = {"SOURCE_DATE_EPOCH": str(book.written_at)}
        target = "typst" if to == "pdf" else to
        kind = _SCHOLARLY if book.scholarly else _BOOK
        arguments = (f"--from={kind}", f"--to={target}", "--standalone", "--output=-", *_of_book(book))
        if to == "epub":
            arguments += tuple(_for_shops(book))
        if to == "docx":  # the other forms have none, or one in their language
            arguments += (f"--metadata=toc-title={contents_heading(book.language)}",)
        beside = _beside(book)
        first = (_filter("scholarly"),) if book.scholarly and to != "latex" else ()
        # What citeproc makes comes after the filters, and so stays as it is.
        citing = _citing(to, book, beside) if book.scholarly else ()
        last = (_filter("marks"),) if to == "docx" else ()
        everything = (*arguments, *first, _filter("filter"), *last, *citing)
        done = self._pandoc(everything, book.markdown.encode(), variables, beside)
        if done.status:
            raise _failed(to, done)
        if to == "latex":
            return WrittenDocument(content=_without_suffix(done.output, book))
        if to == "pdf":
            return WrittenDocument(content=self._typeset(done.output, book))
        if to in ("docx", "epub"):
            content = with_changes(done.output, lambda name, text: _of_its_book(name, text, book))
            return WrittenDocument(content=content, faults=faults(content) if to == "epub" else ())
        return WrittenDocument(content=done.output)

    def _pandoc(
        self,
        arguments: Sequence[str],
        given: bytes,
        variables: Mapping[str, str] | None = None,
        beside: Mapping[str, bytes] | None = None,
    ) -> Finished:
        """Run pandoc with its filter; ``beside``: the files in its folder, by name."""
        limits = ("+RTS", f"-M{self._bounds.memory_mb}M", "-RTS")
        command = (str(_program()), *limits, "--sandbox", *arguments)
        with tempfile.TemporaryDirectory(prefix="penwright-document-") as folder:
            for name, content in (beside or {}).items():
                Path(folder, name).write_bytes(content)
            return run(command, given, self._bounds, folder=Path(folder), variables=variables or {})

    def _typeset(self, source: bytes, book: BookDocument) -> bytes:
        if find_spec("typst") is None:
            raise missing("typst")
        # Isolated from the folder it runs in, which is empty anyway, and from the user's own packages.
        script = str(_HERE / "typesetting.py")
        command = (sys.executable, "-I", script, str(self._typesetting.memory_mb), str(book.written_at))
        with tempfile.TemporaryDirectory(prefix="penwright-document-") as folder:
            done = run(command, source, self._typesetting, folder=Path(folder), variables={})
        if done.status:
            raise _failed("pdf", done)
        return done.output


def missing(program: str) -> PermanentError:
    """The error where the extra is not installed."""
    return PermanentError(
        "documents-missing",
        f"{program}, which converts DOCX, EPUB, HTML and PDF, is not installed",
        hint="install it: `pip install 'penwright[documents]'`, or `make setup` in a checkout",
    )


def _program() -> Path:
    """Return the pandoc of the wheel, never another one on the search path."""
    spec = find_spec("pypandoc")
    if spec is None or spec.origin is None:
        raise missing("pandoc")
    program = Path(spec.origin).parent / "files" / "pandoc"
    if not program.is_file():
        raise missing("pandoc")
    return program


def _checked(document: SourceDocument) -> bytes:
    if len(document.content) > MOST_BYTES:
        raise PermanentError(
            "document-too-large",
            f"the document has more than {MOST_BYTES // 1024 // 1024} MB",
            hint="divide it, or save it without pictures",
        )
    if document.format in ("html", "latex"):
        return decoded_page(document.content).encode()
    return checked_archive(document.content)


def _read(output: str) -> ReadDocument:
    header, body = output.split("\n")[:_HEADER_LINES], output.split("\n")[_HEADER_LINES + 1 :]
    title, author, language, pictures, captions, abstract = (line.strip() for line in header)
    in_italics = f"captions that stand in italics, without their figure: {captions}"
    return ReadDocument(
        markdown="\n".join(body),
        title=title,
        author=author,
        language=language,
        pictures=int(pictures or 0),
        abstract=abstract[1:].replace(_LINE_END, "\n"),
        left_out=(in_italics,) if int(captions or 0) else (),
    )


def _with_citations(read: ReadDocument) -> ReadDocument:
    """The document with the citations that its author typed as text."""
    return read.model_copy(update={"markdown": with_typed_citations(read.markdown)})


def _of_book(book: BookDocument) -> list[str]:
    """Return the options for a book's title page, contents and chapters."""
    fields = {
        "title": book.title,
        "author": book.author,
        "lang": book.language,
        "identifier": book.identifier,
        "abstract": book.abstract,
    }
    options = [f"--metadata={name}={value}" for name, value in fields.items() if value]
    if book.contents:
        options += ["--toc", f"--toc-depth={book.contents_depth}"]
    options += [
        f"--shift-heading-level-by={1 - book.top_level}",
        f"--split-level={min(book.contents_depth, _DEEPEST)}",
    ]
    return options


def _of_its_book(name: str, text: bytes, book: BookDocument) -> bytes:
    """A file of an EPUB or DOCX with the time of the book, and landmarks in its language, not in English."""
    text = dated(name, text, book.written_at)
    if name == "word/document.xml":
        return with_paragraph_marks(text)
    if name != "EPUB/nav.xhtml":
        return text
    before, mark, landmarks = text.partition(b'epub:type="landmarks"')
    names = {"Title Page": book.title, "Table of Contents": contents_heading(book.language)}
    for found, said in names.items():
        if said:
            landmarks = landmarks.replace(f">{found}</a>".encode(), f">{escape(said)}</a>".encode())
    return before + mark + landmarks


def _filter(name: str) -> str:
    return f"--lua-filter={_HERE / name}.lua"


def _without_suffix(source: bytes, book: BookDocument) -> bytes:
    """BibTeX adds the suffix itself."""
    name = book.bibliography_name.encode()
    return source.replace(b"\\bibliography{%b.bib}" % name, b"\\bibliography{%b}" % name)


def _for_shops(book: BookDocument) -> list[str]:
    """Return the options for what an EPUB says of itself, and for its cover."""
    fields = {"description": book.description, "rights": book.rights, "publisher": book.publisher}
    # The sandbox lets a cover in only as another kind of file: a reference document, which no EPUB has.
    options = ("--epub-cover-image", "--reference-doc") if book.cover else ()
    cover = [f"{option}={book.cover_name}" for option in options]
    return [*(f"--metadata={name}={value}" for name, value in fields.items() if value), *cover]


def _beside(book: BookDocument) -> dict[str, bytes]:
    """The files that pandoc reads beside the text."""
    texts = {f"{book.bibliography_name}.bib": book.bibliography, _STYLE: book.style}
    files = {name: text.encode() for name, text in texts.items()} | {book.cover_name: book.cover}
    return {name: content for name, content in files.items() if content}


def _citing(to: TargetFormat, book: BookDocument, beside: Mapping[str, bytes]) -> tuple[str, ...]:
    """The options for citations; a text that ends with a heading of its own has the list below that."""
    books = tuple(f"--bibliography={name}" for name in beside if name.endswith(".bib"))
    if to == "latex":
        return (*books, "--natbib")
    style = (f"--csl={_STYLE}",) if _STYLE in beside else ()
    heading = (f"--metadata=reference-section-title={reference_heading(book.language)}",) if books else ()
    return (*books, *style, *heading, "--citeproc")


def _failed(to: str, done: Finished) -> PermanentError:
    return PermanentError(
        "export-failed",
        f"the {to.upper()} could not be made: {_first_complaint(done.complaint)}",
        hint="export as Markdown or HTML, and report this",
    )


def _first_complaint(complaint: str) -> str:
    lines = [line.strip() for line in complaint.splitlines() if line.strip()]
    return next((line for line in lines if not line.startswith("[")), "it gave no reason")
