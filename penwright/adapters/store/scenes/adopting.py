"""Branches that outlive the scene they come from get what they share with it."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Table, and_, func, insert, literal, select, update
from sqlalchemy.sql.elements import ColumnElement

from penwright.adapters.store.scenes.tables.memories import memories, memory_vectors
from penwright.adapters.store.scenes.tables.played import (
    message_alternatives,
    scene_messages,
    scene_rounds,
)
from penwright.adapters.store.scenes.tables.setting import scenes
from penwright.adapters.store.scenes.tables.vectors import has_vectors


def adopt_branches(connection: Connection, removed: Sequence[str]) -> None:
    """Copy what branches share with the removed scenes into those branches that stay.

    A chain of removed scenes is walked upwards: once a branch has what its nearest scene holds, it shares the
    rest with that scene's own origin.
    """
    while left := _orphans(connection, removed):
        for branch, origin, shared_to, branched_at in left:
            _copy_played(connection, branch, origin, shared_to, branched_at)
            _copy_memories(connection, branch, origin, branched_at)
            _move_up(connection, branch, origin, shared_to, branched_at)


def _move_up(connection: Connection, branch: str, origin: str, shared_to: int, branched_at: int) -> None:
    """Make the branch one of what its origin was branched from; of nothing, if that was its own beginning."""
    above = connection.execute(select(scenes).where(scenes.c.id == origin)).mappings().one()
    shared = {
        "branched_from": above["branched_from"],
        "branched_at": min(branched_at, above["branched_at"]),
        "shared_to": min(shared_to, above["shared_to"]),
    }
    connection.execute(update(scenes).where(scenes.c.id == branch).values(shared))


# Any: rows of SQLAlchemy.
def _orphans(connection: Connection, removed: Sequence[str]) -> Sequence[Any]:
    columns = (scenes.c.id, scenes.c.branched_from, scenes.c.shared_to, scenes.c.branched_at)
    stay = select(*columns).where(scenes.c.branched_from.in_(removed), scenes.c.id.not_in(removed))
    return connection.execute(stay.order_by(scenes.c.id).with_for_update()).all()


def _copy_played(connection: Connection, branch: str, origin: str, shared_to: int, branched_at: int) -> None:
    number = scene_messages.c.number
    own = select(number).where(scene_messages.c.scene == branch)
    missing = list(
        connection.execute(
            select(number).where(scene_messages.c.scene == origin, number <= shared_to, number.not_in(own))
        ).scalars()
    )
    for table in (scene_messages, message_alternatives):
        _copy(connection, table, branch, and_(table.c.scene == origin, table.c.number.in_(missing)))
    rounds = scene_rounds.c
    _copy(connection, scene_rounds, branch, and_(rounds.scene == origin, rounds.number <= branched_at))


def _copy(connection: Connection, table: Table, branch: str, which: ColumnElement[bool]) -> None:
    """Copy rows of a scene into another."""
    names = [column.name for column in table.columns]
    columns = [literal(branch) if name == "scene" else table.c[name] for name in names]
    rows = select(*columns).where(which)
    connection.execute(insert(table).from_select(names, rows))


def _copy_memories(connection: Connection, branch: str, origin: str, branched_at: int) -> None:
    """Copy memories under ids that name the branch, with their vectors."""
    here = memories.c
    named = func.concat(here.id, "@", branch)
    which = and_(here.scene == origin, here.round <= branched_at)
    names = [column.name for column in memories.columns if column.name != "number"]
    given = {"id": named, "scene": literal(branch)}
    rows = select(*(given.get(name, here[name]) for name in names)).where(which).order_by(here.number)
    connection.execute(insert(memories).from_select(names, rows))
    if has_vectors(connection):
        kept = memory_vectors.c
        copies = select(named, kept.model, kept.dimensions, kept.vector).join(
            memories, here.id == kept.memory
        )
        columns = ["memory", "model", "dimensions", "vector"]
        connection.execute(insert(memory_vectors).from_select(columns, copies.where(which)))
