"""Pieces of replies over PostgreSQL's notifications, kept while their turn lasts; nothing waits for them."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from time import monotonic

import psycopg
from pydantic import ValidationError
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from penwright.adapters.store.database import Database
from penwright.adapters.store.failures import map_errors
from penwright.errors import PenwrightError
from schemas.deltas import Delta
from schemas.scene import Author

CHANNEL = "penwright_deltas"
LARGEST = 7_900
"""Bytes of one notification; PostgreSQL takes fewer than 8,000."""
QUIET_S = 5.0
"""After a failure nothing is sent for so long: a database in trouble has other work."""
WAITING = 500
"""Pieces that one reader may be behind; older ones are dropped."""
_KEEP_AND_NOTIFY = text(
    f"""
    with kept as (
        update round_steps
        set heard = rpad(left(heard, :position), :position, '…') || :piece, author = cast(:author as json)
        where scene = :scene and round = :round and kind = 'character' and who = :character and ended is null
        returning 1
    ),
    over as (select 1 from scene_rounds where scene = :scene and number = :round)
    select pg_notify('{CHANNEL}', :payload) where exists (table kept) or not exists (table over)
    """
)
"""A piece is kept with its turn, for the turn may be stopped; of a turn that is over, none is told."""
_LISTEN = f"listen {CHANNEL}"


class PostgresDeltas:
    """Implements ``Deltas`` and ``DeltaFeed``. Each piece is a statement of its own, outside transactions."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._quiet_until = 0.0

    def send(self, scene: str, round: int, character: str, piece: str, position: int, author: Author) -> None:
        """See the port."""
        if monotonic() < self._quiet_until:
            return
        # A lone surrogate is in no text; what stands for it is as long.
        fit = piece.encode("utf-8", "replace").decode()
        delta = Delta(scene=scene, round=round, character=character, piece=fit, position=position)
        try:
            with self._database.statement() as connection:
                for part, payload in payloads(delta):
                    row = part.model_dump() | {"piece": part.piece.replace("\x00", "\ufffd")}
                    written = {"payload": payload, "author": author.model_dump_json()}
                    connection.execute(_KEEP_AND_NOTIFY, row | written)
        except (PenwrightError, SQLAlchemyError):
            self._quiet_until = monotonic() + QUIET_S

    async def follow(self, scene: str = "") -> AsyncIterator[Delta]:
        """See the port."""
        waiting: asyncio.Queue[Delta | psycopg.Error] = asyncio.Queue(WAITING)
        connection = await self._database.listener()
        async with connection:
            with map_errors():
                await connection.execute(_LISTEN)
            listening = asyncio.create_task(_listen(connection, scene, waiting))
            try:
                while True:
                    with map_errors():
                        yield _delta(await waiting.get())
            finally:
                listening.cancel()
                await asyncio.wait({listening})


async def _listen(
    connection: psycopg.AsyncConnection[tuple[object, ...]],
    scene: str,
    waiting: "asyncio.Queue[Delta | psycopg.Error]",
) -> None:
    """Take every notification at once, so that a slow reader holds up no other reader."""
    try:
        async for notice in connection.notifies():
            if (delta := _read(notice.payload)) is not None and scene in ("", delta.scene):
                _put(waiting, delta)
    except psycopg.Error as error:
        _put(waiting, error)


def _put(waiting: "asyncio.Queue[Delta | psycopg.Error]", item: Delta | psycopg.Error) -> None:
    if waiting.full():
        with suppress(asyncio.QueueEmpty):
            waiting.get_nowait()
    waiting.put_nowait(item)


def _delta(item: Delta | psycopg.Error) -> Delta:
    if isinstance(item, psycopg.Error):
        raise item
    return item


def _read(payload: str) -> Delta | None:
    """A notification; None for one of another version."""
    try:
        return Delta.model_validate_json(payload)
    except ValidationError:
        return None


def payloads(delta: Delta) -> Iterator[tuple[Delta, str]]:
    """A piece in parts with their notifications, each small enough; parts have their own positions."""
    # Escaped to ASCII: characters are bytes then, and nothing in it is unstorable.
    payload = json.dumps(delta.model_dump(mode="json"))
    if len(payload) <= LARGEST or len(delta.piece) < 2:
        if len(payload) <= LARGEST:
            yield delta, payload
        return
    half = len(delta.piece) // 2
    yield from payloads(delta.model_copy(update={"piece": delta.piece[:half]}))
    rest = {"piece": delta.piece[half:], "position": delta.position + half}
    yield from payloads(delta.model_copy(update=rest))
