"""Storing of a running round: passes, turns, and in the end the round."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from sqlalchemy import Connection, RowMapping, delete, func, insert, select, update

from penwright.adapters.store.scenes.adding import APART
from penwright.adapters.store.scenes.copies import add_alternative, put_message
from penwright.adapters.store.scenes.hiding import hide_round, show_round
from penwright.adapters.store.scenes.messages import message_at, message_id, parse_id
from penwright.adapters.store.scenes.once import Done
from penwright.adapters.store.scenes.remembering.retelling import retell
from penwright.adapters.store.scenes.rounds import round_at, round_row, running_row
from penwright.adapters.store.scenes.setting.naming import no_such
from penwright.adapters.store.scenes.setting.roster import settled
from penwright.adapters.store.scenes.tables.played import round_steps, scene_rounds
from penwright.adapters.store.scenes.tables.setting import characters, personas, scenes
from penwright.adapters.store.scenes.telling import (
    pass_ended,
    plan_approved,
    round_ended,
    state_told,
    step_cancelled,
    step_started,
    turn_ended,
    world_agent_ended,
)
from penwright.adapters.store.scenes.views import (
    log_changes,
    put_state,
    settle_changes,
    state_of,
)
from penwright.domain.scene.replaying import falls_through
from penwright.errors import UsageMistake
from schemas.director import StateChange
from schemas.records import Event
from schemas.scene import (
    Alternative,
    Author,
    BeginStep,
    CloseRound,
    Heard,
    KeepPass,
    KeepTurn,
    Round,
    SceneMessage,
    SceneState,
)

_STEPS = round_steps.c


def begin(connection: Connection, row: RowMapping | None, request: BeginStep) -> Done:
    """See the port."""
    if request.kind in ("world-agent", "summariser"):
        begun = round_row(connection, request.scene, request.round)
        return Done({}, (step_started(request, begun["session"]),) if begun else ())
    session = _running(connection, row, request.scene, request.round)["session"]
    if _open_step(connection, request) is not None:
        return Done({})
    _add_step(connection, request)
    return Done({}, (step_started(request, session),))


def keep_pass(connection: Connection, row: RowMapping | None, request: KeepPass) -> Done:
    """See the port."""
    scene, effect = request.scene, request.effect
    session = _running(connection, row, scene, request.round)["session"]
    step = BeginStep(
        effect=effect,
        scene=scene,
        round=request.round,
        kind="director",
        pass_number=request.record.number,
    )
    record = request.record.model_dump(mode="json")
    if request.record.approved_by and _kept_again(connection, step, record):
        version = state_of(connection, scene).version
        return Done({"version": version}, (plan_approved(effect, scene, session, request),))
    begun = _end_step(connection, step, record, session)
    changes = request.record.applied.changes
    version, told = _change_state(connection, request, request.round, changes, request.state, session)
    ended = pass_ended(effect, scene, session, request.round, request.record)
    return Done({"version": version}, (*begun, ended, *told))


def keep_turn(connection: Connection, row: RowMapping | None, request: KeepTurn, text: str) -> Done:
    """See the port; ``text``: what the blob holds."""
    scene, effect = request.scene, request.effect
    session = _running(connection, row, scene, request.round)["session"]
    message = _keep_text(connection, row, request, text) if request.text is not None else ""
    record = request.record.model_copy(update={"message": message or request.record.message})
    step = BeginStep(
        effect=effect,
        scene=scene,
        round=request.round,
        kind="character",
        pass_number=record.pass_number,
        who=record.character,
        name=request.name,
    )
    begun = _end_step(connection, step, record.model_dump(mode="json"), session)
    given = request.state if request.state != SceneState() else None
    told: tuple[Event, ...] = ()
    if given is not None:
        _, told = _change_state(connection, request, request.round, request.changes, given, session)
    ended = turn_ended(request, session, record)
    return Done({"message": message}, (*begun, ended, *told))


def heard(connection: Connection, scene: str, round: int, who: str) -> Heard | None:
    """See the port."""
    here = (_STEPS.scene == scene) & (_STEPS.round == round) & (_STEPS.who == who)
    newest = select(_STEPS.heard, _STEPS.author).where(here, _STEPS.kind == "character")
    row = connection.execute(newest.order_by(_STEPS.number.desc()).limit(1)).first()
    return Heard(text=row.heard, author=row.author) if row is not None and row.heard else None


def close_round(connection: Connection, row: RowMapping | None, request: CloseRound) -> Done:
    """See the port."""
    scene, ended = request.scene, request.round
    check_ended(request)
    kept = _running(connection, row, scene, ended.number)
    before = state_of(connection, scene)
    stands = _brought_back(connection, request, kept) or request.state
    after = put_state(connection, scene, settled(connection, scene, stands), before)
    _hand_over(connection, scene, request.hand_over)
    settle_changes(connection, request.effect, scene, ended.number, ended.changes)
    cancelled = _cancel_steps(connection, request, kept["session"])
    at = ended.ended_at or request.effect.issued_at
    body = ended.model_dump(mode="json", exclude=APART)
    here = (scene_rounds.c.scene == scene) & (scene_rounds.c.number == ended.number)
    closed = update(scene_rounds).where(here)
    connection.execute(closed.values(status=ended.status, body=body, ended_at=at))
    told = state_told(request.effect, scene, kept["session"], (), before, after)
    end = round_ended(request.effect, kept["session"], ended.model_copy(update={"scene": scene}))
    world = world_agent_ended(request, kept["session"])
    return Done({"round": ended.number}, (*cancelled, *world, *told, end))


def _brought_back(connection: Connection, request: CloseRound, kept: RowMapping) -> SceneState | None:
    """Show the round that this one was to replace, if it fails to; returns the state after that one."""
    if not kept["replaces"] or not falls_through(request.round):
        return None
    hide_round(connection, request.scene, kept["number"], request.effect)
    show_round(connection, request.scene, kept["replaces"])
    return SceneState.model_validate(kept["restores"])


def _hand_over(connection: Connection, scene: str, persona: str) -> None:
    """Let the user speak as another persona from now on; one that was removed meanwhile changes nothing."""
    there = select(personas.c.id).where(personas.c.id == persona)
    if persona and connection.execute(there.with_for_update(read=True, key_share=True)).first():
        changed = {"persona": persona, "version": scenes.c.version + 1}
        other = scenes.c.persona.is_distinct_from(persona)
        connection.execute(update(scenes).where(scenes.c.id == scene, other).values(changed))


def closed(connection: Connection, scene: str, result: Mapping[str, Any]) -> Round:
    """The answer for a round that was closed."""
    return cast(Round, round_at(connection, scene, result["round"]))


def check_ended(request: CloseRound) -> None:
    """Raise ``UsageMistake`` unless the round says how it ended."""
    if request.round.status in ("running", "undone"):
        raise UsageMistake(
            "round-not-ended",
            f"A round is not closed as {request.round.status!r}: say how it ended.",
        )


def _running(connection: Connection, row: RowMapping | None, scene: str, round: int) -> RowMapping:
    if row is None:
        raise no_such("scene", scene)
    return running_row(connection, scene, round)


def _open_step(connection: Connection, step: BeginStep) -> int | None:
    here = select(_STEPS.number).where(
        _STEPS.scene == step.scene,
        _STEPS.round == step.round,
        _STEPS.kind == step.kind,
        _STEPS.pass_number == step.pass_number,
        _STEPS.who == step.who,
        _STEPS.ended.is_(None),
    )
    number: int | None = connection.execute(here).scalar()
    return number


# Any: JSON.
def _add_step(connection: Connection, step: BeginStep, record: dict[str, Any] | None = None) -> None:
    row = step.model_dump(include={"scene", "round", "kind", "pass_number", "who"})
    row["ended"] = _next_end(connection, step) if record is not None else None
    connection.execute(insert(round_steps).values(**row, record=record))


# Any: JSON.
def _end_step(
    connection: Connection, step: BeginStep, record: dict[str, Any], session: str
) -> tuple[Event, ...]:
    """Keep the step; returns the event of its beginning if that was not told."""
    number = _open_step(connection, step)
    if number is None:
        _add_step(connection, step, record)
        return (step_started(step, session),)
    ended = {"ended": _next_end(connection, step), "record": record}
    connection.execute(update(round_steps).where(_STEPS.number == number).values(ended))
    return ()


# Any: JSON.
def _kept_again(connection: Connection, step: BeginStep, record: dict[str, Any]) -> bool:
    """Replace the record of a pass that is kept already; what it changed is so by then."""
    here = (
        update(round_steps)
        .where(_STEPS.scene == step.scene, _STEPS.round == step.round, _STEPS.kind == step.kind)
        .where(_STEPS.pass_number == step.pass_number, _STEPS.ended.is_not(None))
    )
    return connection.execute(here.values(record=record)).rowcount > 0


def _next_end(connection: Connection, step: BeginStep) -> int:
    last = select(func.max(_STEPS.ended)).where(_STEPS.scene == step.scene, _STEPS.round == step.round)
    return (connection.execute(last).scalar() or 0) + 1


def _cancel_steps(connection: Connection, request: CloseRound, session: str) -> tuple[Event, ...]:
    """Forget the steps, which the round now holds; tell of those that nothing ended."""
    here = (_STEPS.scene == request.scene) & (_STEPS.round == request.round.number)
    name = select(characters.c.name).where(characters.c.id == _STEPS.who).scalar_subquery()
    rows = connection.execute(
        delete(round_steps)
        .where(here)
        .returning(
            *(_STEPS.kind, _STEPS.pass_number, _STEPS.who, _STEPS.ended),
            func.coalesce(name, "").label("name"),
        )
    )
    return tuple(
        step_cancelled(
            request.effect,
            request.scene,
            session,
            BeginStep.model_validate(
                {**row, "effect": request.effect, "scene": request.scene, "round": request.round.number}
            ),
        )
        for row in rows.mappings()
        if row["ended"] is None
    )


def _change_state(
    connection: Connection,
    request: KeepPass | KeepTurn,
    round: int,
    changes: Sequence[StateChange],
    state: SceneState,
    session: str,
) -> tuple[int, tuple[Event, ...]]:
    before = state_of(connection, request.scene)
    after = put_state(connection, request.scene, state, before)
    log_changes(connection, request.effect, request.scene, round, changes)
    return after.version, state_told(request.effect, request.scene, session, changes, before, after)


def _keep_text(connection: Connection, row: RowMapping | None, request: KeepTurn, text: str) -> str:
    """Store a reply, as a message or as an alternative; returns the message's id."""
    if request.replaces:
        return _replace_text(connection, request, text)
    assert row is not None
    carried = find_message(connection, request.scene, request.carries) if request.carries else None
    message = new_message(request, row["messages"] + 1, text, carried)
    put_message(connection, request.scene, message)
    return message.id


