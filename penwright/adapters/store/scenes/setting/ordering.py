"""Places of arcs in their campaign and of scenes in their arc."""

from sqlalchemy import Connection, select, update

from penwright.adapters.store.scenes.setting.kinds import KINDS
from schemas.base import Value
from schemas.worlds import Arc, Scene


def free_place(connection: Connection, thing: Value) -> int:
    """Return the position that a new thing asks for; the one after the last if it is taken."""
    assert isinstance(thing, Arc | Scene)
    kind = KINDS[type(thing)]
    siblings = kind.table.c[kind.parent_column] == getattr(thing, kind.parent_column)
    # The parent's row orders those who take a place among its children.
    above = KINDS[kind.parent].table if kind.parent else kind.table
    parent = above.c.id == getattr(thing, kind.parent_column)
    connection.execute(select(above.c.id).where(parent).with_for_update(key_share=True))
    taken = set(connection.execute(select(kind.table.c.position).where(siblings)).scalars())
    return thing.position if thing.position not in taken else max(taken) + 1


def take_place(connection: Connection, before: Value, after: Value) -> None:
    """Give what stands where ``after`` wants to stand the place that ``before`` leaves."""
    assert isinstance(before, Arc | Scene)
    assert isinstance(after, Arc | Scene)
    kind = KINDS[type(after)]
    parent = kind.parent_column
    if (getattr(before, parent), before.position) == (getattr(after, parent), after.position):
        return
    there = (kind.table.c[parent] == getattr(after, parent)) & (kind.table.c.position == after.position)
    moved = update(kind.table).where(there, kind.table.c.id != after.id)
    connection.execute(moved.values({parent: getattr(before, parent), "position": before.position}))
