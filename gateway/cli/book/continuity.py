"""``penwright book continuity``: where a book contradicts itself, and what its author means so."""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from gateway.cli.arguments import BookArgument
from gateway.cli.context import services_of
from gateway.cli.output import EXIT_FAILED, JsonFlag, Printer
from gateway.desk.book import findings
from gateway.desk.book.story import ChangedStory, note_later, story_of
from gateway.desk.book.story import changed_by as changed_story
from gateway.desk.services import Services
from gateway.desk.works import books
from gateway.desk.works.books import Book
from penwright.domain.continuity.checking import decision_on, parted
from penwright.domain.continuity.known import KnownFact
from penwright.domain.continuity.story import BookStory
from penwright.domain.prose.rule_texts import of_rule
from penwright.domain.text.counted import counted
from penwright.errors import UsageMistake
from schemas.continuity import Cited, ContinuityFinding


def continuity(
    ctx: typer.Context,
    book: BookArgument = ".",
    intended: Annotated[
        list[int] | None,
        typer.Option("--intended", metavar="N", help="You mean this one so. Repeatable."),
    ] = None,
    not_intended: Annotated[
        list[int] | None, typer.Option("--not-intended", metavar="N", help="It counts again. Repeatable.")
    ] = None,
    changed_by: Annotated[
        str,
        typer.Option(
            "--changed-by",
            metavar="COMMIT",
            help="List later passages that rest on what this commit changed, such as a rewrite.",
        ),
    ] = "",
    note: Annotated[
        bool, typer.Option("--note", help="With --changed-by: put an INK note behind each of them.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 if there is a hard contradiction.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """List where the book contradicts itself, with both quotes.

    \b
      penwright book continuity ~/books/tide
      penwright book continuity ~/books/tide --intended 2
      penwright book continuity ~/books/tide --changed-by HEAD --note

    Rules compare what the clerk has read, by its quotes: one value for what has one (eyes, birthday, names),
    ages, kin, the dead who act, lost things in use, Characters.md and Lore.md, threads that wait long. What
    is only said, dreamt or remembered contradicts nothing. One that you mean so is silent while both quotes
    stand; it is kept in Continuity/decisions.yaml, as a commit of yours.
    """
    services, out = services_of(ctx), Printer(json)
    found = books.find(services, book)
    if note and not changed_by:
        raise UsageMistake("note-of-what", "--note goes with --changed-by; nothing was changed")
    if changed_by:
        _show_changed(out, services, found, changed_by, note=note)
        return
    story = story_of(services, found)
    left, meant = parted(story.contradictions, story.view.intended)
    commit = ""
    if intended or not_intended:
        yes = [decision_on(each) for each in _chosen(found.words, left, intended or (), 1)]
        no = [decision_on(each) for each in _chosen(found.words, meant, not_intended or (), len(left) + 1)]
        there = [decision_on(each) for each in story.contradictions]
        who = services.person()
        commit = asyncio.run(findings.keep(services, found, yes, no, there=there, who=who))
        story = story_of(services, found)
        left, meant = parted(story.contradictions, story.view.intended)
    for warning in (*story.warnings, *filter(None, (story.view.decisions_fault,))):
        out.note(f"warning: {warning}")
    data = {
        "contradictions": [each.model_dump(mode="json") for each in left],
        "intended": [each.model_dump(mode="json") for each in meant],
        "unread_words": story.words_unread,
        "commit": commit,
    }
    out.result(data, list(_lines(story, found.words, left, meant)))
    if strict and any(each.hard for each in left):
        raise typer.Exit(EXIT_FAILED)


def _chosen(
    book: str, found: Sequence[ContinuityFinding], which: Sequence[int], first: int
) -> list[ContinuityFinding]:
    numbered = dict(enumerate(found, first))
    for number in which:
        if number not in numbered:
            raise UsageMistake(
                "no-such-finding",
                f"there is no finding {number} to decide on; nothing was changed",
                hint=f"`penwright book continuity {book}` lists them with their numbers",
            )
    return [numbered[number] for number in dict.fromkeys(which)]


def _lines(
    story: BookStory, book: str, left: Sequence[ContinuityFinding], meant: Sequence[ContinuityFinding]
) -> Iterator[str]:
    hard = sum(each.hard for each in left)
    soft = f", and {len(left) - hard} to look at" if len(left) > hard else ""
    yield f"{counted(hard, 'contradiction')} in what was read{soft}"
    for number, each in enumerate((*left, *meant), 1):
        if number == len(left) + 1:
            yield "You mean these so; they do not count:"
        kind = "hard" if each.hard else "soft"
        yield f"{number:>3}  {kind}  {each.rule}: {of_rule(each.rule)}: {each.about}, {each.trait}"
        yield f"     {_cited(each.earlier)}"
        yield f"     {_cited(each.later)}"
    if story.words_unread:
        unread = story.view.length(story.words_unread)
        yield f"Not read yet: {unread}. next: `penwright book read {book}`"


def _cited(side: Cited) -> str:
    return f"{side.file or f'ch. {side.chapter}'}: {side.value}: “{side.quote}”"


def _show_changed(out: Printer, services: Services, book: Book, commit: str, *, note: bool) -> None:
    changed = changed_story(services, book, commit)
    notes, saved = 0, ""
    if note:
        notes, saved = asyncio.run(note_later(services, book, changed, who=services.person()))
    data = {
        "changed": [
            {
                "about": each.was.entity,
                "trait": each.was.trait,
                "was": _as_data(each.was),
                "now": each.now,
                "later": [_as_data(fact) for fact in each.later],
            }
            for each in changed.facts
        ],
        "unread_words": changed.unread,
        "notes": notes,
        "commit": saved,
    }
    out.result(data, list(_changed_lines(changed, book.words, commit, notes, saved)))


def _as_data(fact: KnownFact) -> dict[str, str | int]:
    return {"value": fact.value, "chapter": fact.place.chapter, "quote": fact.place.quote}


def _changed_lines(changed: ChangedStory, book: str, commit: str, notes: int, saved: str) -> Iterator[str]:
    later = sum(len(each.later) for each in changed.facts)
    yield (
        f"{counted(later, 'later passage')} rest on what {commit} changed:"
        if later
        else (f"No later passage that was read rests on what {commit} changed.")
    )
    for each in changed.facts:
        yield f"  {each.was.entity}, {each.was.trait}: was {each.was.value}, now {each.now or 'not stated'}"
        yield f"     ch. {each.was.place.chapter}: was “{each.was.place.quote}”"
        for fact in each.later:
            yield f"     ch. {fact.place.chapter}: {fact.value}: “{fact.place.quote}”"
    if saved:
        yield f"{counted(notes, 'note')} put in, commit {saved[:10]}."
        yield f"next: `penwright book rewrite {book}` answers the first one that is in the book"
    elif later:
        yield f"next: `penwright book continuity {book} --changed-by {commit} --note` puts a note behind each"
    if changed.unread:
        yield f"Not read yet: {changed.unread:,} words. next: `penwright book read {book}`"
