"""Warnings of a session, and which of them need a person."""

import re
from collections.abc import Iterable, Sequence

from penwright.domain.book.editing import restore_command
from penwright.domain.book.files.layout import CONFIG, REVIEW, chapter_path, is_proposed
from penwright.domain.book.pace import Pace
from penwright.domain.text.conflict_notes import conflict_warning
from penwright.domain.text.counted import counted
from penwright.domain.text.merging.saving import emptied_warning
from penwright.domain.text.placeholders import with_names
from schemas.workspace import LOST_SESSION, Synced

REMOTE_SILENT = "the remote did not answer"
LOCK_UNCLAIMED = "the remote did not take this session's lock"
LEFT_ALONE = "left alone, not part of the book"
FIRST_INTENT = "this book had no intents"
TWO_PLACES = "this book also lies in"
A_COPY = "this folder is a copy of the book"
EMPTIED = "emptied since the last session"
CONFIG_KEPT = "Global Material/Config.yml was deleted"

_CONFLICT = "INK:CONFLICT"
_HOLDS = re.compile(rf"{re.escape(REVIEW)} line (\d+): .*The prose from there on waits", re.DOTALL)
_WORDS = re.compile(r": ([\d,]+) (word|character)s? now\.$")
TO_SEAL = (
    "the book is long enough, and its last prose has had its round of review: `complete` seals it; to have "
    "it written on, put an INK note into Review/current.md"
)
NO_ROOM = "the writer's prompt had no room for"
OUTLINE_PROPOSED = "the planner proposes an outline"
OVERLONG = "the book has over 110 % of its target_length"
_LEFT_ALONE = 10
"""Number of files outside the book that are named."""
_BECAUSE = {
    "too-large": "larger than 20 MB",
    "not-text": "not text: it holds a NUL byte",
    "capitals": "its ending is in capitals; write it in small letters",
    "link": "a link; put the file itself there",
}
_FOR_INFORMATION = (
    REMOTE_SILENT,
    LOCK_UNCLAIMED,
    LEFT_ALONE,
    FIRST_INTENT,
    CONFIG_KEPT,
    EMPTIED,
    TWO_PLACES,
    A_COPY,
    NO_ROOM,
    OUTLINE_PROPOSED,
)


def needs_person(warning: str) -> bool:
    """Whether a person must act; a push that waits and a missing file are told in other ways."""
    return not warning.startswith(_FOR_INFORMATION)


def without_review_lines(warnings: Iterable[str]) -> tuple[str, ...]:
    """Leave out what is said of lines of the review file: a close moves them, and names them anew."""
    return tuple(warning for warning in warnings if not warning.startswith(f"{REVIEW} line "))


def by_cause(warnings: Iterable[str], folder: str) -> tuple[str, ...]:
    """Say once what has one cause: several faulty notes, and a conflict that is met and stands in the review.

    ``folder``: of the book.
    """
    given = tuple(warnings)
    notes = {said: found[1] for said in given if (found := _HOLDS.match(said)) and _CONFLICT not in said}
    stands = any(said.startswith(f"{REVIEW} line ") and _CONFLICT in said for said in given)
    met = conflict_warning(REVIEW) if stands else ""
    together = (
        f"{len(notes)} notes in {REVIEW} hold back {_held_by(notes)} (lines {', '.join(notes.values())}); "
        f"correct them in {folder}/{REVIEW}"
    )
    shown = (together if said in notes and len(notes) > 1 else said for said in given if said != met)
    return tuple(dict.fromkeys(shown))


def _held_by(notes: Iterable[str]) -> str:
    """The words that some notes hold back: the first of them holds those of the others."""
    words = [(int(found[1].replace(",", "")), found[2]) for note in notes if (found := _WORDS.search(note))]
    return counted(*max(words)) if words else "the prose"


