"""Cursors of events: readers give them, after the commit, so that no writer waits for another."""

from sqlalchemy import Connection, text

from penwright.adapters.store.database import Database

_MOST = 5_000
"""Events that one transaction numbers."""

_WAITING = text("select exists (select from events where cursor is null)")

# Readers take turns; a cursor is visible only together with all smaller ones.
_TURN = text("select newest from event_numbers for update")

_NUMBER = text(
    """
    with waiting as (
        select arrival, row_number() over (order by arrival) as place
        from (select arrival from events where cursor is null order by arrival limit :most) as oldest
    ), numbered as (
        update events set cursor = :newest + waiting.place
        from waiting where events.arrival = waiting.arrival
        returning 1
    ), counted as (
        select count(*) as numbered from numbered
    )
    update event_numbers set newest = newest + counted.numbered from counted
    returning counted.numbered
    """
)

_NEWEST = text("select newest from event_numbers")


def number_events(database: Database) -> None:
    """Give every committed event its cursor; call it before events are read.

    An event of a transaction that is open now gets a greater cursor, once it is committed, than every event
    that has been read. Of two events that one transaction after the other stored, the first gets the smaller.
    """
    with database.statement() as connection:
        waiting = connection.execute(_WAITING).scalar_one()
    while waiting:
        with database.transaction() as connection:
            waiting = _number(connection) == _MOST


def newest_cursor(database: Database) -> int:
    """Return the greatest cursor ever given, whether or not its event is still stored; 0 before the first."""
    number_events(database)
    with database.statement() as connection:
        return int(connection.execute(_NEWEST).scalar_one())


def _number(connection: Connection) -> int:
    newest = connection.execute(_TURN).scalar_one()
    # A statement of its own: it sees what the reader before it has numbered.
    return int(connection.execute(_NUMBER, {"newest": newest, "most": _MOST}).scalar_one())
