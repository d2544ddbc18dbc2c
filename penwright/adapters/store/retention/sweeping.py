"""Deleting texts that nothing names: no row of any table, no text that is kept, no run under way."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Column, Table, text
from sqlalchemy.types import ARRAY, JSON, String

import penwright.adapters.store.scenes  # noqa: F401  # its tables are in the metadata by then
from penwright.adapters.sealing import SEALED, unseal
from penwright.adapters.store.database import Database
from penwright.adapters.store.tables import blobs, metadata
from penwright.adapters.store.used_keys import UsedKeys

_DIGESTS = r"\m[0-9a-f]{64}\M"


def referring() -> Iterator[Column[str]]:
    """Columns with a foreign key to the blob store."""
    for table in metadata.sorted_tables:
        yield from (each for each in table.columns if each.references(blobs.c.sha256))


def searched(table: Table) -> tuple[str, ...]:
    """Names of the columns that may hold a digest: all texts, also those in JSON and arrays."""
    return tuple(each.name for each in table.columns if isinstance(each.type, String | JSON | ARRAY))


def searches(existing: Collection[str]) -> Iterator[str]:
    """Statements, one for each table, that find the texts last stored before ``:before`` that it names.

    Args:
        existing: names of the tables that there are; those of vectors need an extension.
    """
    for table in metadata.sorted_tables:
        if table is blobs or table.name not in existing or not (columns := searched(table)):
            continue
        texts = ", ".join(f'cast("{name}" as text)' for name in columns)
        yield (
            f"select distinct found[1] from {table.name}, "
            f"regexp_matches(concat_ws(' ', {texts}), '{_DIGESTS}', 'g') as found "
            "where exists (select from blobs where sha256 = found[1] and last_used < :before)"
        )


_BATCH = 500
_READ_AT_ONCE = 50
_HEXADECIMAL = re.compile(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")

_LONG_LOOK = text("set local statement_timeout = '30min'")
_SEGMENTS = "select head, lines from message_segments where head > %(after)s order by head limit %(most)s"
# Of texts, only those that name others (as a ``BlobRef``), and those of which only the key tells.
_NAMING = """
    select sha256, content from blobs
    where sha256 = any(%(names)s)
      and (position('"sha256"'::bytea in content) > 0 or substring(content for %(mark_size)s) = %(mark)s)
    """
_TABLES = text("select tablename from pg_tables where schemaname = any(current_schemas(false))")
_STORED = text("select sha256 from blobs where sha256 = any(:names)")
_FREE = " and ".join(
    f"not exists (select from {column.table.name} where {column.name} = blobs.sha256)"
    for column in referring()
)
_OLD = text(
    f"""
    select sha256, size from blobs
    where last_used < :before and sha256 > :after and {_FREE}
    order by sha256 limit {_BATCH}
    """
)
# A text that is stored again meanwhile is young by the time its row can be locked, and stays.
_DELETE = text(
    f"delete from blobs where sha256 = any(:names) and last_used < :before and {_FREE} returning size"
)


@dataclass(frozen=True, slots=True)
class Swept:
    """Number of swept texts, and their bytes."""

    count: int = 0
    size: int = 0


@dataclass(frozen=True)
class BlobSweep:
    """Deletes texts that were last stored before ``before``. A text is stored before anything names it."""

    database: Database
    keys: UsedKeys
    before: datetime

    def run(self, under_way: Collection[str], *, only_look: bool) -> Swept:
        """Sweep, or only count.

        Args:
            under_way: digests that runs under way name.

        Raises:
            UsageMistake: ``encryption-key-unknown``: what a text names cannot be read; nothing was deleted.
        """
        kept = self._followed(self._named_by_rows()) | self._followed(under_way)
        swept = Swept()
        for batch in self._old():
            free = {name: size for name, size in batch.items() if name not in kept}
            sizes = list(free.values()) if only_look else self._delete(free)
            swept = Swept(swept.count + len(sizes), swept.size + sum(sizes))
        return swept

    def _named_by_rows(self) -> frozenset[str]:
        """Old texts that a row or a message of an agent names."""
        found: set[str] = set()
        with self.database.transaction() as connection:
            connection.execute(_LONG_LOOK)
            for search in searches(connection.execute(_TABLES).scalars().all()):
                found.update(connection.execute(text(search), {"before": self.before}).scalars())
        return frozenset(found).union(*self._named_by_messages())

    def _named_by_messages(self) -> Iterator[frozenset[str]]:
        after = ""
        while rows := self._read(_SEGMENTS, {"after": after, "most": _READ_AT_ONCE}):
            after = rows[-1][0]
            yield self._stored(frozenset().union(*(self._digests(*row) for row in rows)))

    def _followed(self, names: Collection[str]) -> frozenset[str]:
        """Those of ``names`` that are stored, and the texts that they name, and so on."""
        found: set[str] = set()
        fresh = self._stored(names)
        while fresh:
            found |= fresh
            named: set[str] = set()
            for some in _in_parts(sorted(fresh), _READ_AT_ONCE):
                asked = {"names": some, "mark": SEALED, "mark_size": len(SEALED)}
                named.update(*(self._digests(*row) for row in self._read(_NAMING, asked)))
            fresh = self._stored(named - found)
        return frozenset(found)

    def _digests(self, name: str, content: bytes) -> frozenset[str]:
        plain = unseal(self.keys.keys, content, name)
        return frozenset(each.decode() for each in _HEXADECIMAL.findall(plain))

    def _stored(self, names: Collection[str]) -> frozenset[str]:
        found: set[str] = set()
        with self.database.statement() as connection:
            for some in _in_parts(sorted(names), _BATCH):
                found.update(connection.execute(_STORED, {"names": some}).scalars())
        return frozenset(found)

    def _old(self) -> Iterator[dict[str, int]]:
        """Old texts and their sizes, in batches."""
        after = ""
        while True:
            with self.database.statement() as connection:
                rows = connection.execute(_OLD, {"before": self.before, "after": after}).all()
            if not rows:
                return
            after = rows[-1].sha256
            yield {row.sha256: row.size for row in rows}

    def _delete(self, free: Collection[str]) -> list[int]:
        with self.database.statement() as connection:
            asked = {"names": list(free), "before": self.before}
            return list(connection.execute(_DELETE, asked).scalars())

    # Any: parameters of several types.
    def _read(self, query: str, parameters: dict[str, object]) -> list[tuple[str, bytes]]:
        # Not through SQLAlchemy, which transfers bytes as text; see ``blobs``.
        with self.database.statement() as connection:
            cursor = connection.connection.cursor(binary=True)
            cursor.execute(query, parameters)
            return list(cursor.fetchall())


def _in_parts(names: list[str], size: int) -> Iterator[list[str]]:
    return (names[start : start + size] for start in range(0, len(names), size))
