"""Record which notifications were sent."""

from datetime import timedelta

from sqlalchemy import text

from penwright.adapters.store.database import Database
from penwright.errors import PassingError
from penwright.ports.clock import Clock

HELD_FOR = timedelta(seconds=60)
"""Time that an attempt has to send; after it, another attempt may."""

# While a claim is recent, or the notification is sent, nothing is updated or returned.
_CLAIM = text(
    """
    with claimed as (
        insert into notices (key, claimed_at) values (:key, :now)
        on conflict (key) do update set claimed_at = excluded.claimed_at
        where notices.done_at is null and notices.claimed_at <= :dead
        returning 1
    )
    select exists (select from claimed),
           exists (select from notices where key = :key and done_at is not null)
    """
)
_DONE = text(
    """
    insert into notices (key, claimed_at, done_at) values (:key, :now, :now)
    on conflict (key) do update set done_at = coalesce(notices.done_at, excluded.done_at)
    """
)
_RELEASE = text("delete from notices where key = :key and done_at is null")


class PostgresNotices:
    """One row per notification; implements ``Notices``."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def claim(self, key: str) -> bool:
        now = self._clock.now()
        with self._database.statement() as connection:
            asked = connection.execute(_CLAIM, {"key": key, "now": now, "dead": now - HELD_FOR})
            claimed, done = asked.one()
        if claimed or done:
            return bool(claimed)
        raise notice_held(key)

    def done(self, key: str) -> None:
        with self._database.statement() as connection:
            connection.execute(_DONE, {"key": key, "now": self._clock.now()})

    def release(self, key: str) -> None:
        with self._database.statement() as connection:
            connection.execute(_RELEASE, {"key": key})


def notice_held(key: str) -> PassingError:
    return PassingError(
        "notice-held",
        f"Another attempt is sending the notification {key!r}. Try again in {HELD_FOR.seconds} seconds.",
        key=key,
    )
