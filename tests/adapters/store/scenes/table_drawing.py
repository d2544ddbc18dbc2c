"""The tables of scenes as a drawing in mermaid, made of their metadata.

``python -m tests.adapters.store.scenes.table_drawing`` prints it for docs/dev/scene-tables.md.
"""

import sys
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Column, Table
from sqlalchemy.dialects import postgresql

from penwright.adapters.store.scenes.tables import memories, played, seats, setting

_DIALECT = postgresql.dialect()  # type: ignore[no-untyped-call]


def scene_tables() -> tuple[Table, ...]:
    """All tables that the modules of scenes define, by name."""
    modules = (setting, played, memories, seats)
    values = (value for module in modules for value in vars(module).values())
    found = {each.name: each for each in values if isinstance(each, Table)}
    return tuple(found[name] for name in sorted(found))


def drawing() -> str:
    """The tables with their columns and keys, and which refers to which."""
    known = scene_tables()
    lines = ["erDiagram", *sorted({line for each in known for line in _references(each)})]
    for table in known:
        lines += [f"    {table.name} {{", *map(_column, table.columns), "    }"]
    return "\n".join(lines)


def _references(table: Table) -> Iterable[str]:
    for key in table.foreign_key_constraints:
        rule = (key.ondelete or "restrict").lower()
        optional = "o" if any(column.nullable for column in key.columns) else "|"
        columns = ", ".join(column.name for column in key.columns)
        yield f'    {key.referred_table.name} |{optional}--o{{ {table.name} : "{columns}; {rule}"'


# Any: values of the column.
def _column(column: Column[Any]) -> str:
    kind = column.type.compile(_DIALECT).split(" COLLATE")[0].lower()
    kind = kind.replace("timestamp with time zone", "timestamptz").replace("[]", "-array").replace(" ", "-")
    keys = [*(["PK"] if column.primary_key else []), *(["FK"] if column.foreign_keys else [])]
    return f"        {kind} {column.name} {','.join(keys)}".rstrip()


if __name__ == "__main__":
    sys.stdout.write(drawing() + "\n")
