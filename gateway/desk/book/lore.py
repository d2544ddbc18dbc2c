"""Lore of a book for its writer: in a session, or in the next one."""

from activities.work_lore import lorebooks_of
from gateway.desk.book.story import whole_book
from gateway.desk.lore_reasons import WorkReasons, newest_reasons, of_told
from gateway.desk.services import Services
from gateway.desk.works.books import Book
from penwright.domain.book.files.layout import FULL_BOOK
from penwright.domain.book.opening import next_payload
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.lore.telling import for_session
from penwright.errors import EngineUnavailable, NotFound, StoreUnavailable
from schemas.book import SessionPayload
from schemas.lore import Lorebook, LoreTold


def attached_ids(services: Services, book: Book) -> tuple[str, ...]:
    """Ids of the lorebooks that are attached to a book; none without the engine, which keeps them."""
    try:
        with services.open_store() as store:
            return tuple(each.book for each in store.worlds.attachments([("book", book.book_id)]))
    except (EngineUnavailable, StoreUnavailable):
        return ()


def attached(services: Services, book: Book) -> tuple[Lorebook, ...]:
    """The lorebooks that are attached to a book."""
    with services.open_store() as store:
        return lorebooks_of(store.worlds, "book", book.book_id)


def next_told(services: Services, book: Book) -> LoreTold | None:
    """Choose the lore for the next session as if it opened now; None if no lorebook is attached."""
    books = attached(services, book)
    return for_session(books, book.book_id, _next_payload(services, book)) if books else None


def next_reasons(services: Services, book: Book, entry: str = "") -> tuple[WorkReasons, ...]:
    """The verdicts of ``next_told``; none without a lorebook. ``entry`` as in ``reasons``."""
    told = next_told(services, book)
    if told is None:
        return ()
    with services.open_store() as store:
        return (of_told(store, told, "the next session", "", entry),)


def reasons(services: Services, book: Book, session: str = "", entry: str = "") -> tuple[WorkReasons, ...]:
    """The verdicts that a session recorded, for each outline that it had.

    Args:
        session: empty: the newest one that was told any lore.
        entry: only entries whose id or title has this in it, compared without case.

    Raises:
        NotFound: ``no-lore-told``.
    """
    with services.open_store() as store:
        found = newest_reasons(store, book.book_id, BOOK_PROFILE.name, entry, session=session)
    if not found:
        raise _untold(book, session)
    return found


def _untold(book: Book, session: str) -> NotFound:
    name = book.words
    which, verb = (f"the session {session!r}", "has no record") if session else ("no session", "has a record")
    return NotFound(
        "no-lore-told",
        f"{which} of {book.title!r} {verb} of lore",
        hint=f"`penwright book why {name} --next` shows what the next session is told",
    )


def _next_payload(services: Services, book: Book) -> SessionPayload:
    view = whole_book(services, book)
    return next_payload(view, view.text(FULL_BOOK))
