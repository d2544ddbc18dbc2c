"""Entries of lorebooks."""

from collections import Counter
from collections.abc import Mapping
from threading import Lock
from typing import Any

from cachetools import LRUCache
from sqlalchemy import Connection, delete, insert, select

from penwright.adapters.store.scenes.setting.kinds import json_of, thing_of
from penwright.adapters.store.scenes.tables.setting import lore_entries
from penwright.errors import UsageMistake
from schemas.lore import Lorebook, LoreEntry


class BookEntries:
    """Reads and writes the entries of books, and keeps those of the books that prompts read.

    Args:
        kept: entries that are kept at most, of all books together.
    """

    def __init__(self, *, kept: int = 20_000) -> None:
        self._kept: LRUCache[tuple[int, int], Lorebook] = LRUCache(kept, lambda book: len(book.entries) + 1)
        self._lock = Lock()

    def whole(self, connection: Connection, book: Lorebook) -> Lorebook:
        """Return the book with its entries."""
        return book.model_copy(update={"entries": _read(connection, book.id)})

    # Any: column values of several types.
    def current(self, connection: Connection, row: Mapping[Any, Any]) -> Lorebook:
        """Return the book of a row with its entries, which are read once for each version of it."""
        key = (row["number"], row["version"])
        with self._lock:
            found = self._kept.get(key)
        if found is None:
            found = self.whole(connection, thing_of(Lorebook, row))
            if len(found.entries) < self._kept.maxsize:
                with self._lock:
                    self._kept[key] = found
        return found

    def put(self, connection: Connection, book: Lorebook) -> None:
        """Store the entries, and delete those that the book no longer has.

        Raises:
            UsageMistake: ``entry-twice``.
        """
        check_entries(book)
        wanted = {entry.uid: _row(book.id, place, entry) for place, entry in enumerate(book.entries)}
        columns = lore_entries.c
        stored = connection.execute(select(lore_entries).where(columns.book == book.id)).mappings()
        before = {row["uid"]: dict(row) for row in stored}
        gone = [uid for uid in before if before[uid] != wanted.get(uid)]
        if gone:
            connection.execute(delete(lore_entries).where(columns.book == book.id, columns.uid.in_(gone)))
        new = [row for uid, row in wanted.items() if row != before.get(uid)]
        if new:
            connection.execute(insert(lore_entries), new)


def check_entries(book: Lorebook) -> None:
    """Raise ``UsageMistake`` if two entries have one uid."""
    twice = [uid for uid, times in Counter(entry.uid for entry in book.entries).items() if times > 1]
    if twice:
        raise UsageMistake(
            "entry-twice",
            f"Two entries of the lorebook {book.name!r} have the uid {twice[0]!r}. Give each its own.",
        )


def _read(connection: Connection, book: str) -> tuple[LoreEntry, ...]:
    rows = select(lore_entries.c.body).where(lore_entries.c.book == book).order_by(lore_entries.c.position)
    return tuple(LoreEntry.model_validate(body) for body in connection.execute(rows).scalars())


# Any: JSON.
def _row(book: str, place: int, entry: LoreEntry) -> dict[str, Any]:
    return {
        "book": book,
        "uid": entry.uid,
        "position": place,
        "enabled": entry.enabled,
        "constant": entry.constant,
        "body": json_of(entry),
    }
