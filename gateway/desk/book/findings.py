"""Findings of the rules of prose in the prose of a book that waits for its author, and those it means so."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock

from cachetools import LRUCache, cached

from gateway.desk.book import editing
from gateway.desk.book.editing import NewText
from gateway.desk.book.folder_edits import edited_in_folder
from gateway.desk.book.overview import read_view
from gateway.desk.services import Services
from gateway.desk.works.books import Book
from penwright.domain.book.craft import draft_of
from penwright.domain.book.files.changelog import FOUND, listed, newest_entry
from penwright.domain.book.files.decisions import read_decisions, with_decisions
from penwright.domain.book.files.layout import (
    CHANGELOG_FOLDER,
    CHARACTERS,
    CONFIG,
    CRAFT,
    DECISIONS,
    FULL_BOOK,
    REVIEW,
)
from penwright.domain.prose.findings import every_finding
from penwright.domain.prose.indexing import index_of
from penwright.domain.prose.intended import decision_on, parted
from penwright.domain.prose.rule_texts import is_of_a_session
from penwright.errors import NotFound, Refused
from schemas.continuity import Decisions
from schemas.prose import BookIndex, BookRule, Finding, Intended

_MOST_BOOKS = 4
_READ = (REVIEW, FULL_BOOK, CHARACTERS, CRAFT, CONFIG, DECISIONS)
"""The files by which prose is checked."""


@dataclass(frozen=True, slots=True)
class CheckedProse:
    """The findings in a book's waiting prose."""

    prose: str = ""
    """The text that was checked; findings have their places in it."""
    checked: bool = True
    """Whether the book has its prose checked."""
    found: tuple[Finding, ...] = ()
    """Those that are left."""
    intended: tuple[Finding, ...] = ()
    """Those that the author means so."""
    of_the_session: tuple[str, ...] = ()
    """In words, what the last session was asked and its prose is not: rules that only a session knows."""
    unread: tuple[str, ...] = ()
    """Files that were edited in the folder since the last commit, by which prose was checked."""
    trouble: str = ""
    """The fault by which the author's decisions cannot be read; empty if they can."""
    entry: str = ""
    """The Changelog entry of the last session."""
    off: tuple[BookRule, ...] = ()
    """Rules that the book's settings switch off."""


def checked_prose(services: Services, book: Book) -> CheckedProse:
    """Check the waiting prose at the tip, beside the book there."""
    view, entry = read_view(services, book), _last_entry(services, book)
    unread = edited_in_folder(services, book.workspace, _READ)
    prose, language = view.waiting.text, view.config.language
    if view.config.craft == "off":
        return CheckedProse(checked=False, unread=unread, entry=entry)
    if not prose.strip():
        return CheckedProse(
            unread=unread, trouble=view.decisions_fault, entry=entry, off=view.config.craft_off
        )
    draft = draft_of(prose, view.config, characters=view.text(CHARACTERS), craft=view.text(CRAFT))
    every = every_finding(draft, _index(services, book, view.blobs.get(FULL_BOOK, ""), language))
    left, intended = parted(every, view.intended)
    session = tuple(filter(is_of_a_session, listed(entry, FOUND)))
    return CheckedProse(
        prose,
        found=left,
        intended=intended,
        of_the_session=session,
        unread=unread,
        trouble=view.decisions_fault,
        entry=entry,
        off=view.config.craft_off,
    )


def _last_entry(services: Services, book: Book) -> str:
    """Empty before the first session."""
    workspaces = services.workspaces()
    names = workspaces.snapshot(book.workspace, (), names=(f"{CHANGELOG_FOLDER}/*.md",)).names
    newest = newest_entry(names)
    return workspaces.text(book.workspace, names[newest]) or "" if newest else ""


@cached(LRUCache(_MOST_BOOKS), key=lambda services, book, blob, language: (blob, language), lock=Lock())
def _index(services: Services, book: Book, blob: str, language: str) -> BookIndex:
    """The index of the book's text, which stays the same while its passages are decided one by one."""
    return index_of([services.workspaces().text(book.workspace, blob) or ""], language)


async def decide(
    services: Services,
    book: Book,
    *,
    intended: Sequence[Intended] = (),
    not_intended: Collection[Intended] = (),
    who: str,
) -> str:
    """Keep that findings are intended, or that others no longer are; returns the commit of ``who``.

    Raises:
        NotFound: ``no-such-finding``: it is not found in the waiting prose, or is not intended.
        BrokenBook: what ``read_decisions`` names.
        Refused: ``book-busy``; ``edited-meanwhile``: the file of decisions was changed meanwhile.
    """
    there = tuple(map(decision_on, checked_prose(services, book).found)) if intended else ()
    shown = editing.shown_text(services, book, DECISIONS)
    known = read_decisions(shown.text).intended
    _refuse_unknown(not_intended, known, "is not among those that you mean so")
    _refuse_unknown(intended, (*there, *known) if intended else (), "is not found")
    more, gone = Decisions(intended=tuple(intended)), Decisions(intended=tuple(not_intended))
    return await keep(services, book, more, gone, {}, who=who)


async def keep(
    services: Services,
    book: Book,
    more: Decisions,
    gone: Decisions,
    texts: Mapping[str, NewText],
    *,
    who: str,
) -> str:
    """Keep decisions and take others back, with new ``texts`` in the same commit of ``who``; returns that.

    Raises:
        BrokenBook, Refused: as ``decide``.
    """
    shown = editing.shown_text(services, book, DECISIONS)
    text = with_decisions(shown.text, more, gone)
    saved = await editing.save_texts(
        services, book, {**texts, DECISIONS: NewText(text, shown.revision)}, who=who
    )
    if saved.commit is None and saved.outcome != "unchanged":
        raise Refused(saved.code, saved.message)
    return saved.commit or ""


def _refuse_unknown(decisions: Collection[Intended], there: Collection[Intended], why: str) -> None:
    missing = next((each for each in decisions if each not in there), None)
    if missing is not None:
        raise NotFound(
            "no-such-finding",
            f"{missing.rule} “{missing.quote}” {why}; nothing was changed",
            hint="`penwright book findings BOOK` lists what is found now, and what you mean so",
        )
