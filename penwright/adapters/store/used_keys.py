"""Which keys texts were encrypted under in this database: a forgotten one can be named."""

from threading import Lock

from sqlalchemy import text

from penwright.adapters.sealing import Keys
from penwright.adapters.store.database import Database
from penwright.ports.clock import Clock

_NOTE = text(
    "insert into encryption_keys (key_id, first_used) values (:key_id, :now) on conflict (key_id) do nothing"
)
_LIST = text("select key_id from encryption_keys order by first_used, key_id")


class UsedKeys:
    """Notes the key of a process once, before its first use."""

    def __init__(self, database: Database, clock: Clock, keys: Keys | None) -> None:
        self.keys = keys
        self._database = database
        self._clock = clock
        self._lock = Lock()
        self._noted = keys is None or not keys.encrypts

    def for_writing(self) -> Keys | None:
        """The keys, of which the first is noted in the database by then."""
        with self._lock:
            if not self._noted and self.keys is not None:
                with self._database.statement() as connection:
                    connection.execute(_NOTE, {"key_id": self.keys.first, "now": self._clock.now()})
                self._noted = True
        return self.keys

    def forgotten(self) -> tuple[str, ...]:
        """Ids of keys that were used here and are not set, oldest first."""
        with self._database.statement() as connection:
            used = connection.execute(_LIST).scalars().all()
        return tuple(each for each in used if self.keys is None or not self.keys.knows(each))
