"""References of the tables to the blob store: columns that refer to it, and digests inside any text.

The columns are found in the metadata, so that a new table is looked at without a word here.
"""

from collections.abc import Collection, Iterator

from sqlalchemy import Column, Table
from sqlalchemy.types import ARRAY, JSON, String

import penwright.adapters.store.scenes  # noqa: F401  # its tables are in the metadata by then
from penwright.adapters.store.tables import blobs, metadata

BINARY = {
    ("blobs", "content"): "read for the texts that are kept, see ``sweeping``",
    ("message_segments", "lines"): "read and decrypted, see ``sweeping``",
    ("model_calls", "tool_calls"): "arguments that a model wrote: it is told no digest of a text",
}
"""Columns of bytes -> what becomes of the digests in them."""

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
