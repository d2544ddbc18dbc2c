"""The events of scenes; the store and its double tell the same."""

from collections.abc import Iterable, Sequence
from typing import Any

from penwright.domain.scene.resolving import NARRATOR
from penwright.domain.scene.turn_transitions import NARRATORS_NAME
from schemas.base import Effect
from schemas.director import FIELDS, StateChange
from schemas.records import Event
from schemas.scene import (
    BeginStep,
    CloseRound,
    KeepPass,
    KeepTurn,
    PassRecord,
    Round,
    SceneState,
    TurnRecord,
)

OUTCOMES = {"spoken": "completed", "failed": "failed", "skipped": "skipped", "stopped": "cancelled"}


# Any: JSON.
def scene_event(
    effect: Effect, scene: str, session: str, kind: str, data: dict[str, Any], step: str = ""
) -> Event:
    """One event. ``step`` tells events of one kind and one effect apart."""
    run = f"scene/{scene}#{session}" if session else f"scene/{scene}"
    op_id = f"{effect.op_id}/{step}" if step else str(effect.op_id)
    return Event(run=run, subject=f"scene/{scene}", kind=kind, at=effect.issued_at, op_id=op_id, data=data)


def round_started(effect: Effect, scene: str, session: str, round: int, kind: str, message: str) -> Event:
    data = {"round": round, "kind": kind, "message": message}
    return scene_event(effect, scene, session, "round.started", data)


def step_started(request: BeginStep, session: str) -> Event:
    data: dict[str, Any] = {"round": request.round, "pass": request.pass_number, **_who(request)}
    return scene_event(request.effect, request.scene, session, f"{request.kind}.started", data)


def pass_ended(effect: Effect, scene: str, session: str, round: int, record: PassRecord) -> Event:
    data = {
        "round": round,
        "pass": record.number,
        "outcome": "completed" if record.outcome == "planned" else record.outcome,
        "turns": [turn.character for turn in record.applied.turns],
        "left_over": list(record.applied.left_over),
        "code": record.code,
        "reason": record.reason,
        "notes": [note.text for note in record.applied.notes],
    }
    return scene_event(effect, scene, session, "director.completed", data)


def plan_approved(effect: Effect, scene: str, session: str, kept: KeepPass) -> Event:
    data = {
        "round": kept.round,
        "pass": kept.record.number,
        "turns": [turn.character for turn in kept.record.applied.turns],
        "by": kept.record.approved_by,
    }
    return scene_event(effect, scene, session, "director.approved", data)


def _who(step: BeginStep) -> dict[str, Any]:
    if step.kind != "character":
        return {}
    return {"character": step.who, "name": NARRATORS_NAME if step.who == NARRATOR else step.name}


def turn_ended(request: KeepTurn, session: str, record: TurnRecord) -> Event:
    """Args: ``record``: that of the request, with its message."""
    data = {
        "round": request.round,
        "pass": record.pass_number,
        "character": record.character,
        "name": request.name,
        "outcome": OUTCOMES[record.outcome],
        "message": record.message,
        "code": record.code,
        "reason": record.reason,
    }
    return scene_event(request.effect, request.scene, session, "character.completed", data)


def step_cancelled(effect: Effect, scene: str, session: str, step: BeginStep) -> Event:
    """The end of a step that the round's end overtook."""
    data = {"round": step.round, "pass": step.pass_number, "outcome": "cancelled", **_who(step)}
    name = f"{step.pass_number}/{step.who}"
    return scene_event(effect, scene, session, f"{step.kind}.completed", data, name)


def world_agent_ended(request: CloseRound, session: str) -> tuple[Event, ...]:
    """One event, if the world agent was asked in the round."""
    if not request.world_agent:
        return ()
    data = {"round": request.round.number}
    return (
        scene_event(request.effect, request.scene, session, "world-agent.completed", data, "world-agent"),
    )


def round_ended(effect: Effect, session: str, ended: Round) -> Event:
    data = {
        "round": ended.number,
        "kind": ended.kind,
        "status": ended.status,
        "code": ended.code,
        "reason": ended.reason,
        "spoken": [turn.message for turn in ended.turns if turn.outcome == "spoken"],
        "cost_micros": ended.cost_micros,
        "unknown_prices": ended.unknown_prices,
    }
    return scene_event(effect, ended.scene, session, "round.completed", data)


def state_told(
    effect: Effect,
    scene: str,
    session: str,
    changes: Sequence[StateChange],
    before: SceneState,
    after: SceneState,
) -> tuple[Event, ...]:
    """``state.updated`` and ``world.updated``, each if there is something to tell."""
    own = [change for change in changes if change.subject not in ("world", "tracker")]
    data = {"version": after.version, "roster": list(after.roster), "changes": _brief(own)}
    events = []
    if own or before.roster != after.roster or _people(before) != _people(after):
        events.append(scene_event(effect, scene, session, "state.updated", data))
    if (before.world, before.trackers) != (after.world, after.trackers):
        data = {"version": after.version, "world": after.world, "trackers": after.trackers}
        events.append(scene_event(effect, scene, session, "world.updated", data))
    return tuple(events)


def differences(before: SceneState, after: SceneState, by: str) -> tuple[StateChange, ...]:
    """List the changes by an undo, field by field."""
    old = {one.id: one for one in before.characters}
    new = {one.id: one for one in after.characters}
    fields: list[tuple[str, str, str, str]] = [
        (id, name, _value(old.get(id), name), _value(new.get(id), name))
        for id in sorted({*old, *new})
        for name in FIELDS
    ]
    for subject, was, now in (
        ("world", before.world, after.world),
        ("tracker", before.trackers, after.trackers),
    ):
        fields += [(subject, name, was.get(name, ""), now.get(name, "")) for name in sorted({*was, *now})]
    return tuple(
        StateChange(subject=subject, field=field, old=was, new=now, source="undo", by=by)
        for subject, field, was, now in fields
        if was != now
    )


def _value(state: object, field: str) -> str:
    return str(getattr(state, field, ""))


def _people(state: SceneState) -> frozenset[object]:
    return frozenset(one.model_dump_json() for one in state.characters)


# Any: JSON.
def _brief(changes: Iterable[StateChange]) -> list[dict[str, Any]]:
    return [change.model_dump(exclude={"old"}) for change in changes]
