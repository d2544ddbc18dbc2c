"""Writing: a book's texts, or a scene of a novel, in the editor."""

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from gateway.desk.book.editing import editable_paths
from gateway.desk.works import registered
from gateway.ui import addresses
from gateway.ui.elements.html import attribute, box, link, text
from gateway.ui.frame import frame
from gateway.ui.parts.book.book_tabs import book_tabs
from gateway.ui.parts.editing.writing import line_of, opened_draft, writing
from gateway.ui.parts.manuscript.document_tabs import document_tabs
from gateway.ui.visit import Visit
from penwright.domain.book.files.layout import CHAPTERS_FOLDER, FULL_BOOK, MATERIAL_FOLDER, REVIEW


async def page(visit: Visit) -> None:
    """``/books/{book_id}/write?path=&at=``; ``at``: an offset in the text, in characters."""
    named = visit.params["book_id"]
    visit.require("write", f"book/{named}")
    book = await visit.ask(registered.book, named)
    grouped = _grouped(await visit.ask(editable_paths, book))
    path = visit.query.get("path") or next(iter(grouped.values()), [REVIEW])[0]
    crumbs = (("Books", addresses.page("books")), (book.title or named, addresses.page("books", named)))
    with frame("Write", here="/books", crumbs=crumbs) as made:
        book_tabs(named, "write")
        with box(classes="writing"):
            _files(named, grouped, path)
            opened = await opened_draft(visit, named, path)
            line = line_of(opened.text, visit.query.get("at", ""))
            blame = addresses.blame(named, path)
            await writing(visit, made, opened, line=line, notes=True, blame=blame)


async def scene(visit: Visit) -> None:
    """``/manuscripts/{novel}/{scene}/write``."""
    novel, name = visit.params["novel"], visit.params["scene"]
    visit.require("write", f"novel/{novel}")
    found = await visit.ask(registered.document, novel, name)
    crumbs = (
        ("Manuscripts", addresses.page("manuscripts")),
        (found.novel.title if name == "-" else name, addresses.page("manuscripts", novel, name)),
    )
    with frame("Write", here="/manuscripts", crumbs=crumbs) as made:
        document_tabs(novel, name, "write")
        opened = await opened_draft(visit, novel, name)
        with box(classes="writing alone"):
            await writing(visit, made, opened, blame=addresses.blame_of_document(novel, name))


def _group(path: str) -> str:
    """The heading under which a text is listed."""
    if path == REVIEW:
        return "Waits for review"
    if path == FULL_BOOK:
        return "The book"
    folder = path.partition("/")[0]
    return {CHAPTERS_FOLDER: "Chapters", MATERIAL_FOLDER: "Material"}.get(folder, "Other files")


def _grouped(paths: Sequence[str]) -> dict[str, list[str]]:
    """The texts by heading, in the order in which authors use them."""
    order = ("Waits for review", "The book", "Chapters", "Material", "Other files")
    found = {heading: [path for path in paths if _group(path) == heading] for heading in order}
    return {heading: listed for heading, listed in found.items() if listed}


def _files(named: str, grouped: Mapping[str, Sequence[str]], shown: str) -> None:
    with box("nav", classes="texts", label="Texts of the book"):
        for heading, paths in grouped.items():
            text("h2", heading)
            with box("ul"):
                for path in paths:
                    with box("li"):
                        name = PurePosixPath(path).name
                        place = link(name, addresses.page("books", named, "write", path=path))
                        if path == shown:
                            attribute(place, "aria-current", "page")