def sync_warnings(synced: Synced, book: str = "") -> tuple[str, ...]:
    """Warnings for the author about the sync; nothing here stops a session.

    ``book``: its id, if known.
    """
    warnings = [
        f"your edit of {path} is not saved: it is not UTF-8; save the file as UTF-8"
        f"{'' if synced.ignored_because.get(path) == 'new-not-utf8' else ', or its old text stays'}"
        for path in synced.not_utf8
    ]
    ignored = [path for path in synced.ignored if path not in synced.not_utf8]
    warnings += [f"{LEFT_ALONE}: {path}{_why(synced, path)}" for path in ignored[:_LEFT_ALONE]]
    if len(ignored) > _LEFT_ALONE:
        more = len(ignored) - _LEFT_ALONE
        warnings.append(f"{LEFT_ALONE}: {more} more files")
    warnings += [config_kept(book) for path in synced.kept if path == CONFIG]
    warnings += [
        f"{EMPTIED}: {emptied_warning(path, words, restore_command(path, book))}"
        for path, words in synced.emptied.items()
        if not is_proposed(path)
    ]
    warnings += dict.fromkeys(conflict_warning(conflict.path) for conflict in synced.conflicts)
    if synced.reason.startswith(LOST_SESSION):
        warnings.append(with_names(synced.reason.partition(": ")[2], {"BOOK": book}))
    elif synced.remote == "unreachable":
        reason = f"{REMOTE_SILENT} ({synced.reason}); the push waits"
        warnings.append(f"{reason}, and another machine could open the book meanwhile")
    return tuple(warnings)


def _why(synced: Synced, path: str) -> str:
    why = _BECAUSE.get(synced.ignored_because.get(path, ""), "")
    return f" ({why})" if why else ""


def config_kept(book: str = "") -> str:
    """Say that the file was deleted or emptied, and how to get it back; ``book``: its id, if known."""
    command = f"penwright book restore {book}".rstrip()
    return f"{CONFIG_KEPT} or emptied; the last committed one is in force, `{command}` brings it back"


def no_room(texts: Sequence[str]) -> tuple[str, ...]:
    """Say which of the author's texts the writer was not shown, or not all of."""
    if not texts:
        return ()
    named = ", ".join(map(repr, texts))
    settings = f"`context_window_tokens` in {CONFIG!r} or `context_tokens` of the model"
    return (f"{NO_ROOM} all of {named}: shorten them, or raise {settings}, whichever is smaller",)


def overlong(book: str, pace: Pace) -> str:
    """Say that the book ``book``, an id, is too long, and what its author can do."""
    begun, planned = pace.chapter, pace.config.chapter_count
    where = f"it is in chapter {begun} of {planned}" if begun < planned else "it is not at its end"
    return (
        f"{OVERLONG}, and {where}: `penwright book complete {book} --early` seals it; to have "
        f"it written on, raise target_length or set `at_target: go-on` in {CONFIG!r}"
    )


def outline_missing(book: str, chapter: int, *, proposed: bool = False) -> str:
    """Say that a full chapter cannot be left; ``book``: an id."""
    path = repr(chapter_path(chapter + 1))
    way = (
        f"accept the one that the planner proposes (`penwright book plan {book}`)"
        if proposed
        else f"write {path}, or have it planned (`planning` in {CONFIG!r})"
    )
    return (
        f"chapter {chapter} is full, and the next one has no outline: {way}; until then sessions go on in it"
    )


def outline_proposed(book: str, of: str) -> str:
    """Say that an outline waits for its author; ``book``: an id; ``of``: as in ``layout.outlined``."""
    return f"{OUTLINE_PROPOSED} of {of}: `penwright book plan {book}` shows it"


def not_planned(chapter: int, why: str) -> str:
    """Say that the planner made no outline of a chapter that has none."""
    return f"the planner made no outline of chapter {chapter}: {why}; the next session asks it again"


def two_places(other: str) -> str:
    """Say that the book lies in another folder, too."""
    return (
        f"{TWO_PLACES} {other!r} (one remote): while a session is open in one, the other is refused; each "
        "session fetches what the other pushed"
    )


def unclaimed(reason: str) -> str:
    """Say that the remote did not take the lock."""
    return f"{LOCK_UNCLAIMED} ({reason}); another machine could open the book meanwhile"
