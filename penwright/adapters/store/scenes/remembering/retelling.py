"""Update of a round's memories when one of its texts changes afterwards."""

from collections.abc import Iterable

from sqlalchemy import Connection, delete, select, text
from sqlalchemy.dialects.postgresql import insert as upsert

from penwright.adapters.store.scenes.lineage import line_of
from penwright.adapters.store.scenes.messages import messages_of_round
from penwright.adapters.store.scenes.remembering.ranking import words_of
from penwright.adapters.store.scenes.remembering.recalling import memory_of
from penwright.adapters.store.scenes.tables.memories import memories
from penwright.adapters.store.scenes.tables.played import forgotten_rounds
from penwright.domain.scene.remembering import retold
from schemas.memory import Memory

_ROWS = memories.c
_SHARING = text(
    """
    with recursive sharing (id) as (
        select id from scenes where branched_from = :scene and branched_at >= :round
        union
        select below.id from sharing join scenes as below on below.branched_from = sharing.id
        where below.branched_at >= :round
    )
    select id from sharing
    """
)


def retell(connection: Connection, scene: str, round: int) -> None:
    """Write the memories of a round anew, from its present texts; their vectors come in the background.

    Memories of a round that a branch shares lie in the scene that played it. When either changes a text,
    the branch forgets the round: it would remember words that do not stand in it.
    """
    here = (_ROWS.scene == scene) & (_ROWS.round == round)
    found = connection.execute(select(memories).where(here).order_by(_ROWS.number)).mappings()
    before = [memory_of(row) for row in found]
    if not before:
        _forget(connection, [scene] if _shares(connection, scene, round) else [], round)
        return
    after = retold(before, messages_of_round(connection, scene, round))
    if set(after) == set(before):
        return  # their vectors are kept
    _forget(connection, connection.execute(_SHARING, {"scene": scene, "round": round}).scalars(), round)
    connection.execute(delete(memories).where(here))
    for memory in after:
        add_memory(connection, memory)


def _shares(connection: Connection, scene: str, round: int) -> bool:
    """Whether the round was played in a scene that this one was branched from."""
    return any(round <= segment.to_round for segment in line_of(connection, scene)[1:])


def _forget(connection: Connection, scenes: Iterable[str], round: int) -> None:
    rows = [{"scene": scene, "round": round} for scene in scenes]
    if rows:
        connection.execute(upsert(forgotten_rounds).values(rows).on_conflict_do_nothing())


def add_memory(connection: Connection, memory: Memory) -> int:
    """Store a memory; 0 if it was stored before."""
    row = memory.model_dump(exclude={"undone"}) | {"words": list(words_of(memory.text))}
    row["messages"] = list(memory.messages)
    added = upsert(memories).values(row).on_conflict_do_nothing().returning(memories.c.id)
    return len(connection.execute(added).all())
