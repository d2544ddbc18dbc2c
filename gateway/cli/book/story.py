"""``penwright book story``, ``facts``, ``threads``, ``brief`` and ``why``: what a book's writer is told."""

from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from gateway.cli.arguments import BookArgument
from gateway.cli.context import services_of
from gateway.cli.lore_reasons import reason_lines, reasons_data
from gateway.cli.output import JsonFlag, Printer
from gateway.desk.book import lore
from gateway.desk.book.story import (
    EntityFacts,
    brief_value,
    facts_of,
    facts_value,
    story_of,
    story_value,
    threads_of,
    threads_value,
    unsaved,
)
from gateway.desk.services import Services
from gateway.desk.works import books
from gateway.desk.works.books import Book
from penwright.domain.continuity.known import KnownFact, KnownThread
from penwright.domain.continuity.story import BookStory
from penwright.domain.text.counted import counted
from penwright.errors import EngineUnavailable, StoreUnavailable
from schemas.lore import LoreTold

AtOption = Annotated[
    str | None,
    typer.Option("--as-of", metavar="COMMIT", help="As of this commit or tag. Default: as the book is now."),
]

_NO_FACTS = "No fact was read."


def story(
    ctx: typer.Context, book: BookArgument = ".", as_of: AtOption = None, json: JsonFlag = False
) -> None:
    """Tell what happens in each chapter, as far as it was read.

    \b
      penwright book story ~/books/tide
      penwright book story ~/books/tide --as-of ink-2026-11-30-02-00
    """
    services, out = services_of(ctx), Printer(json)
    found, at = found_story(services, out, book, as_of)
    lines = [line for each in at.known.chapters for line in (f"Chapter {each.chapter}", *each.summaries, "")]
    lines = lines or ["No chapter has been read."]
    out.result(story_value(at), [*lines, *_ending(at, found.words)])


def facts(
    ctx: typer.Context,
    book: BookArgument = ".",
    about: Annotated[str, typer.Option("--about", metavar="NAME", help="Only of this one.")] = "",
    chapter: Annotated[
        int | None, typer.Option("--chapter", metavar="N", min=1, help="Only what stands in this chapter.")
    ] = None,
    as_of: AtOption = None,
    json: JsonFlag = False,
) -> None:
    """List what the book states of its people, places and things, each with its quote.

    \b
      penwright book facts ~/books/tide
      penwright book facts ~/books/tide --about Mara --chapter 3
    """
    services, out = services_of(ctx), Printer(json)
    found, at = found_story(services, out, book, as_of)
    listed = facts_of(at, about, chapter)
    lines = list(_fact_lines(listed)) or ["No fact of that kind was read." if about or chapter else _NO_FACTS]
    out.result(facts_value(at, listed), [*_decided_lines(at), *lines, *_ending(at, found.words)])


def threads(
    ctx: typer.Context,
    book: BookArgument = ".",
    paid: Annotated[bool, typer.Option("--all", help="Also those that are paid.")] = False,
    as_of: AtOption = None,
    json: JsonFlag = False,
) -> None:
    """List the questions that the story has opened and not answered.

    \b
      penwright book threads ~/books/tide
    """
    services, out = services_of(ctx), Printer(json)
    found, at = found_story(services, out, book, as_of)
    listed = threads_of(at, paid=paid)
    lines = [line for each in listed for line in _thread_lines(each)]
    lines = lines or ["No thread was read." if paid else "No thread is open."]
    out.result(threads_value(at, listed), [*lines, *_ending(at, found.words)])


def brief(
    ctx: typer.Context, book: BookArgument = ".", as_of: AtOption = None, json: JsonFlag = False
) -> None:
    """Print what the next session's writer is told of the book.

    What found no room is counted. Last comes what the book's lorebooks tell; `penwright book why --next` has
    the reasons.

    \b
      penwright book brief ~/books/tide
    """
    services, out = services_of(ctx), Printer(json)
    found, at = found_story(services, out, book, as_of)
    told = at.brief
    lines = [told.text, ""] if told.text else ["The writer is told nothing: nothing was read."]
    if told.cut:
        cut = ", ".join(f"{part}: {counted(lines_cut, 'line')}" for part, lines_cut in told.cut.items())
        lines.append(f"No room for {cut}; `continuity_tokens` in Config.yml gives more.")
    if at.view.config.continuity == "off":
        lines.append("The writer is told none of it: `continuity: off` in Config.yml.")
    told_lore = _lore(services, out, found) if as_of is None else None
    if told_lore is not None:
        lines += ["", told_lore.text or "No entry of the book's lorebooks fires."]
    data = {**brief_value(at), "lore": told_lore.text if told_lore else ""}
    out.result(data, [*lines, *_ending(at, found.words)])


