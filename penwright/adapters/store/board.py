"""Registered books with what is known of each, in one query."""

import json
from collections.abc import Sequence

from sqlalchemy import delete, text

from penwright.adapters.store.database import Database
from penwright.adapters.store.tables import board_entries, books
from penwright.ports.portions import Portion
from schemas.base import BookId
from schemas.records import BoardEntry, BoardRow, BookRow

# A late repeat, of an attempt that outlived its timeout, is older than what is stored and changes nothing.
_ENTER = text(
    """
    insert into board_entries (book_id, about, state, at, since, detail)
    values (:book_id, :about, :state, :at, :at, cast(:detail as json))
    on conflict (book_id, about) do update set
        state = excluded.state, at = excluded.at, detail = excluded.detail,
        since = case board_entries.state
            when excluded.state then board_entries.since else excluded.since end
    where excluded.at >= board_entries.at
    """
)

_BOARD = text(
    """
    select books.*, known.entries,
           exists (
               select from books as other
               where other.kind = 'book' and other.book_id <> books.book_id
                 and other.path = books.path and other.queue = books.queue
           ) as shares_folder,
           coalesce(spent.cost_micros, 0) as cost_micros, coalesce(spent.unknown_prices, 0) as unknown_prices
    from books
    left join lateral (
        select json_agg(entry order by entry.about) as entries from board_entries as entry
        where entry.book_id = books.book_id
    ) as known on true
    left join spending as spent on spent.period = 'subject' and spent.name = books.book_id
    where books.kind = 'book' and (cast(:book_id as text) is null or books.book_id = :book_id)
      and (cast(:among as text[]) is null or books.book_id = any(cast(:among as text[])))
      and (cast(:after as text) is null or books.book_id > :after)
    order by books.book_id
    limit cast(:most as bigint)
    """
)


def enter(database: Database, entries: Sequence[BoardEntry]) -> None:
    """Store entries; see ``Records.enter``."""
    rows = [entry.model_dump(exclude={"since"}) | {"detail": json.dumps(entry.detail)} for entry in entries]
    if rows:
        with database.statement() as connection:
            connection.execute(_ENTER, rows)


def board(database: Database, book_id: BookId | None, portion: Portion | None = None) -> tuple[BoardRow, ...]:
    """Return books with their entries and cost; see ``Records.board``."""
    asked = {
        "book_id": book_id,
        "most": portion.limit if portion else None,
        "after": portion.after if portion else None,
        "among": None if portion is None or portion.among is None else list(portion.among),
    }
    with database.statement() as connection:
        rows = connection.execute(_BOARD, asked).mappings().all()
    return tuple(
        BoardRow(
            book=BookRow.model_validate(dict(row)),
            entries=tuple(BoardEntry.model_validate(entry) for entry in row["entries"] or ()),
            cost_micros=row["cost_micros"],
            unknown_prices=row["unknown_prices"],
            shares_folder=row["shares_folder"],
        )
        for row in rows
    )


def forget(database: Database, book_id: BookId) -> bool:
    """Remove a book and its entries; see ``Records.forget``."""
    with database.transaction() as connection:
        connection.execute(delete(board_entries).where(board_entries.c.book_id == book_id))
        return bool(connection.execute(delete(books).where(books.c.book_id == book_id)).rowcount)
