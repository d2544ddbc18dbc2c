"""Passages of own sources, found by full text and by vectors."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pgvector.sqlalchemy import Vector
from sqlalchemy import Connection, Double, bindparam, cast, delete, func, insert, select, text, tuple_, update

from penwright.adapters.store.database import Database
from penwright.adapters.store.library_tables import library_passages, library_texts
from penwright.adapters.store.scenes.tables.vectors import has_vectors
from penwright.domain.library.passages import RULES
from penwright.domain.library.ranking import fused
from penwright.ports.clock import Clock
from schemas.library import IndexedText, LibraryPassage
from schemas.memory import Vectors

_POOL = 50
"""Passages that each of the two searches contributes."""
_FARTHEST = 0.87
"""Distance of two directions from which a passage is about something else. Of 18 questions and the passages
that answer them it was 0.46 to 0.85, and 0.92 once; of 8 about nothing in the texts 0.81 to 0.93."""
_FARTHEST_OF_A_WORD = 0.78
"""The same for a question of one or two words, which mean little by themselves: of 39 words about nothing in
234 passages 2 had one nearer than this and 23 nearer than the other; of 16 words about them 13 and 15."""
_FEW = 2
_ROWS = library_passages.c
_Key = tuple[str, int]

# The rarer a word is in these texts, the more a passage that has it counts. The words of a question are
# joined by "or": a passage that answers it seldom has all of them.
_BY_WORDS = text(
    r"""
    with scope as (
        select blob, number, words from library_passages where blob = any(:blobs) and not is_reference_list
    ), asked as (
        select lexeme, cast(quote_literal(lexeme) as tsquery) as word
        from unnest(to_tsvector('english', :words)) where lexeme !~ '[''\\]' limit 60
    ), rare as (
        select word, ln(1 + (select count(*) from scope) / cast(count(*) as float)) as weight
        from asked join scope on scope.words @@ word group by word
    )
    select blob, number from rare join scope on scope.words @@ word
    group by blob, number order by sum(weight) desc, blob, number limit :most
    """
)

_PUT = insert(library_passages).values(words=func.to_tsvector(text("'english'"), bindparam("said")))


class PostgresPassages:
    """Implements ``PassageIndex``; on a server without pgvector by words only."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def known(self, blobs: Collection[str]) -> Mapping[str, IndexedText]:
        wanted = library_texts.c.blob.in_(sorted(blobs)) & (library_texts.c.rules == RULES)
        used = update(library_texts).where(wanted).values(used_at=self._clock.now())
        with self._database.transaction() as connection:
            rows = connection.execute(used.returning(library_texts)).mappings().all()
        return {row["blob"]: IndexedText.model_validate(dict(row)) for row in rows}

    def put(
        self, blob: str, indexed: IndexedText, passages: Sequence[LibraryPassage], vectors: Vectors
    ) -> None:
        row = indexed.model_dump(mode="json") | {"blob": blob, "used_at": self._clock.now()}
        numbers = vectors.vectors if vectors.dimensions else ((),) * len(passages)
        rows = [_row(blob, each, vector) for each, vector in zip(passages, numbers, strict=True)]
        with self._database.transaction() as connection:
            # One at a time: two novels may have the same file, and two processes may read it.
            connection.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(blob, 7308))))
            connection.execute(delete(library_texts).where(library_texts.c.blob == blob))
            connection.execute(insert(library_texts).values(row))
            if rows:
                connection.execute(_PUT, rows)

    def search(
        self, blobs: Collection[str], words: str, vector: Vectors, limit: int
    ) -> tuple[tuple[str, LibraryPassage], ...]:
        if not blobs or limit <= 0:
            return ()
        with self._database.transaction() as connection:
            by_words = _by_words(connection, blobs, words)
            farthest = _FARTHEST_OF_A_WORD if _amount(connection, words) <= _FEW else _FARTHEST
            best = fused([by_words, _by_vector(connection, blobs, vector, farthest)], limit)
            found = _read(connection, best)
        having = set(by_words)
        return tuple(
            (key[0], found[key].model_copy(update={"has_words": key in having}))
            for key in best
            if key in found
        )

    def passages(self, blob: str) -> tuple[LibraryPassage, ...]:
        wanted = select(library_passages).where(_ROWS.blob == blob).order_by(_ROWS.number)
        with self._database.statement() as connection:
            return tuple(_passage(row) for row in connection.execute(wanted).mappings())


# Any: column values of several types, here and below.
def _row(blob: str, passage: LibraryPassage, vector: Sequence[float]) -> Mapping[str, Any]:
    kept = passage.model_dump(include={"number", "page", "section", "text", "is_reference_list"})
    return kept | {"blob": blob, "vector": list(vector) or None, "said": passage.text}


def _by_words(connection: Connection, blobs: Collection[str], words: str) -> Sequence[_Key]:
    asked = {"blobs": list(blobs), "words": words.replace("\0", " "), "most": _POOL}
    return [(row.blob, row.number) for row in connection.execute(_BY_WORDS, asked)]


def _amount(connection: Connection, words: str) -> int:
    """The number of words of a question that say something."""
    counted = select(func.length(func.to_tsvector(text("'english'"), words.replace("\0", " "))))
    return int(connection.execute(counted).scalar_one())


def _by_vector(
    connection: Connection, blobs: Collection[str], vector: Vectors, farthest: float
) -> Sequence[_Key]:
    if not vector.dimensions or not any(vector.vectors[0]) or not has_vectors(connection):
        return ()
    kind = Vector(vector.dimensions)
    asked = cast(list(vector.vectors[0]), kind)
    distance: Any = cast(_ROWS.vector, kind).op("<=>", return_type=Double())(asked)
    wanted = (
        select(_ROWS.blob, _ROWS.number)
        .join(library_texts, library_texts.c.blob == _ROWS.blob)
        .where(_ROWS.blob.in_(list(blobs)), ~_ROWS.is_reference_list, _ROWS.vector.is_not(None))
        .where(library_texts.c.model == vector.model, distance < farthest)
        .order_by(distance, _ROWS.blob, _ROWS.number)
        .limit(_POOL)
    )
    return [(row.blob, row.number) for row in connection.execute(wanted)]


def _read(connection: Connection, keys: Sequence[_Key]) -> Mapping[_Key, LibraryPassage]:
    wanted = select(library_passages).where(tuple_(_ROWS.blob, _ROWS.number).in_(keys))
    rows = connection.execute(wanted).mappings().all() if keys else ()
    return {(row["blob"], row["number"]): _passage(row) for row in rows}


def _passage(row: Mapping[Any, Any]) -> LibraryPassage:
    return LibraryPassage.model_validate({**row, "source": row["blob"]})
