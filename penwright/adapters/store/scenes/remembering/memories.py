"""Memories with their vectors."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, exists, func, select, text
from sqlalchemy.dialects.postgresql import insert as upsert

from penwright.adapters.store.database import Database
from penwright.adapters.store.scenes.lineage import line_of
from penwright.adapters.store.scenes.remembering.ranking import check_vectors
from penwright.adapters.store.scenes.remembering.recalling import (
    Lineage,
    by_vector,
    by_words,
    memory_of,
    undone,
)
from penwright.adapters.store.scenes.remembering.retelling import add_memory, retell
from penwright.adapters.store.scenes.setting.naming import no_such
from penwright.adapters.store.scenes.tables.memories import memories, memory_vectors
from penwright.adapters.store.scenes.tables.played import forgotten_rounds
from penwright.adapters.store.scenes.tables.setting import characters, scenes, worlds
from penwright.adapters.store.scenes.tables.vectors import has_vectors, no_vectors
from schemas.envelope import Recalled
from schemas.memory import Memory, MemoryCount, MemoryQuery, Remembered, Vectors

_ROWS = memories.c
_PLACES = {"scene": scenes, "world": worlds, "character": characters}
_LACKING = text(
    """
    select distinct said.round
    from scene_messages as said
    join scene_rounds as played on played.scene = said.scene and played.number = said.round
    where said.scene = :scene and said.round > :after and said.speaker <> 'system'
      and played.status <> 'running'
      and not exists (select from memories where scene = :scene and round = said.round)
      and not exists (select from undone_rounds where scene = :scene and round = said.round)
      and not exists (select from forgotten_rounds where scene = :scene and round = said.round)
      and exists (select from characters where id in (select json_array_elements_text(said.witnesses)))
    order by said.round
    """
)


class PostgresMemories:
    """Implements ``Memories``; on a server without pgvector by words only."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def remember(self, memories: Sequence[Memory], vectors: Vectors | None) -> Remembered:
        if vectors is not None:
            check_vectors(memories, vectors)
        with self._database.transaction() as connection:
            _check_places(connection, memories)
            written = sum(add_memory(connection, memory) for memory in memories)
            model = ""
            if vectors is not None and has_vectors(connection):
                _put_vectors(connection, memories, vectors, replace=False)
                model = vectors.model
        return Remembered(written=written, again=len(memories) - written, model=model)

    def recall(self, query: MemoryQuery, vector: Vectors | None) -> tuple[Recalled, ...]:
        with self._database.transaction() as connection:
            line = Lineage.of(connection, query.scene)
            found: tuple[Recalled, ...] = ()
            if vector is not None and has_vectors(connection):
                found = by_vector(connection, query, line, vector)
            missing = query.limit - len(found)
            if missing > 0:
                found += by_words(connection, query, line, {each.id for each in found})[:missing]
        return found

    def lacking(self, scene: str, *, after: int = 0) -> tuple[int, ...]:
        with self._database.statement() as connection:
            found = connection.execute(_LACKING, {"scene": scene, "after": after})
            return tuple(found.scalars())

    def without(self, model: str, *, limit: int = 200) -> tuple[Memory, ...]:
        has = select(memory_vectors.c.memory).where(
            memory_vectors.c.memory == _ROWS.id, memory_vectors.c.model == model
        )
        wanted = select(memories, undone(_ROWS.scene).label("undone")).where(~exists(has))
        with self._database.statement() as connection:
            # Without pgvector nothing can be embedded, so nothing is missing either.
            if not has_vectors(connection):
                return ()
            rows = connection.execute(wanted.order_by(_ROWS.number.desc()).limit(limit)).mappings()
            return tuple(memory_of(row) for row in rows)

    def counted(self, model: str) -> MemoryCount:
        everyone = select(func.count()).select_from(memories)
        having = select(func.count()).select_from(memory_vectors).where(memory_vectors.c.model == model)
        with self._database.statement() as connection:
            everything = int(connection.execute(everyone).scalar_one())
            if not has_vectors(connection):
                return MemoryCount(all=everything, without=0)
            return MemoryCount(
                all=everything, without=everything - int(connection.execute(having).scalar_one())
            )

    def embed(self, memories: Sequence[Memory], vectors: Vectors) -> None:
        """See the port. Raises ``Refused`` (``no-pgvector``) on a server without it."""
        check_vectors(memories, vectors)
        with self._database.transaction() as connection:
            if not has_vectors(connection):
                raise no_vectors()
            _put_vectors(connection, memories, vectors, replace=True)

    def of(self, scene: str, character: str = "", *, newest: int = 100) -> tuple[Memory, ...]:
        with self._database.statement() as connection:
            line = Lineage.of(connection, scene)
            rows = select(memories, undone(scene).label("undone")).where(line.holds())
            if character:
                rows = rows.where(_ROWS.character == character)
            newest_first = rows.order_by(_ROWS.round.desc(), _ROWS.number.desc()).limit(newest)
            found = connection.execute(newest_first).mappings().all()
        return tuple(memory_of(row) for row in reversed(found))

    def retell(self, scene: str, round: int) -> None:
        with self._database.transaction() as connection:
            # As every change of a text locks it: none of them may come in between.
            locked = select(scenes.c.id).where(scenes.c.id == scene).with_for_update(key_share=True)
            if connection.execute(locked).first():
                retell(connection, scene, round)

    def take_back(self, scene: str, round: int) -> int:
        with self._database.transaction() as connection:
            line = line_of(connection, scene)
            if line:
                mark = upsert(forgotten_rounds).values(scene=scene, round=round)
                connection.execute(mark.on_conflict_do_nothing())
            holders = [segment.scene for segment in line if round <= segment.to_round]
            here = select(func.count()).where(_ROWS.scene.in_(holders), _ROWS.round == round)
            return int(connection.execute(here).scalar_one())


def _check_places(connection: Connection, given: Sequence[Memory]) -> None:
    """Raise ``NotFound`` for a memory whose scene, world or character is gone."""
    for word, table in _PLACES.items():
        ids = {getattr(memory, word) for memory in given}
        known = select(table.c.id).where(table.c.id.in_(ids)).with_for_update(read=True, key_share=True)
        missing = ids - set(connection.execute(known).scalars())
        if missing:
            raise no_such(word, min(missing))


def _put_vectors(connection: Connection, given: Sequence[Memory], vectors: Vectors, *, replace: bool) -> None:
    """Store vectors of the memories that are there with the texts that the vectors are of."""
    ids = [memory.id for memory in given]
    # Locked, so that no text is told anew between this and the insertion.
    now = select(_ROWS.id, _ROWS.text).where(_ROWS.id.in_(ids)).with_for_update(read=True)
    texts = {row.id: row.text for row in connection.execute(now)}
    rows = [
        _vector_row(memory.id, vectors, vector)
        for memory, vector in zip(given, vectors.vectors, strict=True)
        if texts.get(memory.id) == memory.text
    ]
    if not rows:
        return
    order = upsert(memory_vectors).values(rows)
    if replace:
        columns = {name: order.excluded[name] for name in ("model", "dimensions", "vector")}
        connection.execute(order.on_conflict_do_update(index_elements=["memory"], set_=columns))
    else:
        connection.execute(order.on_conflict_do_nothing())


# Any: column values of several types.
def _vector_row(id: str, vectors: Vectors, vector: Sequence[float]) -> Mapping[str, Any]:
    return {
        "memory": id,
        "model": vectors.model,
        "dimensions": vectors.dimensions,
        "vector": list(vector),
    }