def _lore(services: Services, out: Printer, book: Book) -> LoreTold | None:
    """Choose the book's lore; None without lorebooks, or without the engine, which keeps them."""
    try:
        return lore.next_told(services, book)
    except (EngineUnavailable, StoreUnavailable) as down:
        out.note(f"The book's lorebooks are not shown: {down.message}")
        return None


def why(
    ctx: typer.Context,
    book: BookArgument = ".",
    entry: Annotated[str, typer.Argument(metavar="[ENTRY]", help="Only entries with this title.")] = "",
    session: Annotated[str, typer.Option("--session", metavar="SESSION", help="As `book log` has it.")] = "",
    next_: Annotated[bool, typer.Option("--next", help="What the next session would be told now.")] = False,
    whole: Annotated[bool, typer.Option("--all", help="Every entry, also those that did not fire.")] = False,
    json: JsonFlag = False,
) -> None:
    """Say which entries of the book's lorebooks its writer was told, and why.

    \b
      penwright book why ~/books/tide
      penwright book why ~/books/tide --next --all
      penwright book why ~/books/tide "spring tide" --session 20261130T020000Z-1f2e3d

    Without `--session` it is the newest session that was told any lore. What fired or was cut comes first; of
    the others only their number is told, unless `--all` or an ENTRY is given.
    """
    services = services_of(ctx)
    found = books.find(services, book)
    if next_:
        calls = lore.next_reasons(services, found, entry)
    else:
        calls = lore.reasons(services, found, session, entry)
    name, which = found.words, " --next" if next_ else f" --session {session}" if session else ""
    to_list, shown = f"penwright book why {name}{which} --all", whole or bool(entry)
    data = [{"prompt": each.prompt, "run": each.run, **reasons_data(each)} for each in calls]
    lines = [line for each in calls for line in reason_lines(each, each.prompt, whole=shown, to_list=to_list)]
    none = [f"No lorebook is attached; `penwright lore attach LOREBOOK --to {name}` attaches one."]
    Printer(json).result({"status": "explained", "book_id": found.book_id, "calls": data}, lines or none)


def found_story(services: Services, out: Printer, book: str, as_of: str | None) -> tuple[Book, BookStory]:
    """Read the story, with its warnings."""
    found = books.find(services, book)
    at = story_of(services, found, as_of)
    if as_of is None and (edited := unsaved(services, found)):
        out.note(f"warning: as of the last commit; edited since, and not read: {', '.join(edited)}")
    for warning in at.warnings:
        out.note(f"warning: {warning}")
    return found, at


def _ending(at: BookStory, book: str) -> Iterator[str]:
    """The unread words, which are not in the list."""
    if at.words_unread:
        unread = at.view.length(at.words_unread)
        yield f"Not read yet: {unread}. next: `penwright book read {book}`"
    elif not at.told_blocks:
        yield "The book has no prose yet."


def _decided_lines(at: BookStory) -> Iterator[str]:
    """The author's own word, and what she took out."""
    yield from (
        f"{each.about}, {each.trait}: {each.value}; your word, in all the book"
        for each in at.known.throughout
    )
    yield from (
        f"Rejected by you: {each.number}  {each.entity}, {each.trait}: {each.value}"
        for each in at.known.rejected
    )
    if at.known.throughout or at.known.rejected:
        yield ""


def _fact_lines(listed: Sequence[EntityFacts]) -> Iterator[str]:
    for each in listed:
        also = f" (also {', '.join(each.entity.names[1:])})" if len(each.entity.names) > 1 else ""
        kind = f", {each.entity.kind}" if each.entity.kind else ""
        yield f"{each.entity.name}{also}{kind}"
        yield from (_fact_line(fact) for fact in each.facts)
        yield ""


def _fact_line(fact: KnownFact) -> str:
    mode = "" if fact.mode == "told" else f" ({fact.mode})"
    misread = f" (your word; the clerk read {fact.misread})" if fact.misread else ""
    said = f"{fact.trait}: {fact.value}{misread}{mode}"
    return f"  {fact.number:>3}  {said}; ch. {fact.place.chapter}: “{fact.place.quote}”"


def _thread_lines(thread: KnownThread) -> Iterator[str]:
    yield f"{thread.name}{'' if thread.is_open else ' (paid)'}"
    for step, place in thread.steps:
        yield f"  {step} in ch. {place.chapter}: “{place.quote}”"
    yield ""
