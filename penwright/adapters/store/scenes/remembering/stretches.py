"""The summary of a scene, by stretches."""

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime

from sqlalchemy import Connection, RowMapping, insert, or_, select

from penwright.adapters.store.scenes.lineage import line_of
from penwright.adapters.store.scenes.messages import heard_in, newest_messages, readings_of
from penwright.adapters.store.scenes.once import Done
from penwright.adapters.store.scenes.setting.naming import no_such
from penwright.adapters.store.scenes.tables.played import scene_stretches
from penwright.adapters.store.scenes.telling import scene_event
from penwright.domain.scene.stretches import valid_stretches
from schemas.base import Effect, OpId
from schemas.scene import SceneMessage
from schemas.scene_summary import Outside, Stretch, SummedUp

_ROWS = scene_stretches.c


def put_stretch(
    connection: Connection,
    row: RowMapping | None,
    scene: str,
    summary: tuple[str, tuple[str, ...]],
    op: tuple[str, datetime],
    shown: Mapping[int, str],
) -> Done | bool:
    """Store a summary's text with its witnesses; False if what was ``shown`` reads otherwise by now."""
    if row is None:
        raise no_such("scene", scene)
    last = max(shown, default=0)
    newest = newest_messages(
        connection, scene, newest=last - min(shown, default=0) + 1, before=last + 1, undone=False
    )
    now = {each.number: each for each in newest if each.number in shown}
    marks = _marks(readings_of(connection, scene))
    reads_so = {number: each.text for number, each in now.items()} == shown
    if not shown or not reads_so or not shown.keys() <= marks.keys():
        return False
    stretch = stretch_of(summary, now, {number: marks[number] for number in shown})
    op_id, at = op
    values = {"scene": scene, "last": last, "body": stretch.model_dump(mode="json"), "at": at}
    connection.execute(insert(scene_stretches).values(values))
    effect = Effect(op_id=OpId(op_id), issued_at=at)
    return Done({}, (scene_event(effect, scene, "", "state.updated", {"summarised_to": last}),))


def stretch_of(
    summary: tuple[str, tuple[str, ...]], told: Mapping[int, SceneMessage], readings: dict[int, str]
) -> Stretch:
    """The stretch of these messages; ``summary`` is its text, and who heard them all."""
    rounds = [each.round for each in told.values()]
    text, witnesses = summary
    return Stretch(text=text, witnesses=witnesses, readings=readings, rounds=(min(rounds), max(rounds)))


def all_stretches(connection: Connection, scene: str) -> tuple[Stretch, ...]:
    """All that were ever made of what the scene has or shares, the newest first."""
    line = line_of(connection, scene)
    shared = [(_ROWS.scene == each.scene) & (_ROWS.last <= each.to_message) for each in line]
    if not shared:
        return ()
    rows = select(_ROWS.body).where(or_(*shared)).order_by(_ROWS.number.desc())
    return tuple(map(Stretch.model_validate, connection.execute(rows).scalars()))


def summed_up(connection: Connection, scene: str) -> SummedUp:
    """See the port."""
    played = readings_of(connection, scene)
    found = valid_stretches(all_stretches(connection, scene), _marks(played))
    covered = {number for each in found for number in each.readings}
    holders: dict[str, list[int]] = {}
    for number, (holder, _) in played.items():
        if number not in covered:
            holders.setdefault(holder, []).append(number)
    outside = [each for holder, numbers in holders.items() for each in _outside(connection, holder, numbers)]
    return SummedUp(stretches=found, outside=tuple(sorted(outside, key=lambda each: each.number)))


def _outside(connection: Connection, holder: str, numbers: Collection[int]) -> Iterator[Outside]:
    for row in heard_in(connection, holder, numbers):
        heard_by = frozenset({*row["witnesses"], row["speaker_id"]} - {""})
        yield Outside(number=row["number"], round=row["round"], heard_by=heard_by)


def _marks(readings: Mapping[int, tuple[str, int]]) -> dict[int, str]:
    return {number: f"{holder}/{chosen}" for number, (holder, chosen) in readings.items()}
