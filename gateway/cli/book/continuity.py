"""``penwright book continuity``: where a book contradicts itself, and its author's decisions on that."""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

from gateway.cli.arguments import BookArgument
from gateway.cli.book.story import AtOption, found_story
from gateway.cli.context import services_of
from gateway.cli.output import EXIT_FAILED, JsonFlag, Printer
from gateway.desk.book.continuity import (
    CheckedStory,
    KeptVerdicts,
    Verdicts,
    checked_story,
    continuity_value,
    decide,
)
from gateway.desk.book.story import ChangedStory, note_later
from gateway.desk.book.story import changed_by as changed_story
from gateway.desk.services import Services
from gateway.desk.works import books
from gateway.desk.works.books import Book
from penwright.domain.book.files.layout import REVIEW
from penwright.domain.continuity.known import KnownFact
from penwright.domain.continuity.story import BookStory
from penwright.domain.prose.rule_texts import of_rule
from penwright.domain.text.counted import counted
from penwright.errors import UsageMistake
from schemas.continuity import Cited, ContinuityFinding


def _numbers(option: str, said: str) -> Any:  # Any: as typer has it
    return typer.Option(option, metavar="N", help=f"{said} Repeatable.")


Numbers = list[int] | None


def continuity(
    ctx: typer.Context,
    book: BookArgument = ".",
    fix: Annotated[Numbers, _numbers("--fix", "Leave a note at its passage, for the next session.")] = None,
    instruction: Annotated[
        str | None, typer.Option("--instruction", "-i", metavar="TEXT", help="With --fix: what to do there.")
    ] = None,
    earlier: Annotated[
        bool, typer.Option("--earlier", help="With --fix: the note stands at the first of the two quotes.")
    ] = False,
    not_fix: Annotated[Numbers, _numbers("--not-fix", "Take its note out again.")] = None,
    intended: Annotated[Numbers, _numbers("--intended", "You mean this one so.")] = None,
    not_intended: Annotated[Numbers, _numbers("--not-intended", "It counts again.")] = None,
    later: Annotated[Numbers, _numbers("--later", "Silent until the next session.")] = None,
    not_later: Annotated[Numbers, _numbers("--not-later", "It counts at once again.")] = None,
    correct: Annotated[
        tuple[int, str] | None,
        typer.Option("--correct", metavar="FACT VALUE", help="Its right value; FACT as `book facts` has it."),
    ] = None,
    not_correct: Annotated[Numbers, _numbers("--not-correct", "The clerk's value counts again.")] = None,
    reject: Annotated[Numbers, _numbers("--reject", "The fact is wrong, and does not count.")] = None,
    not_reject: Annotated[Numbers, _numbers("--not-reject", "It counts again.")] = None,
    as_of: AtOption = None,
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
      penwright book continuity ~/books/tide --fix 1 -i "make them grey"
      penwright book continuity ~/books/tide --intended 2 --later 3
      penwright book continuity ~/books/tide --correct 14 grey --reject 15
      penwright book continuity ~/books/tide --changed-by HEAD --note

    Rules compare what the clerk has read, by its quotes: one value for what has one (eyes, birthday, names),
    ages, kin, the dead who act, lost things in use, Characters.md and Lore.md, threads that wait long. What
    is only said, dreamt or remembered contradicts nothing. One that you mean so is silent while both quotes
    stand, one for later until then or the next session. Decisions are kept in Continuity/decisions.yaml, as
    a commit of yours; the writer is told your corrections first.
    """
    services, out = services_of(ctx), Printer(json)
    if note and not changed_by:
        raise UsageMistake("note-of-what", "--note goes with --changed-by; nothing was changed")
    if changed_by:
        _show_changed(out, services, books.find(services, book), changed_by, note=note)
        return
    if instruction is not None and not instruction.strip():
        raise UsageMistake(
            "empty-instruction", "-i is empty", hint="leave it out, and the note names both values"
        )
    verdicts = Verdicts(
        fix=tuple(fix or ()),
        note=instruction or "",
        earlier=earlier,
        not_fix=tuple(not_fix or ()),
        intended=tuple(intended or ()),
        not_intended=tuple(not_intended or ()),
        later=tuple(later or ()),
        not_later=tuple(not_later or ()),
        correct=dict([correct]) if correct else {},
        not_correct=tuple(not_correct or ()),
        reject=tuple(reject or ()),
        not_reject=tuple(not_reject or ()),
    )
    _refuse_mixed(verdicts, as_of)
    found, _ = found_story(services, out, book, as_of)
    checked, kept = checked_story(services, found, as_of), KeptVerdicts("")
    if verdicts.any:
        kept = asyncio.run(decide(services, found, checked, verdicts, who=services.person()))
        checked = checked_story(services, found)
    for path in kept.noted:
        out.note(_noted(path, found.words))
    data = {**continuity_value(checked), "kept": kept.commit, "noted": list(kept.noted)}
    out.result(data, list(_lines(checked, found.words)))
    if strict and any(each.hard for each in checked.found.left):
        raise typer.Exit(EXIT_FAILED)


def _refuse_mixed(verdicts: Verdicts, as_of: str | None) -> None:
    if (verdicts.note or verdicts.earlier) and not verdicts.fix:
        raise UsageMistake("nothing-to-fix", "-i and --earlier go with --fix", hint="add `--fix N`")
    if verdicts.any and as_of:
        raise UsageMistake(
            "decided-as-of", "decisions are made on the book as it is now", hint="leave --as-of out"
        )


def _noted(path: str, book: str) -> str:
    if path == REVIEW:
        return f"Noted in {path}: the next session answers it."
    return f"Noted in {path}, of which no session answers notes: `penwright book rewrite {book}` answers it."


def _lines(checked: CheckedStory, book: str) -> Iterator[str]:
    found, notes = checked.found, checked.notes
    hard = sum(each.hard for each in found.left)
    soft = f", and {len(found.left) - hard} to look at" if len(found.left) > hard else ""
    yield f"{counted(hard, 'contradiction')} in what was read{soft}"
    yield from _listed(found.left, 1, notes)
    if found.intended:
        yield "You mean these so; they do not count:"
        yield from _listed(found.intended, len(found.left) + 1)
    if found.later:
        yield "For later; silent until the next session:"
        yield from _listed(found.later, len(found.left) + len(found.intended) + 1)
    if any(checked.counts.values()):
        told = ", ".join(f"{count} {kind}" for kind, count in checked.counts.items() if count)
        yield f"Decided so far: {told}."
    yield from _unread(checked.story, book)


def _unread(story: BookStory, book: str) -> Iterator[str]:
    if story.words_unread:
        unread = story.view.length(story.words_unread)
        yield f"Not read yet: {unread}. next: `penwright book read {book}`"


def _listed(
    found: Sequence[ContinuityFinding], first: int, notes: dict[int, str] | None = None
) -> Iterator[str]:
    for number, each in enumerate(found, first):
        kind = "hard" if each.hard else "soft"
        yield f"{number:>3}  {kind}  {each.rule}: {of_rule(each.rule)}: {each.about}, {each.trait}"
        yield f"     {_cited(each.earlier)}"
        yield f"     {_cited(each.later)}"
        if note := (notes or {}).get(number):
            yield f"     your note: {note}"


def _cited(side: Cited) -> str:
    fact = f" (fact {side.fact})" if side.fact else ""
    return f"{side.file or f'ch. {side.chapter}'}: {side.value}: “{side.quote}”{fact}"


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
        f"{counted(later, 'later passage')} {'rests' if later == 1 else 'rest'} on what {commit} changed:"
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
