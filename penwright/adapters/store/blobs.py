"""Long texts by content hash."""

from hashlib import sha256

from sqlalchemy import text

from penwright.adapters.sealing import Keys, seal, unseal
from penwright.adapters.store.database import Database
from penwright.adapters.store.used_keys import UsedKeys
from penwright.errors import NotFound
from penwright.ports.clock import Clock
from schemas.base import BlobRef

_LARGE = 64 * 1024
"""Bytes from which a query whether the blob exists is cheaper than sending its content again."""

_TOUCH = text("update blobs set last_used = :now where sha256 = :sha256")
_PUT = text(
    """
    insert into blobs (sha256, size, content, created_at, last_used)
    values (:sha256, :size, :content, :now, :now)
    on conflict (sha256) do update set last_used = excluded.last_used
    """
)
_GET = "select content from blobs where sha256 = %s"


class PostgresBlobs:
    """The content-addressed store; implements ``Blobs``."""

    def __init__(self, database: Database, clock: Clock, keys: UsedKeys) -> None:
        self._database = database
        self._clock = clock
        self._keys = keys

    def put(self, content: bytes) -> BlobRef:
        ref = reference(content)
        keys = self._keys.for_writing()
        known = {"sha256": ref.sha256, "now": self._clock.now()}
        with self._database.statement() as connection:
            if ref.size >= _LARGE and connection.execute(_TOUCH, known).rowcount:
                return ref
            stored = seal(keys, content, ref.sha256)
            connection.execute(_PUT, known | {"size": ref.size, "content": stored})
        return ref

    def get(self, ref: BlobRef) -> bytes:
        # Not through SQLAlchemy, which transfers bytes as text: six times slower for a long book.
        with self._database.statement() as connection:
            cursor = connection.connection.cursor(binary=True)
            cursor.execute(_GET, (ref.sha256,))
            row = cursor.fetchone()
        return verified(ref, row[0] if row else None, self._keys.keys)


def reference(content: bytes) -> BlobRef:
    return BlobRef(sha256=sha256(content).hexdigest(), size=len(content))


def verified(ref: BlobRef, content: bytes | None, keys: Keys | None = None) -> bytes:
    """Decrypt ``content`` and check that it is what ``ref`` names; ``NotFound`` otherwise.

    Raises ``UsageMistake`` ``encryption-key-unknown`` when it was encrypted under a key that is not set.
    """
    if content is None:
        raise NotFound(
            "blob-not-found",
            f"The store does not have the text {ref.sha256!r}. It was swept, or is in another database: "
            "check PENWRIGHT_DATABASE_URL, or run the step again.",
            sha256=ref.sha256,
        )
    if sha256(content).hexdigest() == ref.sha256:
        return content
    content = unseal(keys, content, ref.sha256)
    if sha256(content).hexdigest() != ref.sha256:
        raise NotFound(
            "blob-corrupt",
            f"The text {ref.sha256!r} is damaged in the store. Restore the database from a backup.",
            sha256=ref.sha256,
        )
    return content
