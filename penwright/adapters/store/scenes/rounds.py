"""Rounds as one scene sees them."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, exists, select, text

from penwright.adapters.store.scenes.lineage import Segment, line_of
from penwright.adapters.store.scenes.messages import hidden_messages, message_at, rounds_of_messages
from penwright.adapters.store.scenes.setting import roster
from penwright.adapters.store.scenes.tables.played import round_steps, scene_rounds, undone_rounds
from penwright.adapters.store.scenes.tables.setting import scenes
from penwright.errors import Refused
from schemas.scene import PassRecord, Round, SceneState, SceneWith, Take, Takes, TurnRecord

_ROUNDS = scene_rounds.c
_STEPS = round_steps.c
_ASIDE = text(
    """
    with recursive line (scene, holder, parent, branched_at, to_round) as (
        select id, id, branched_from, branched_at, 2147483647 from scenes where id = any(:scenes)
        union all
        select line.scene, above.id, above.branched_from, above.branched_at,
               least(line.to_round, line.branched_at)
        from line join scenes as above on above.id = line.parent
    ),
    aside (scene, round) as (
        select scene, round from undone_rounds where scene = any(:scenes)
        union
        select line.scene, played.number
        from line join scene_rounds as played on played.scene = line.holder and played.number <= line.to_round
        where played.regenerates is not null
    )
    select scene, count(*) as rounds from aside group by scene
    """
)


def newest_rounds(connection: Connection, scene: str, newest: int) -> tuple[Round, ...]:
    """See the port."""
    found: dict[int, Round] = {}
    for segment in line_of(connection, scene):
        rows = _rows(connection, scene, segment.scene, [_ROUNDS.number <= segment.to_round], newest)
        for row in rows:
            found.setdefault(row["number"], _round(connection, scene, row))
        if len(found) >= newest:
            break
    return tuple(found[number] for number in sorted(found)[-newest:]) if newest > 0 else ()


def round_at(connection: Connection, scene: str, number: int) -> Round | None:
    """The round with that number, as the scene sees it."""
    row = round_row(connection, scene, number)
    return None if row is None else _round(connection, scene, row)


def round_row(connection: Connection, scene: str, number: int) -> RowMapping | None:
    """Its row, with ``undone``."""
    for segment in line_of(connection, scene):
        if number <= segment.to_round:
            rows = _rows(connection, scene, segment.scene, [_ROUNDS.number == number], 1)
            if rows:
                return rows[0]
    return None


def newest_visible(
    connection: Connection, scene: str, *, whole: bool = False, before: int | None = None
) -> RowMapping | None:
    """The row of the newest round that is not undone.

    Args:
        whole: without those that only made one reply again.
        before: without this one and later ones.
    """
    for segment in line_of(connection, scene):
        seen = [_ROUNDS.number <= segment.to_round, ~_undone(scene)]
        seen += [_ROUNDS.regenerates.is_(None)] if whole else []
        seen += [_ROUNDS.number < before] if before is not None else []
        rows = _rows(connection, scene, segment.scene, seen, 1)
        if rows:
            return rows[0]
    return None


def newest_retold(connection: Connection, scene: str) -> RowMapping | None:
    """The row of what is played again without being named: the newest visible round, or its newest reply.

    A reply of an earlier round that was made again is left out: it is not the last that was said.
    """
    newest = newest_visible(connection, scene)
    if newest is None or not newest["regenerates"]:
        return newest
    last = newest_visible(connection, scene, whole=True)
    made = message_at(connection, scene, newest["regenerates"])
    return newest if last is None or made is None or made.round == last["number"] else last


def next_visible(connection: Connection, scene: str, after: int) -> RowMapping | None:
    """The row of the first round after that one which is not undone, and is no other take of a reply.

    Such a take may be of a reply long before: it began with the state of its moment.
    """
    for segment in reversed(line_of(connection, scene)):
        between = [_ROUNDS.number > after, _ROUNDS.number <= segment.to_round]
        seen = [*between, ~_undone(scene), _ROUNDS.regenerates.is_(None)]
        rows = select(scene_rounds, _undone(scene).label("undone")).where(
            _ROUNDS.scene == segment.scene, *seen
        )
        found = connection.execute(rows.order_by(_ROUNDS.number).limit(1)).mappings().first()
        if found is not None:
            return found
    return None


def hidden_round(
    connection: Connection,
    scene: str,
    number: int,
    newest: RowMapping | None,
    retold: RowMapping | None,
) -> tuple[RowMapping, SceneWith] | None:
    """The row of a hidden round that may come back, with the scene as it was with it.

    Args:
        number: of the round; 0: the one that a person took back last.
        newest: the row of the newest round that is not hidden.
        retold: the row of ``newest_retold``.
    """
    here = undone_rounds.c
    marks = select(here.round, here.scene_with).where(here.scene == scene, here.scene_with.is_not(None))
    if number:
        marks = marks.where(here.round == number)
    for mark in connection.execute(marks.order_by(here.at.desc(), here.round.desc())):
        row, kept = round_row(connection, scene, mark.round), SceneWith.model_validate(mark.scene_with)
        if row is not None and may_come_back(row, kept, newest, retold, named=bool(number)):
            return row, kept
    return None


def has_session(connection: Connection, scene: str, session: str) -> bool:
    """See the port."""
    mine = select(_ROUNDS.number).where(_ROUNDS.scene == scene, _ROUNDS.session == session)
    return bool(connection.execute(select(exists(mine))).scalar())


# Any: column values of several types.
def may_come_back(
    row: Mapping[Any, Any],
    kept: SceneWith,
    newest: Mapping[Any, Any] | None,
    retold: Mapping[Any, Any] | None,
    *,
    named: bool,
) -> bool:
    """Whether what stood before a hidden round stands now, or stands before the one that it is a take of."""
    last = newest["number"] if newest else 0
    if followed(row, kept) == last:
        return named or kept.undone
    if retold is None:
        return False
    if row["replaces"] == retold["number"]:
        return named or (kept.undone and last < row["number"])
    return named and bool(row["follows"] == retold["follows"])


# Any: column values of several types.
def followed(row: Mapping[Any, Any], kept: SceneWith) -> int:
    """The round before a hidden one: another take may have come in place of the one that it followed."""
    return int(row["follows"]) if kept.stood is None else kept.stood


def takes_of(connection: Connection, scene: str) -> Takes:
    """See the port."""
    line = line_of(connection, scene)
    newest = connection.execute(select(scenes.c.rounds).where(scenes.c.id == scene)).scalar()
    rows = _aside(connection, scene, line)
    holders = rounds_of_messages(connection, line, {row["regenerates"] or 0 for row in rows.values()})
    return Takes(
        rounds=newest or 0,
        aside=tuple(
            Take(
                id=number,
                follows=rows[number]["follows"],
                remakes=holders.get(rows[number]["regenerates"] or 0, 0),
                hidden=rows[number]["hidden"],
            )
            for number in sorted(rows)
        ),
        hidden_messages=hidden_messages(connection, scene, line),
    )


def _aside(connection: Connection, scene: str, line: Sequence[Segment]) -> Mapping[int, RowMapping]:
    """By id, the rounds that are hidden or made one reply again: a small part of all."""
    hidden = _undone(scene)
    columns = select(_ROUNDS.number, _ROUNDS.follows, _ROUNDS.regenerates, hidden.label("hidden"))
    found: dict[int, RowMapping] = {}
    for segment in line:
        here = columns.where(_ROUNDS.scene == segment.scene, _ROUNDS.number <= segment.to_round)
        for row in connection.execute(here.where(_ROUNDS.regenerates.is_not(None) | hidden)).mappings():
            found.setdefault(row["number"], row)
    return found


def set_aside(connection: Connection, scenes: Sequence[str]) -> Mapping[str, int]:
    """See the port."""
    rows = connection.execute(_ASIDE, {"scenes": list(scenes)})
    return {row.scene: row.rounds for row in rows}


def running_row(connection: Connection, scene: str, number: int) -> RowMapping:
    """The row of a round that runs; raises ``Refused`` ``round-closed``."""
    rows = _rows(connection, scene, scene, [_ROUNDS.number == number, _ROUNDS.status == "running"], 1)
    if not rows:
        raise round_closed(scene, number)
    return rows[0]


def round_closed(scene: str, number: int) -> Refused:
    return Refused(
        "round-closed",
        f"That round of scene {scene!r} does not run any more, so nothing is added to it.",
        scene=scene,
        round=str(number),
    )


def round_runs(scene: str, session: str) -> str:
    """Refuse the second speaker: a round runs."""
    return f"A round of scene {scene!r} runs (scene/{scene}#{session})."


def running(connection: Connection, scene: str) -> tuple[int, str] | None:
    """Number and message of the round that runs."""
    number = roster.running_round(connection, scene)
    if number is None:
        return None
    row = running_row(connection, scene, number)
    return number, round_runs(scene, row["session"])


def _undone(scene: str) -> ColumnElement[bool]:
    here = undone_rounds.c
    return exists(select(here.round).where(here.scene == scene, here.round == _ROUNDS.number))


# Any: conditions of SQLAlchemy.
def _rows(
    connection: Connection, scene: str, holder: str, wanted: list[Any], newest: int
) -> list[RowMapping]:
    rows = select(scene_rounds, _undone(scene).label("undone")).where(_ROUNDS.scene == holder, *wanted)
    return list(connection.execute(rows.order_by(_ROUNDS.number.desc()).limit(newest)).mappings())


def _round(connection: Connection, scene: str, row: RowMapping) -> Round:
    known = dict(row["body"])
    if row["status"] == "running":
        known |= _steps(connection, row)
    status = "undone" if row["undone"] and row["status"] != "failed" else row["status"]
    columns = {name: row[name] for name in ("number", "kind", "op_id", "started_at", "ended_at")}
    before = before_of(row)
    return Round.model_validate({**known, **columns, "scene": scene, "status": status, "before": before})


def before_of(row: RowMapping) -> SceneState:
    """The state as the round began."""
    return SceneState.model_validate(row["before"])


# Any: column values of several types.
def _steps(connection: Connection, row: Mapping[Any, Any]) -> dict[str, Any]:
    """Passes and turns of a round that runs, as far as they are kept."""
    here = select(_STEPS.kind, _STEPS.record).where(
        _STEPS.scene == row["scene"], _STEPS.round == row["number"], _STEPS.ended.is_not(None)
    )
    kept = connection.execute(here.order_by(_STEPS.ended)).all()
    return {
        "passes": tuple(PassRecord.model_validate(each.record) for each in kept if each.kind == "director"),
        "turns": tuple(TurnRecord.model_validate(each.record) for each in kept if each.kind == "character"),
    }
