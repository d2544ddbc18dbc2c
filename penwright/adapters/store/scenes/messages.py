"""Messages and their alternatives, as one scene sees them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, exists, select

from penwright.adapters.store.scenes.lineage import Segment, line_of
from penwright.adapters.store.scenes.tables.played import message_alternatives, scene_messages, undone_rounds
from penwright.domain.text.whole_numbers import whole_number
from schemas.scene import Alternative, SceneMessage

_MESSAGES = scene_messages.c
_TEXTS = message_alternatives.c


def message_id(scene: str, number: int) -> str:
    return f"{scene}/{number}"


def parse_id(id: str) -> tuple[str, int]:
    """The scene and the number in a message's id; an empty scene if it is none."""
    scene, _, digits = id.rpartition("/")
    number = whole_number(digits)
    return ("", 0) if number is None else (scene, number)


def newest_messages(
    connection: Connection, scene: str, *, newest: int, before: int | None, undone: bool
) -> tuple[SceneMessage, ...]:
    """See the port."""
    if newest <= 0:
        return ()
    found: dict[int, SceneMessage] = {}
    bounds = [] if before is None else [_MESSAGES.number < before]
    if not undone:
        bounds.append(~_hidden(scene))
    for segment in line_of(connection, scene):
        wanted = [*bounds, _MESSAGES.number <= segment.to_message]
        if len(found) >= newest:
            # What is older than all that was found is not wanted; a nearer copy of it may still be.
            wanted.append(_MESSAGES.number > sorted(found)[-newest])
        for message in _read(connection, scene, segment, wanted, newest):
            found.setdefault(message.number, message)
    return tuple(found[number] for number in sorted(found)[-newest:])


def message_at(connection: Connection, scene: str, number: int) -> SceneMessage | None:
    """The message with that number in a scene, hidden or not."""
    for segment in line_of(connection, scene):
        if number <= segment.to_message:
            found = _read(connection, scene, segment, [_MESSAGES.number == number], 1)
            if found:
                return found[0]
    return None


def messages_of_round(connection: Connection, scene: str, round: int) -> tuple[SceneMessage, ...]:
    """All messages of a round, in order."""
    found: dict[int, SceneMessage] = {}
    for segment in line_of(connection, scene):
        wanted = [_MESSAGES.round == round, _MESSAGES.number <= segment.to_message]
        for message in _read(connection, scene, segment, wanted, None):
            found.setdefault(message.number, message)
    return tuple(found[number] for number in sorted(found))


def rounds_of_messages(
    connection: Connection, line: Sequence[Segment], numbers: Collection[int]
) -> Mapping[int, int]:
    """The rounds in which messages were said, by the numbers of both."""
    found: dict[int, int] = {}
    for segment in line if any(numbers) else ():
        here = select(_MESSAGES.number, _MESSAGES.round).where(
            _MESSAGES.scene == segment.scene,
            _MESSAGES.number.in_(numbers),
            _MESSAGES.number <= segment.to_message,
        )
        for row in connection.execute(here):
            found.setdefault(row.number, row.round)
    return found


def readings_of(connection: Connection, scene: str) -> Mapping[int, tuple[str, int]]:
    """Of all messages that are played, without the system's: who holds it and its chosen text, by number."""
    found: dict[int, tuple[str, int]] = {}
    for segment in line_of(connection, scene):
        here = select(_MESSAGES.number, _MESSAGES.chosen).where(
            _MESSAGES.scene == segment.scene,
            _MESSAGES.number <= segment.to_message,
            _MESSAGES.speaker != "system",
            ~_hidden(scene),
        )
        for number, chosen in connection.execute(here):
            found.setdefault(number, (segment.scene, chosen))
    return found


def heard_in(connection: Connection, holder: str, numbers: Collection[int]) -> tuple[RowMapping, ...]:
    """Number, round, speaker and witnesses of messages that one scene holds."""
    wanted = (_MESSAGES.number, _MESSAGES.round, _MESSAGES.speaker_id, _MESSAGES.witnesses)
    here = select(*wanted).where(_MESSAGES.scene == holder, _MESSAGES.number.in_(numbers))
    return tuple(connection.execute(here).mappings())


def hidden_messages(connection: Connection, scene: str, line: Sequence[Segment]) -> tuple[int, ...]:
    """Numbers of the messages of hidden rounds, rising."""
    found: set[int] = set()
    for segment in line:
        here = select(_MESSAGES.number).where(
            _MESSAGES.scene == segment.scene, _MESSAGES.number <= segment.to_message, _hidden(scene)
        )
        found.update(connection.execute(here).scalars())
    return tuple(sorted(found))


def _hidden(scene: str) -> ColumnElement[bool]:
    here = undone_rounds.c
    return exists(select(here.round).where(here.scene == scene, here.round == _MESSAGES.round))


def _read(
    connection: Connection,
    scene: str,
    segment: Segment,
    wanted: Sequence[ColumnElement[bool]],
    newest: int | None,
) -> tuple[SceneMessage, ...]:
    """Messages that one scene of the line holds, as ``scene`` sees them; newest first."""
    rows = select(scene_messages, _hidden(scene).label("undone")).where(
        _MESSAGES.scene == segment.scene, *wanted
    )
    found = connection.execute(rows.order_by(_MESSAGES.number.desc()).limit(newest)).mappings().all()
    texts = _texts(connection, segment.scene, [row["number"] for row in found])
    return tuple(
        SceneMessage.model_validate(
            {
                **row,
                "id": message_id(scene, row["number"]),
                "alternatives": texts[row["number"]],
            }
        )
        for row in found
    )


def _texts(connection: Connection, scene: str, numbers: Sequence[int]) -> Mapping[int, list[Alternative]]:
    texts: dict[int, list[Alternative]] = {number: [] for number in numbers}
    if numbers:
        bounds = _TEXTS.number.between(min(numbers), max(numbers))
        rows = select(message_alternatives).where(_TEXTS.scene == scene, bounds)
        for row in connection.execute(rows.order_by(_TEXTS.number, _TEXTS.index)).mappings():
            if row["number"] in texts:
                texts[row["number"]].append(Alternative.model_validate(dict(row)))
    return texts


# Any: column values of several types.
def columns_of(message: SceneMessage, scene: str) -> dict[str, Any]:
    """The row of a message in a scene."""
    row = message.model_dump(mode="json", exclude={"id", "alternatives", "undone"})
    return {**row, "scene": scene}


# Any: column values of several types.
def alternative_row(scene: str, number: int, alternative: Alternative) -> dict[str, Any]:
    """The row of an alternative in a scene."""
    row = alternative.model_dump(mode="json", exclude={"at"})
    return {**row, "scene": scene, "number": number, "at": alternative.at}