def _replace_text(connection: Connection, request: KeepTurn, text: str) -> str:
    message = find_message(connection, request.scene, request.replaces)
    add_alternative(connection, request.scene, message, alternative_of(request, text, message))
    retell(connection, request.scene, message.round)
    return message.id


def find_message(connection: Connection, scene: str, id: str) -> SceneMessage:
    """The scene's message with that id, hidden or not; raises ``NotFound`` ``no-such-message``."""
    owner, number = parse_id(id)
    message = message_at(connection, scene, number) if owner == scene else None
    if message is None:
        raise no_such("message", id)
    return message


def new_message(request: KeepTurn, number: int, text: str, carried: SceneMessage | None) -> SceneMessage:
    """The message that a reply becomes; with the texts of a hidden one it has another to choose from."""
    again = alternative_of(request, text, carried)
    return SceneMessage(
        id=message_id(request.scene, number),
        number=number,
        round=request.round,
        speaker=request.speaker,
        speaker_id=request.record.character if request.speaker == "character" else "",
        name=request.name or request.record.character,
        witnesses=request.witnesses,
        chosen=again.index,
        alternatives=(*(carried.alternatives if carried else ()), again),
    )


def alternative_of(request: KeepTurn, text: str, message: SceneMessage | None) -> Alternative:
    """The text of a reply as an alternative, the first or the next."""
    return Alternative(
        index=len(message.alternatives) if message else 0,
        text=text,
        author=request.author or Author(kind="model", name=""),
        at=request.effect.issued_at,
        op_id=request.effect.op_id,
        stopped=request.record.outcome == "stopped",
    )
