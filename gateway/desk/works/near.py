"""Registered books and novels that were probably meant by a name that none has."""

from collections.abc import Iterable

from gateway.desk.services import CommandStore
from penwright.domain.text.nearest import guess, nearest_of
from schemas.records import BookRow, WorkspaceKind


def near_work(store: CommandStore, kind: WorkspaceKind, named: str) -> str:
    """The nearest one as the end of a message; only for commands of this machine's user, who sees all."""
    return near_of(store.records.books(kind), named)


def near_of(rows: Iterable[BookRow], named: str) -> str:
    """As ``near_work``, of these."""
    return guess(nearest_of(named, {row.book_id: (row.book_id, row.title) for row in rows}))
