"""``penwright book plan``: outlines that the planner makes or proposes, and your answers."""

import asyncio
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.arguments import BookArgument
from gateway.cli.context import services_of
from gateway.cli.live import Waiter, money
from gateway.cli.output import EXIT_REFUSED, JsonFlag, Printer
from gateway.desk.book import outlines, planning
from gateway.desk.book.outlines import Planning
from gateway.desk.book.planning import MOST_CHAPTERS, BegunPlanning
from gateway.desk.services import Services
from gateway.desk.works import books
from gateway.desk.works.books import Book
from penwright.domain.book.files.layout import CONFIG
from penwright.domain.text.counted import counted
from penwright.errors import PermanentError, UsageMistake
from schemas.control import KillRequest

_MEANS = {
    "off": "you write the outlines",
    "propose": "the planner proposes an outline once the chapter before is nearly full; you accept it",
    "auto": "the planner writes an outline where there is none",
}


def plan(
    ctx: typer.Context,
    book: BookArgument = ".",
    chapters: Annotated[
        int | None,
        typer.Option(
            "--chapters", min=0, max=MOST_CHAPTERS, help="Have outlines of the next N chapters made now."
        ),
    ] = None,
    premise: Annotated[
        str | None, typer.Option("--premise", help="Have the book's own outline made from this.")
    ] = None,
    premise_file: Annotated[
        Path | None, typer.Option("--premise-file", help="The same from a file; '-' reads stdin.")
    ] = None,
    accept: Annotated[
        bool, typer.Option("--accept", help="Make the proposal the outline of its chapter.")
    ] = False,
    reject: Annotated[bool, typer.Option("--reject", help="Take the proposal out of the book.")] = False,
    chapter: Annotated[
        int | None,
        typer.Option(
            "--chapter", metavar="N", min=0, help="Of the proposal; 0 is the book. Default: the first one."
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Answer all proposals at once.")] = False,
    text: Annotated[
        Path | None, typer.Option("--from", help="Accept this file's text in place of the proposal.")
    ] = None,
    stop: Annotated[bool, typer.Option("--stop", help="End the planning after the outline in hand.")] = False,
    detach: Annotated[
        bool, typer.Option("--detach", help="Return at once; the same command joins it again.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Show the outlines that the planner proposes; have some made; answer.

    \b
      penwright book plan ~/books/tide
      penwright book plan ~/books/tide --premise "A keeper looks for a logbook." --chapters 3
      penwright book plan ~/books/tide --accept --all

    With `--chapters` the planner makes what is missing: the book's own outline, from a premise or from what
    the book says so far, then those of the next chapters, one call each. With `planning: auto` in Config.yml
    they are the outlines at once; else they are proposals.

    A proposal is a text in `Chapters material`: edit it before you accept it, and it is saved as you left it.
    What you have written is never replaced. Each answer is one commit of yours; `git revert` takes it back.

    Exit codes: 0 done, 1 failed, 3 refused or stopped.
    """
    services, out = services_of(ctx), Printer(json)
    found = books.find(services, book)
    premise = _premise(premise, premise_file)
    made: BegunPlanning | None = None
    commit = ""
    if stop:
        who = services.person()
        asyncio.run(planning.send(services, found, KillRequest(who=who, reason="stopped by hand")))
        out.result({"status": "stopping"}, "The planning ends after the outline in hand.")
        return
    if (accept or reject) and (chapters is not None or premise is not None):
        raise UsageMistake(
            "answer-or-plan",
            "--accept and --reject answer proposals; they make none",
            hint="give them without --chapters and --premise",
        )
    if accept or reject:
        new = _read(text) if text else None
        answering = outlines.answer(
            services, found, chapter, accept=accept, who=services.person(), every=every, text=new
        )
        answered = asyncio.run(answering)
        commit = answered.commit
        for each in answered.outlines:
            done = f"is {each.target} now" if accept else "was rejected"
            out.note(f"The outline of {each.of} {done}; commit {commit[:10]}.")
    elif chapters is not None or premise is not None:
        made = _made(services, out, found, 1 if chapters is None else chapters, premise, detach)
    _print(services, out, found, chapter, commit, made)


def _print(
    services: Services,
    out: Printer,
    found: Book,
    chapter: int | None,
    commit: str,
    made: BegunPlanning | None,
) -> None:
    """The plans as they are now; an ending that was no success gives the exit code."""
    now = outlines.planning_of(services, found)
    ended = made.result if made else None
    run = ended.model_dump(mode="json") if ended else {"session": made.session} if made else None
    out.result({**asdict(now), "commit": commit, "run": run}, list(_lines(now, found.words, chapter)))
    if ended and ended.outcome == "stopped":
        raise typer.Exit(EXIT_REFUSED)


def _premise(given: str | None, file: Path | None) -> str | None:
    if given is not None and file is not None:
        raise UsageMistake("two-premises", "give one of --premise and --premise-file", hint="leave one out")
    return _read(file) if file else given


def _read(file: Path) -> str:
    try:
        return typer.get_text_stream("stdin").read() if str(file) == "-" else file.read_text("utf-8")
    except (OSError, ValueError) as error:
        raise UsageMistake(
            "text-unreadable", f"{str(file)!r} cannot be read: {error}", hint="give a text file in UTF-8"
        ) from None


def _made(
    services: Services, out: Printer, found: Book, chapters: int, premise: str | None, detach: bool
) -> BegunPlanning:
    book = found.words
    command = f"penwright book plan {book} --chapters {chapters}"
    goes_on = f"the planning goes on: `{command}` follows it, with `--stop` in place of `--chapters` it ends"
    wait = None if detach else Waiter(goes_on, out.as_json)
    made = asyncio.run(planning.plan(services, found, chapters, premise=premise, wait=wait))
    if not made.session:
        out.note("Nothing is missing: each of these has an outline or a proposal.")
    elif not made.fresh:
        out.note("A planning of this book runs already; what you asked for now was not added to it.")
    if made.session and made.result is None:
        out.note(f"{goes_on[0].upper()}{goes_on[1:]}.")
    if made.result is not None:
        for warning in made.result.warnings:
            out.note(f"warning: {warning}")
        ended = made.result
        if ended.outcome == "failed":
            hint = f"`{command}` goes on with what is missing"
            raise PermanentError(ended.code, ended.message, hint=hint)
        cost = money(ended.cost_micros, ended.unknown_prices)
        out.note(f"Planned: {counted(len(ended.planned), 'outline')}; cost: {cost}.")
    return made


def _lines(planning: Planning, book: str, chapter: int | None) -> Iterator[str]:
    yield f"planning: {planning.planning}; {_MEANS[planning.planning]}."
    yield f"Chapter {planning.chapter} of {planning.chapters} is being written; {_missing(planning)}."
    for each in planning.proposed:
        if chapter in (None, each.chapter):
            yield from ("", f"Proposed for {each.of}, in {each.path!r}:", "")
            yield from (f"  {line}".rstrip() for line in (each.diff or each.text).splitlines())
    if planning.proposed:
        every = " --all" if len(planning.proposed) > 1 else ""
        yield from ("", f"next: `penwright book plan {book} --accept{every}`, or `--reject`")
    elif planning.missing:
        yield from ("", f"To have them made now: `penwright book plan {book} --chapters 3`")
        if planning.planning == "off":
            yield f"To have them planned, set `planning: propose` or `planning: auto` in {CONFIG!r}."


def _missing(planning: Planning) -> str:
    if not planning.missing:
        return "every chapter from there on has an outline"
    first, last = planning.missing[0], planning.missing[-1]
    if len(planning.missing) == 1:
        return f"chapter {first} has no outline"
    whole = last - first + 1 == len(planning.missing)
    named = f"{first} to {last}" if whole else ", ".join(map(str, planning.missing[:10]))
    more = len(planning.missing) - 10
    return f"chapters {named}{f' and {more} more' if not whole and more > 0 else ''} have no outline"
