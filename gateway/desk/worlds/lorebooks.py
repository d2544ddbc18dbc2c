"""Entries of lorebooks, and where books are active."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from gateway.desk.services import Services
from gateway.desk.works import registered, works
from gateway.desk.works.kinds import Work
from gateway.desk.worlds.finding import found, found_entry
from gateway.desk.worlds.kinds import ARC, CAMPAIGN, CHARACTER, ENTRY, LOREBOOK, SCENE, WORLD, EntityKind
from gateway.desk.worlds.storing import EntityFields, Subject, wanted_of, whole, with_ids
from penwright.domain.lore.keys import read_key
from penwright.domain.text.escaping import printable
from penwright.domain.text.whole_numbers import whole_number
from penwright.errors import Refused, UsageMistake
from penwright.ports.scenes import Worlds
from schemas.lore import Attachment, Lorebook, LoreEntry

LEVELS: Final[dict[str, EntityKind[Any]]] = {
    kind.word: kind for kind in (WORLD, CAMPAIGN, ARC, SCENE, CHARACTER)
}
_ATTEMPTS = 5
"""To add or remove an entry while others change the book."""


@dataclass(frozen=True, slots=True)
class Place:
    """Level that a book is attached to, as a person names it."""

    level: str
    """A key of ``LEVELS``, ``book`` or ``novel`` (by registered id), or ``work``: either, also by folder."""
    name: str


@dataclass(frozen=True, slots=True)
class Attached:
    """A book, and the place at which it is active now or no more."""

    attachment: Attachment
    changed: bool
    """False: it was so already."""


def attach(services: Services, book: str, place: Place) -> Attached:
    """Make a book active in everything below ``place``; raises as ``found`` and ``_work``."""
    work = _work(services, place)
    if work is not None:
        works.enter(services, work)
    with services.open_store() as store:
        wanted = _attachment(store.worlds, book, place, work)
        known = wanted in store.worlds.attachments([(wanted.level, wanted.at)])
        store.worlds.attach(wanted)
    return Attached(wanted, changed=not known)


def detach(services: Services, book: str, place: Place) -> Attached:
    """Undo ``attach``; raises as ``found`` and ``_work``."""
    work = _work(services, place)
    with services.open_store() as store:
        wanted = _attachment(store.worlds, book, place, work)
        return Attached(wanted, changed=store.worlds.detach(wanted))


def add_entry(services: Services, book: str, wanted: EntityFields) -> tuple[Lorebook, LoreEntry]:
    """Add an entry at the end of a book; returns both as they are stored.

    Raises:
        UsageMistake: as ``check_entry`` and ``wanted_of``.
    """
    entry = wanted_of(ENTRY, LoreEntry(uid="new", content=""), wanted)[0]
    check_entry(entry)
    with services.open_store() as store:
        entry = with_ids(store.worlds, entry)
    stored = _with_entries(services, book, lambda known: (*known, _numbered(entry, known)))
    return stored, stored.entries[-1]


def check_entry(entry: LoreEntry, before: LoreEntry | None = None) -> None:
    """Refuse an entry that can never put anything into a prompt.

    Args:
        before: the entry as it was; what was wrong with its keys by then is let be.

    Raises:
        UsageMistake: ``no-content``, ``no-keys`` or ``bad-key``.
    """
    if not entry.content.strip():
        raise UsageMistake("no-content", "an entry needs a content", hint="give `--content TEXT`")
    if not entry.keys and not entry.constant:
        raise UsageMistake(
            "no-keys",
            "an entry without keys never fires",
            hint="give `--key WORD`, or `--constant` for one that always fires",
        )
    known = (*before.keys, *before.secondary) if before else ()
    for text in (*entry.keys, *entry.secondary):
        key = read_key(text, case_sensitive=False, whole_words=False)
        if text not in known and (key is None or key.fault):
            fault = key.fault if key else "is empty"
            hint = "a regular expression is written /pattern/i; all else is a plain word"
            raise UsageMistake("bad-key", f"the key {printable(text)!r} {fault}", hint=hint)


def remove_entry(services: Services, book: str, entry: str) -> tuple[Lorebook, LoreEntry]:
    """Remove an entry from a book; returns the book as it is now, and the entry as it was."""
    with services.open_store() as store:
        gone = found_entry(found(store.worlds, LOREBOOK, book), entry)
    stored = _with_entries(
        services, book, lambda known: tuple(each for each in known if each.uid != gone.uid)
    )
    return stored, gone


def entry_subject(services: Services, book: str, entry: str) -> Subject[LoreEntry]:
    """Return an entry to be edited; raises as ``found_entry``."""
    with services.open_store() as store:
        holder: Lorebook = found(store.worlds, LOREBOOK, book)
    thing = found_entry(holder, entry)

    def write(new: LoreEntry, version: int) -> tuple[LoreEntry, int]:
        check_entry(new, thing)
        with services.open_store() as store:
            now = whole(store.worlds, LOREBOOK, holder.id)
            if now.version != version:
                raise Refused("stale", f"the lorebook {holder.id!r} was changed meanwhile")
            found_entry(now, thing.uid)
            named = with_ids(store.worlds, new, thing)
            entries = tuple(named if each.uid == thing.uid else each for each in now.entries)
            stored = store.worlds.change(now.model_copy(update={"entries": entries}))
        return named, stored.version

    def reread() -> tuple[LoreEntry, int]:
        with services.open_store() as store:
            now = whole(store.worlds, LOREBOOK, holder.id)
        return found_entry(now, thing.uid), now.version

    title = f"entry {thing.uid} of {holder.id}"
    command = f"penwright lore edit {holder.id} {thing.uid}"
    return Subject(ENTRY, title, command, thing, holder.version, write, reread)


def book_and_entry(services: Services, book: str, entry: str) -> tuple[Lorebook, LoreEntry]:
    """Return a book with one of its entries; raises as ``found`` and ``found_entry``."""
    with services.open_store() as store:
        holder: Lorebook = found(store.worlds, LOREBOOK, book)
    return holder, found_entry(holder, entry)


def attachment_of(worlds: Worlds, place: Place, *, book: str = "") -> Attachment:
    """Return the attachment of a book, by id, to a place; raises as ``found``."""
    at = found(worlds, LEVELS[place.level], place.name)
    return Attachment.model_validate({"book": book, "level": place.level, "at": at.id})


def _work(services: Services, place: Place) -> Work | None:
    """Return the book or novel that a place means, if it is one; raises as ``works.find``."""
    match place.level:
        case "work":
            return works.find(services, place.name)
        case "book":
            return registered.book(services, place.name)
        case "novel":
            return registered.novel(services, place.name)
    return None


def _attachment(worlds: Worlds, book: str, place: Place, work: Work | None) -> Attachment:
    id = found(worlds, LOREBOOK, book).id
    if work is not None:
        return Attachment(book=id, level=work.kind, at=work.subject)
    return attachment_of(worlds, place, book=id)


def _numbered(entry: LoreEntry, known: tuple[LoreEntry, ...]) -> LoreEntry:
    numbers = (whole_number(each.uid) or 0 for each in known)
    return entry.model_copy(update={"uid": str(max(numbers, default=0) + 1)})


def _with_entries(
    services: Services, book: str, change: Callable[[tuple[LoreEntry, ...]], tuple[LoreEntry, ...]]
) -> Lorebook:
    """Store a change of a book's entries, made again on what others stored meanwhile."""
    with services.open_store() as store:
        id = found(store.worlds, LOREBOOK, book).id
        for attempt in range(_ATTEMPTS):
            now: Lorebook = whole(store.worlds, LOREBOOK, id)
            try:
                return store.worlds.change(now.model_copy(update={"entries": change(now.entries)}))
            except Refused as refusal:
                if refusal.code != "stale" or attempt == _ATTEMPTS - 1:
                    raise
    raise AssertionError("the last attempt returns or raises")
