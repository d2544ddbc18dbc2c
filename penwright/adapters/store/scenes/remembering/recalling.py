"""Which memories a character has in a scene, and the best of them for a question."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from pgvector.sqlalchemy import Vector
from sqlalchemy import ColumnElement, Connection, Double, and_, cast, exists, literal, or_, select, text

from penwright.adapters.store.scenes.lineage import Segment, line_of
from penwright.adapters.store.scenes.remembering.ranking import POOL, best, likeness, recency, words_of
from penwright.adapters.store.scenes.tables.memories import memories, memory_vectors
from penwright.adapters.store.scenes.tables.played import forgotten_rounds, undone_rounds
from penwright.adapters.store.scenes.tables.setting import scenes
from penwright.adapters.store.scenes.tables.vectors import NEAREST_DIMENSIONS
from schemas.envelope import Recalled
from schemas.memory import Memory, MemoryQuery, Vectors

_ROWS = memories.c
_WORD_CANDIDATES = 400


@dataclass(frozen=True, slots=True)
class Lineage:
    """A scene and those it comes from."""

    scene: str
    segments: tuple[Segment, ...]

    @classmethod
    def of(cls, connection: Connection, scene: str) -> "Lineage":
        return cls(scene, line_of(connection, scene))

    def holds(self) -> ColumnElement[bool]:
        """Which memories are of rounds that the scene sees, undone or not."""
        seen = [
            and_(_ROWS.scene == segment.scene, _ROWS.round <= segment.to_round) for segment in self.segments
        ]
        return or_(*seen) if seen else literal(False)

    def has(self, scene: str) -> bool:
        return any(segment.scene == scene for segment in self.segments)

    def recalls(self, query: MemoryQuery) -> ColumnElement[bool]:
        """Which memories the character has here: of this story, and of others in this world.

        Not of other branches of this scene's story: there it went another way.
        """
        family = select(scenes.c.family).where(scenes.c.id == self.scene).scalar_subquery()
        kin = select(scenes.c.id).where(scenes.c.family == family)
        here = and_(self.holds(), ~undone(self.scene), *_earlier(_ROWS.round, query.before_round))
        elsewhere = and_(_ROWS.scene.not_in(kin), ~undone(_ROWS.scene), *_earlier(_ROWS.at, query.until))
        return and_(_ROWS.world == query.world, _ROWS.character == query.character, or_(here, elsewhere))


# Any: a column, and a value of its type.
def _earlier(column: Any, bound: Any) -> tuple[ColumnElement[bool], ...]:
    return () if bound is None else (column < bound,)


# Any: a scene's id, or the column that holds it.
def undone(scene: Any) -> ColumnElement[bool]:
    """Whether the memory is of a round that the scene took back."""
    marks = (undone_rounds.c, forgotten_rounds.c)
    return or_(
        *(exists(select(mark.round).where(mark.scene == scene, mark.round == _ROWS.round)) for mark in marks)
    )


# Any: column values of several types.
def memory_of(row: Mapping[Any, Any]) -> Memory:
    return Memory.model_validate(dict(row))


def by_vector(
    connection: Connection, query: MemoryQuery, line: Lineage, vector: Vectors
) -> tuple[Recalled, ...]:
    """The best by meaning and recency; none if there are no vectors of that model."""
    if query.limit <= 0 or not vector.vectors:
        return ()
    # The index gives the nearest of all memories; filtered ones are made up for by looking further.
    connection.execute(text("set local hnsw.iterative_scan = relaxed_order"))
    distance = _distance(vector)
    rows = (
        select(memories, distance.label("distance"))
        .join(memory_vectors, memory_vectors.c.memory == _ROWS.id)
        .where(
            memory_vectors.c.model == vector.model,
            memory_vectors.c.dimensions == literal(vector.dimensions, literal_execute=True),
            line.recalls(query),
        )
        .order_by(distance)
        .limit(query.limit * POOL)
    )
    found = [(memory_of(row), 1 - row["distance"]) for row in connection.execute(rows).mappings()]
    scored = [
        (memory, (score if score == score else 0.0) * _recency(query, line, memory))
        for memory, score in found
    ]
    return best(scored, query.limit)


def by_words(
    connection: Connection, query: MemoryQuery, line: Lineage, without: Collection[str]
) -> tuple[Recalled, ...]:
    """The best by shared words and recency, besides those already found."""
    asked = words_of(query.text)
    if query.limit <= 0 or not asked:
        return ()
    rows = (
        select(memories)
        .where(line.recalls(query), _ROWS.words.overlap(list(asked)))
        .order_by(_ROWS.number.desc())
        .limit(_WORD_CANDIDATES)
    )
    found = [(memory_of(row), row["words"]) for row in connection.execute(rows).mappings()]
    scored = [
        (memory, likeness(asked, words) * _recency(query, line, memory))
        for memory, words in found
        if memory.id not in without
    ]
    return best(scored, query.limit)


def _recency(query: MemoryQuery, line: Lineage, memory: Memory) -> float:
    return recency(query.now_round, memory, line.has(memory.scene))


# Any: an expression of SQLAlchemy.
def _distance(vector: Vectors) -> Any:
    stored: Any = memory_vectors.c.vector
    if vector.dimensions == NEAREST_DIMENSIONS:
        stored = cast(stored, Vector(NEAREST_DIMENSIONS))
    return stored.op("<=>", return_type=Double())(cast(list(vector.vectors[0]), Vector(vector.dimensions)))
