"""Read a file of ``sources/``: PDF by pages; DOCX, EPUB, HTML and text as Markdown."""

import json
import re
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from penwright.adapters.documents.adapter import missing
from penwright.adapters.documents.processes import Bounds, run
from penwright.domain.library.describing import authors_said, described
from penwright.domain.library.names import LARGEST, LARGEST_MB, PAGES, form_of
from penwright.domain.text.encodings import decoded
from penwright.errors import PermanentError, UsageMistake
from penwright.ports.documents import Documents
from schemas.documents import SourceDocument, SourceFormat
from schemas.library import LibraryPage, PrintedLine, ReadSource, SaidWork

_SCRIPT = str(Path(__file__).parent / "pdf_pages.py")
_ENCRYPTED = 4
_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)")


@dataclass(frozen=True)
class SourceReader:
    """Reads files of strangers; the conversion is a process with bounded time and memory."""

    documents: Documents
    bounds: Bounds = field(default_factory=Bounds)

    def read(self, name: str, content: bytes) -> ReadSource:
        """Return the text of a file; its name says the format.

        Raises:
            UsageMistake: ``unknown-format``, ``document-broken``, ``document-encrypted``, ``document-unsafe``
                or ``source-without-text``.
            PermanentError: ``documents-missing``, ``document-too-large``, ``document-too-slow``.
            WorkspaceBusy: ``documents-busy``.
        """
        if len(content) > LARGEST:
            raise PermanentError(
                "document-too-large",
                f"{name!r} has more than {LARGEST_MB} MB",
                hint="save it with smaller pictures, or add the part that you cite",
            )
        read = self._read(name, content)
        if not any(_has_words(page.text) for page in read.pages):
            raise UsageMistake(
                "source-without-text",
                f"{name!r} holds no text that can be read; it may be a scan",
                hint="have its text recognised, as by `ocrmypdf IN.pdf OUT.pdf`, and add that file",
            )
        return described(read)

    def _read(self, name: str, content: bytes) -> ReadSource:
        form = form_of(name)
        if form == "pdf":
            return self._pdf(name, content)
        if form == "text":
            return _plain(name, content)
        return self._document(form, content)

    def _document(self, form: SourceFormat, content: bytes) -> ReadSource:
        read = self.documents.read(SourceDocument(format=form, content=content))
        text = f"# Abstract\n\n{read.abstract}\n\n{read.markdown}" if read.abstract else read.markdown
        work = SaidWork(title=read.title, authors=authors_said(read.author))
        return ReadSource(pages=(LibraryPage(number=1, text=text),), work=work)

    def _pdf(self, name: str, content: bytes) -> ReadSource:
        if not content.startswith(PAGES):
            raise _broken(name, "it does not begin as a PDF does")
        if find_spec("pypdf") is None or find_spec("pdfplumber") is None:
            raise missing("pypdf")
        # Isolated from the folder it runs in, which is empty anyway, and from the user's own packages.
        command = (sys.executable, "-I", _SCRIPT, str(self.bounds.memory_mb))
        with tempfile.TemporaryDirectory(prefix="penwright-source-") as folder:
            done = run(command, content, self.bounds, folder=Path(folder), variables={})
        if done.status == _ENCRYPTED:
            raise UsageMistake(
                "document-encrypted",
                f"{name!r} opens only with a password",
                hint="open it in its own program, save it without a password, and add that file",
            )
        if done.status:
            raise _broken(name, done.complaint.splitlines()[-1] if done.complaint else "its reader gave up")
        return read_pages(json.loads(done.output))


def read_pages(found: Mapping[str, Any]) -> ReadSource:  # Any: JSON
    """Return what was found in a PDF."""
    pages = tuple(LibraryPage(number=at, text=text) for at, text in enumerate(found["pages"], 1))
    info, publisher = found["info"], found["publisher"]
    made = _YEAR.search(info.get("/CreationDate", ""))
    appeared = _YEAR.search(next((each for name, each in publisher.items() if name != "doi"), ""))
    return ReadSource(
        pages=pages,
        paged=True,
        headings=tuple(found["headings"]),
        work=SaidWork(
            title=info.get("/Title", ""),
            authors=authors_said(info.get("/Author", "")),
            doi=info.get("/doi", info.get("/DOI", publisher.get("doi", ""))),
            year=int(appeared[1]) if appeared else None,
        ),
        without_text=tuple(page.number for page in pages if not page.text.strip()),
        front=tuple(PrintedLine(text=text, size=size) for text, size in found["front"]),
        made=int(made[1]) if made else None,
    )


def _plain(name: str, content: bytes) -> ReadSource:
    found = decoded(content)
    if found is None or "\0" in found.text:
        raise UsageMistake(
            "document-broken",
            f"{name!r} is not text in an encoding that can be guessed",
            hint="save it as UTF-8, and add that file",
        )
    text = found.text.replace("\r\n", "\n").replace("\r", "\n")
    return ReadSource(pages=(LibraryPage(number=1, text=text),))


def _broken(name: str, why: str) -> UsageMistake:
    return UsageMistake(
        "document-broken",
        f"{name!r} cannot be read: {why}",
        hint="open it in its own program, save it again, and add the new file",
    )


def _has_words(text: str) -> bool:
    return any(sign.isalpha() for sign in text)
