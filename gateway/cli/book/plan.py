"""``penwright book plan``: outlines that the planner proposes, and your answers."""

import asyncio
from dataclasses import asdict
from typing import Annotated

import typer

from gateway.cli.arguments import BookArgument
from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer
from gateway.desk.book import outlines
from gateway.desk.book.outlines import Planning
from gateway.desk.works import books
from penwright.domain.book.files.layout import CONFIG

_MEANS = {
    "off": "you write the outlines",
    "propose": "the planner proposes an outline once the chapter before is nearly full; you accept it",
    "auto": "the planner writes an outline where there is none",
}


def plan(
    ctx: typer.Context,
    book: BookArgument = ".",
    accept: Annotated[
        bool, typer.Option("--accept", help="Make the proposal the outline of its chapter.")
    ] = False,
    reject: Annotated[bool, typer.Option("--reject", help="Take the proposal out of the book.")] = False,
    chapter: Annotated[
        int | None,
        typer.Option("--chapter", metavar="N", min=1, help="The chapter. Default: the first one proposed."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Show the outlines that the planner proposes; accept or reject one.

    \b
      penwright book plan ~/books/tide
      penwright book plan ~/books/tide --accept

    `planning` in Config.yml says who writes outlines. A proposal is a text in `Chapters material`: edit it
    before you accept it, and it is saved as you left it. Both answers are commits of yours; `git revert`
    takes one back.
    """
    services, out = services_of(ctx), Printer(json)
    found = books.find(services, book)
    commit = ""
    if accept or reject:
        answering = outlines.answer(services, found, chapter, accept=accept, who=services.person())
        answered = asyncio.run(answering)
        outline, commit = answered.outline, answered.commit
        done = f"is {outline.target} now" if accept else "was rejected"
        out.note(f"The outline of chapter {outline.chapter} {done}; commit {commit[:10]}.")
    planning = outlines.planning_of(services, found)
    out.result({**asdict(planning), "commit": commit}, _lines(planning, found.words, chapter))


def _lines(planning: Planning, book: str, chapter: int | None) -> list[str]:
    lines = [f"planning: {planning.planning}; {_MEANS[planning.planning]}."]
    lines.append(f"Chapter {planning.chapter} of {planning.chapters} is being written; {_missing(planning)}.")
    for each in planning.proposed:
        if chapter in (None, each.chapter):
            lines += ["", f"Proposed for chapter {each.chapter}, in {each.path!r}:", ""]
            lines += [f"  {line}".rstrip() for line in each.text.splitlines()]
    if planning.proposed:
        lines += ["", f"next: `penwright book plan {book} --accept`, or `--reject`"]
    elif planning.missing and planning.planning == "off":
        lines += ["", f"To have them planned, set `planning: propose` or `planning: auto` in {CONFIG!r}."]
    return lines


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
