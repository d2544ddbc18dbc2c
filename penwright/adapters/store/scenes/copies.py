"""Messages that branches share, copied when one of the scenes changes them.

A branch reads what it shares from the scene that it was branched from. Before a scene changes a
message, it gets a row of its own, if it shares the message, and so does each of its branches that shares it.
"""

from collections.abc import Sequence

from sqlalchemy import Connection, func, insert, select, update
from sqlalchemy.dialects.postgresql import insert as upsert

from penwright.adapters.store.scenes.messages import alternative_row, columns_of
from penwright.adapters.store.scenes.tables.played import message_alternatives, scene_messages
from penwright.adapters.store.scenes.tables.setting import scenes
from schemas.scene import Alternative, SceneMessage

_MESSAGES = scene_messages.c


def add_alternative(
    connection: Connection, scene: str, message: SceneMessage, alternative: Alternative
) -> None:
    """Give the message another text, which is chosen."""
    make_own(connection, scene, message)
    row = alternative_row(scene, message.number, alternative)
    connection.execute(insert(message_alternatives).values(row))
    _set_chosen(connection, scene, message.number, alternative.index)


def choose(connection: Connection, scene: str, message: SceneMessage, index: int) -> None:
    """Make one of its texts the message's text."""
    make_own(connection, scene, message)
    _set_chosen(connection, scene, message.number, index)


def put_message(connection: Connection, scene: str, message: SceneMessage) -> None:
    """Append a message with its texts."""
    connection.execute(insert(scene_messages).values(columns_of(message, scene)))
    rows = [alternative_row(scene, message.number, each) for each in message.alternatives]
    connection.execute(insert(message_alternatives), rows)
    connection.execute(update(scenes).where(scenes.c.id == scene).values(messages=message.number))


def make_own(connection: Connection, scene: str, message: SceneMessage) -> None:
    """Give a row of its own to the scene, and to its branches that share the message."""
    shares = select(scenes.c.id).where(scenes.c.branched_from == scene, scenes.c.shared_to >= message.number)
    for holder in (scene, *connection.execute(shares).scalars().all()):
        _copy(connection, holder, message)


def _copy(connection: Connection, scene: str, message: SceneMessage) -> None:
    """Copy a message into a scene, unless it holds one already."""
    row = columns_of(message, scene)
    made = upsert(scene_messages).values(row).on_conflict_do_nothing().returning(_MESSAGES.number)
    if connection.execute(made).first() is not None:
        rows = [alternative_row(scene, message.number, each) for each in message.alternatives]
        connection.execute(insert(message_alternatives), rows)


def _set_chosen(connection: Connection, scene: str, number: int, index: int) -> None:
    here = (_MESSAGES.scene == scene) & (_MESSAGES.number == number)
    connection.execute(update(scene_messages).where(here).values(chosen=index))


def newest_number(connection: Connection, holders: Sequence[tuple[str, int]], round: int) -> int:
    """Number of the last message up to a round, of scenes each up to a number of messages."""
    found = [
        connection.execute(
            select(func.max(_MESSAGES.number)).where(
                _MESSAGES.scene == scene, _MESSAGES.round <= round, _MESSAGES.number <= to
            )
        ).scalar()
        for scene, to in holders
    ]
    return max((number for number in found if number is not None), default=0)
