"""Message groups in PostgreSQL, in the table ``message_segments``."""

from collections.abc import Collection

from sqlalchemy import text

from penwright.adapters.message_chains import MessageGroup
from penwright.adapters.sealing import seal, unseal
from penwright.adapters.store.database import Database
from penwright.adapters.store.used_keys import UsedKeys
from penwright.ports.clock import Clock

# A stored group of the same head may be divided differently or be damaged; the new one replaces it.
_KEEP = text(
    """
    insert into message_segments (head, previous, count, lines, created_at)
    select :head, :previous, :count, :lines, :now
    where :previous = '' or exists (select from message_segments where head = :previous)
    on conflict (head) do update set
        previous = excluded.previous, count = excluded.count, lines = excluded.lines
    """
)

# ``depth`` ends the recursion even if a damaged row names itself as its predecessor.
_TRAIL = """
    with recursive trail (head, previous, depth) as (
        select head, previous, 1 from message_segments where head = %(head)s
        union all
        select before.head, before.previous, trail.depth + 1
        from trail join message_segments as before on before.head = trail.previous
        where trail.depth < %(most)s and trail.previous <> all(%(known)s)
    )
    select segment.head, segment.previous, segment.lines
    from trail join message_segments as segment on segment.head = trail.head
    order by trail.depth desc
    """

_COUNT = text(
    """
    with recursive trail (previous, count, depth) as (
        select previous, count, 1 from message_segments where head = :head
        union all
        select before.previous, before.count, trail.depth + 1
        from trail join message_segments as before on before.head = trail.previous
        where trail.depth < :most
    )
    select coalesce(sum(count) filter (where complete), 0) as messages
    from trail, (select bool_or(previous = '') as complete from trail) as walked
    """
)


class PostgresMessageGroups:
    """Implements ``MessageGroups``."""

    def __init__(self, database: Database, clock: Clock, keys: UsedKeys) -> None:
        self._database = database
        self._clock = clock
        self._keys = keys

    def keep(self, group: MessageGroup) -> bool:
        lines = "\n".join(group.lines).encode("utf-8", "surrogatepass")
        row = {
            "head": group.head,
            "previous": group.previous,
            "count": len(group.lines),
            "lines": seal(self._keys.for_writing(), lines, group.head),
            "now": self._clock.now(),
        }
        with self._database.statement() as connection:
            return bool(connection.execute(_KEEP, row).rowcount)

    def trail(self, head: str, *, most: int, known: Collection[str]) -> tuple[MessageGroup, ...]:
        # Not through SQLAlchemy, which would transfer bytes as text; see ``blobs``.
        with self._database.statement() as connection:
            cursor = connection.connection.cursor(binary=True)
            cursor.execute(_TRAIL, {"head": head, "most": most, "known": list(known)})
            rows = cursor.fetchall()
        return tuple(MessageGroup(row[0], row[1], self._lines(row[0], row[2])) for row in rows)

    def count(self, head: str, *, most: int) -> int:
        with self._database.statement() as connection:
            return int(connection.execute(_COUNT, {"head": head, "most": most}).scalar_one())

    def _lines(self, head: str, kept: bytes) -> tuple[str, ...]:
        text_ = unseal(self._keys.keys, kept, head).decode("utf-8", "surrogatepass")
        return tuple(text_.split("\n")) if text_ else ()
