"""Rows of worlds, scenes, characters and the like."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ARRAY, ColumnElement, Select, Table, Text, func, or_, select

from penwright.adapters.store.scenes.setting.naming import folded
from penwright.adapters.store.scenes.tables.played import scene_cast
from penwright.adapters.store.scenes.tables.setting import (
    arcs,
    campaigns,
    characters,
    lorebooks,
    personas,
    scenes,
    worlds,
)
from penwright.errors import UsageMistake
from penwright.ports.portions import Portion
from penwright.ports.scenes import Kept
from schemas.base import Value
from schemas.lore import Lorebook
from schemas.worlds import Arc, Campaign, Character, Persona, Scene, World


@dataclass(frozen=True, slots=True)
class EntityTable:
    """One kind of thing: its word, its table, and what it belongs to."""

    word: str
    table: Table
    parent: type[Value] | None = None
    columns: tuple[str, ...] = ()
    """Fields with a column of their own, besides those that all have."""
    named: str = "name"
    """The field that holds the name."""
    beside: tuple[str, ...] = ()
    """Fields that are kept in other tables, or by others."""
    ordered: bool = False
    """Whether it has a position among those of its parent."""

    @property
    def parent_column(self) -> str:
        return KINDS[self.parent].word if self.parent else ""


KINDS: Mapping[type[Value], EntityTable] = {
    World: EntityTable("world", worlds, columns=("principal",)),
    Campaign: EntityTable("campaign", campaigns, World, ("world",)),
    Arc: EntityTable("arc", arcs, Campaign, ("campaign", "position"), ordered=True),
    Scene: EntityTable(
        "scene",
        scenes,
        Arc,
        ("arc", "position", "persona"),
        "title",
        ("roster", "rounds", "branched_from", "branched_at"),
        ordered=True,
    ),
    Character: EntityTable("character", characters),
    Persona: EntityTable("persona", personas),
    Lorebook: EntityTable("lorebook", lorebooks, beside=("entries",)),
}


WITNESSES: Collection[type[Value]] = (Character, Persona)
"""Kinds whose things know what was said before them."""


def sharing_ids(kind: type[Value]) -> Collection[type[Value]]:
    """Kinds of which no two things have one id: a witness is known by its id alone, whatever it is."""
    return WITNESSES if kind in WITNESSES else (kind,)


def name_of(thing: Value) -> str:
    """The name people know it by."""
    name: str = getattr(thing, KINDS[type(thing)].named)
    return name


# Any: JSON.
def row_of(thing: Value) -> dict[str, Any]:
    """The columns that a change of the thing sets; raises ``UsageMistake`` ``unstorable-value``."""
    kind = KINDS[type(thing)]
    apart = {"id", "version", kind.named, *kind.columns, *kind.beside}
    body = json_of(thing, apart)
    row = {name: getattr(thing, name) for name in kind.columns}
    if isinstance(thing, Scene):
        row["persona"] = thing.persona or None
    return {**row, "name": name_of(thing), "folded": folded(name_of(thing)), "body": body}


def wanted(kind: type[Value]) -> Select[Any]:
    """Select all of a kind, oldest first."""
    table = KINDS[kind].table
    columns: list[Any] = [table]
    if kind is Scene:
        columns.append(_roster())
    return select(*columns).order_by(table.c.number)


# Any: conditions of SQLAlchemy.
def fitting(kind: type[Value], portion: Portion) -> list[Any]:
    """The conditions of a portion on the rows of a kind."""
    table, fits = KINDS[kind].table, list[Any]()
    if portion.among is not None:
        fits.append(table.c.id.in_(portion.among))
    if sought := folded(portion.named):
        names = [column.contains(sought, autoescape=True) for column in (table.c.folded, table.c.id)]
        fits.append(or_(*names))
    if portion.called:
        fits.append(table.c.folded == folded(portion.called))
    if portion.above is not None and (parent := KINDS[kind].parent_column):
        fits.append(table.c[parent].in_(portion.above))
    if portion.after:
        fits.append(_by_id(table) > portion.after)
    return fits


def ordered(kind: type[Value], portion: Portion) -> Select[Any]:
    """Select all of a kind in the order of a portion."""
    query = wanted(kind)
    return query if portion.after is None else query.order_by(None).order_by(_by_id(KINDS[kind].table))


def _by_id(table: Table) -> ColumnElement[str]:
    """Ids in one order on every server."""
    return table.c.id.collate("C")


def thing_of(kind: type[Kept], row: Mapping[Any, Any]) -> Kept:
    """The thing that a row holds; a lorebook is without its entries."""
    known: EntityTable = KINDS[kind]
    fields = {**row["body"], **{name: row[name] for name in ("id", "version", *known.columns)}}
    fields[known.named] = row["name"]
    if kind is Scene:
        beside = {name: row[name] for name in ("rounds", "branched_at")}
        fields |= beside | {
            "roster": row["roster"] or (),
            "persona": row["persona"] or "",
            "branched_from": row["branched_from"] or "",
        }
    return kind.model_validate(fields)


# Any: JSON.
def json_of(value: Value, apart: Collection[str] = ()) -> dict[str, Any]:
    """The fields as JSON; raises ``UsageMistake`` ``unstorable-value`` for a number that is not finite."""
    try:
        json.dumps(value.model_dump(exclude=set(apart)), allow_nan=False, default=str)
    except ValueError as error:
        raise UsageMistake(
            "unstorable-value", "A number is not finite, so it cannot be stored. Store a finite one."
        ) from error
    return value.model_dump(mode="json", exclude=set(apart))


# Any: a column of SQLAlchemy.
def _roster() -> Any:
    present = (
        select(scene_cast.c.character)
        .where(scene_cast.c.scene == scenes.c.id, scene_cast.c.position.is_not(None))
        .order_by(scene_cast.c.position)
        .scalar_subquery()
    )
    return func.array(present, type_=ARRAY(Text)).label("roster")
