"""Authors of a book: the sums, the disclosure to copy, each paragraph's author. It changes in place."""

from collections.abc import Iterator, Mapping
from functools import partial
from shlex import quote

from nicegui import ui

from gateway.desk.services import Services
from gateway.desk.trace import prompts
from gateway.desk.trace.traces import Origins, origins
from gateway.desk.works.books import Book
from gateway.ui.elements.html import attribute, box, sentence, text
from gateway.ui.elements.tables import NONE, Column, table
from gateway.ui.parts.book.book_tabs import book_frame, book_of, followed
from gateway.ui.parts.plots.charts import picture
from gateway.ui.visit import Visit
from penwright.domain.charts.made import AUTHORS, words_by_author
from penwright.domain.text.words import without_comments
from penwright.domain.trace.reports.blame import BlamedBlock
from penwright.domain.trace.reports.disclosure import Chapter, share_of

_BLOCKS = 200
_BEGIN = 120
_DIGITS = 12
"""Of a prompt's digest that are shown."""


async def page(visit: Visit) -> None:
    """``/books/{book_id}/provenance``."""
    book = await book_of(visit)
    known = await followed(visit, book, _read)
    with book_frame(book, "provenance") as made:
        known.part(lambda now: now[0], _statement)
        text("h2", "Words by author")
        known.part(lambda now: now[0], _sums)
        text("h2", "Paragraphs")
        said = "A prompt is named by the SHA-256 of its text, as in the evidence bundle of its run."
        text("p", said, classes="soft")
        known.part(lambda now: now, lambda now: _paragraphs(book.book_id, *now))
        known.follow(made)


def _read(services: Services, book: Book) -> tuple[Origins, Mapping[str, str]]:
    """Read the authors, and the digests of prompts by the records that name them."""
    found = origins(services, book)
    return found, prompts.prompt_digests(services, found.blames)


def _statement(found: Origins) -> None:
    said = found.disclosure.statement
    with box("section", classes="card", label="Disclosure"):
        text("h2", "Disclosure")
        text("p", said)
        ui.button(
            "Copy it", on_click=lambda: ui.clipboard.write(said), color=None, icon="content_copy"
        ).props("no-caps unelevated").classes("plain")
        if found.disclosure.left_out:
            text("p", f"{found.disclosure.left_out} damaged lines of the ledger did not count.")


def _sums(found: Origins) -> None:
    chapters = found.disclosure.chapters
    picture(words_by_author(chapters))
    columns: tuple[Column[Chapter], ...] = (
        Column("Chapter", lambda each: " / ".join(each.heading) or "before the first heading"),
        Column("Words", lambda each: f"{each.words.total:,}", number=True),
        Column("People", lambda each: f"{each.words.human:,}", number=True),
        Column("Models", lambda each: f"{each.words.ai:,}", number=True),
        Column("Both", lambda each: f"{each.words.mixed:,}", number=True),
        Column("Unknown, edited by models", lambda each: f"{each.words.edited:,}", number=True),
        Column("One of several", lambda each: f"{each.words.ambiguous:,}", number=True),
        Column("Unknown", lambda each: f"{each.words.unknown:,}", number=True),
    )
    table(columns, chapters, caption="Words by chapter and author")


def _paragraphs(book_id: str, found: Origins, digests: Mapping[str, str]) -> None:
    columns: tuple[Column[BlamedBlock], ...] = (
        Column("Begins", _begins),
        Column("By", lambda each: AUTHORS[share_of(each.attributed)]),
        Column("Names", lambda each: ", ".join(each.names) or "–"),
        Column("Intent", _intent),
        Column("Prompt", partial(_prompt, digests)),
        Column("Commit", lambda each: each.commit.sha[:8] if each.commit else "–"),
    )
    blocks = list(_blocks(found))
    table(columns, [each for _, each in blocks[:_BLOCKS]], caption="Paragraphs with their authors")
    if left := blocks[_BLOCKS:]:
        paths = dict.fromkeys(path for path, _ in left)
        shown = ", ".join(f"`penwright trace blame {quote(path)} {book_id}`" for path in paths)
        sentence(f"{len(left)} more: {shown} shows all.", classes="soft")


def _prompt(digests: Mapping[str, str], each: BlamedBlock) -> str | None:
    digest = digests.get(each.by_model.sha, "") if each.by_model else ""
    if not digest:
        return NONE
    with box("span", classes="brief"):
        attribute(text("code", digest[:_DIGITS]), "title", digest)
        copy = ui.button(on_click=lambda: ui.clipboard.write(digest), color=None, icon="content_copy")
    attribute(copy.props("flat dense size=sm"), "aria-label", f"Copy the digest {digest[:_DIGITS]} whole")
    return None


def _begins(each: BlamedBlock) -> str:
    said = without_comments(each.block.text).strip().lstrip("# ") or "(a comment)"
    return said if len(said) <= _BEGIN else f"{said[:_BEGIN].rpartition(' ')[0]} …"


def _blocks(found: Origins) -> Iterator[tuple[str, BlamedBlock]]:
    """With the paths of their files."""
    for each in found.blames:
        yield from ((each.path, block) for block in each.blocks)


def _intent(each: BlamedBlock) -> str | None:
    written = each.attributed.written
    if not (written and written.intent):
        return NONE
    text("span", written.intent, classes="brief")
    return None
