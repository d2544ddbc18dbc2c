"""Registered books with what is known of each, in one query."""

import json
from collections.abc import Sequence

from sqlalchemy import delete, text

from penwright.adapters.store.database import Database
from penwright.adapters.store.tables import book_facts, books
from schemas.base import BookId
from schemas.records import BoardRow, BookFact, BookRow

# A late repeat, of an attempt that outlived its timeout, is older than what is stored and changes nothing.
_LEARN = text(
    """
    insert into book_facts (book_id, about, state, at, since, detail)
    values (:book_id, :about, :state, :at, :at, cast(:detail as json))
    on conflict (book_id, about) do update set
        state = excluded.state, at = excluded.at, detail = excluded.detail,
        since = case when book_facts.state = excluded.state then book_facts.since else excluded.since end
    where excluded.at >= book_facts.at
    """
)

_BOARD = text(
    """
    select books.*, known.facts,
           coalesce(spent.cost_micros, 0) as cost_micros, coalesce(spent.unknown_prices, 0) as unknown_prices
    from books
    left join lateral (
        select json_agg(fact order by fact.about) as facts from book_facts as fact
        where fact.book_id = books.book_id
    ) as known on true
    left join spending as spent on spent.period = 'subject' and spent.name = books.book_id
    where cast(:book_id as text) is null or books.book_id = :book_id
    order by books.book_id
    """
)


def learn(database: Database, facts: Sequence[BookFact]) -> None:
    """Store facts; see ``Records.learn``."""
    rows = [fact.model_dump(exclude={"since"}) | {"detail": json.dumps(fact.detail)} for fact in facts]
    if rows:
        with database.statement() as connection:
            connection.execute(_LEARN, rows)


def board(database: Database, book_id: BookId | None) -> tuple[BoardRow, ...]:
    """Return books with their facts and cost; see ``Records.board``."""
    with database.statement() as connection:
        rows = connection.execute(_BOARD, {"book_id": book_id}).mappings().all()
    return tuple(
        BoardRow(
            book=BookRow.model_validate(dict(row)),
            facts=tuple(BookFact.model_validate(fact) for fact in row["facts"] or ()),
            cost_micros=row["cost_micros"],
            unknown_prices=row["unknown_prices"],
        )
        for row in rows
    )


def forget(database: Database, book_id: BookId) -> bool:
    """Remove a book and its facts; see ``Records.forget``."""
    with database.transaction() as connection:
        connection.execute(delete(book_facts).where(book_facts.c.book_id == book_id))
        return bool(connection.execute(delete(books).where(books.c.book_id == book_id)).rowcount)
