"""Changes of a scene by people between rounds: texts, states, patches, and whole rounds taken back."""

from collections.abc import Collection, Mapping
from typing import Any, get_args

from sqlalchemy import Connection, RowMapping

from penwright.adapters.store.scenes.copies import add_alternative, choose
from penwright.adapters.store.scenes.hiding import hide_round, show_round
from penwright.adapters.store.scenes.messages import message_at, messages_of_round, parse_id
from penwright.adapters.store.scenes.once import Done
from penwright.adapters.store.scenes.opening_rounds import no_such_message, no_such_scene
from penwright.adapters.store.scenes.remembering.retelling import retell
from penwright.adapters.store.scenes.rounds import (
    before_of,
    followed,
    hidden_round,
    newest_retold,
    newest_visible,
    running,
)
from penwright.adapters.store.scenes.setting.roster import cast_of, present
from penwright.adapters.store.scenes.setting.worlds import locate, read
from penwright.adapters.store.scenes.telling import differences, scene_event, state_told
from penwright.adapters.store.scenes.views import log_changes, put_state, state_of
from penwright.domain.scene import states
from schemas.base import Effect
from schemas.director import StateChange, StateField
from schemas.scene import (
    Alternative,
    Author,
    ChooseAlternative,
    EditMessage,
    PatchState,
    RedoRound,
    RoundOpened,
    SceneChanged,
    SceneMessage,
    SceneState,
    SceneWith,
    UndoRound,
)
from schemas.worlds import Scene

_FIELDS = get_args(StateField)


def changed(connection: Connection, result: Mapping[str, Any]) -> SceneChanged:
    """The answer for a change that was made."""
    return SceneChanged(
        scene=read(connection, Scene, result["scene"]),
        round=result.get("round", 0),
        messages=tuple(result.get("messages", ())),
    )


def refused(answer: RoundOpened) -> SceneChanged:
    return SceneChanged(code=answer.code, message=answer.message, round=answer.number)


def edit(connection: Connection, row: RowMapping | None, request: EditMessage) -> Done | SceneChanged:
    """See the port."""
    message = _visible(connection, row, request.message)
    if message is None:
        return refused(no_such_message(request.message))
    if not request.text.strip():
        return SceneChanged(code="empty-message", message="A message needs at least one word.")
    text = edited(request, message)
    scene = parse_id(request.message)[0]
    add_alternative(connection, scene, message, text)
    retell(connection, scene, message.round)
    return text_changed(request.effect, scene, message, text.index, request.who)


def pick(connection: Connection, row: RowMapping | None, request: ChooseAlternative) -> Done | SceneChanged:
    """See the port."""
    message = _visible(connection, row, request.message)
    if message is None:
        return refused(no_such_message(request.message))
    if not 0 <= request.index < len(message.alternatives):
        return no_such_alternative(request, message)
    scene = parse_id(request.message)[0]
    choose(connection, scene, message, request.index)
    retell(connection, scene, message.round)
    return text_changed(request.effect, scene, message, request.index, request.who)


def no_such_alternative(request: ChooseAlternative, message: SceneMessage) -> SceneChanged:
    return SceneChanged(
        code="no-such-alternative",
        message=f"Message {message.id!r} has {len(message.alternatives)} texts, numbered from 0; "
        f"{request.index} is none of them.",
    )


def edited(request: EditMessage, message: SceneMessage) -> Alternative:
    """A person's text as the message's next alternative."""
    return Alternative(
        index=len(message.alternatives),
        text=request.text,
        author=Author(kind="person", name=request.who),
        at=request.effect.issued_at,
        op_id=request.effect.op_id,
    )


def text_changed(effect: Effect, scene: str, message: SceneMessage, index: int, who: str) -> Done:
    """The result of another text, and its event."""
    data = {"message": message.id, "chosen": index, "by": who}
    event = scene_event(effect, scene, "", "message.changed", data)
    return Done({"scene": scene, "round": message.round, "messages": [message.id]}, (event,))


def undo(connection: Connection, row: RowMapping | None, request: UndoRound) -> Done | SceneChanged:
    """See the port."""
    scene, effect = request.scene, request.effect
    refusal = _idle(connection, row, scene)
    if refusal is not None:
        return refusal
    last = newest_visible(connection, scene)
    if last is None:
        return nothing_to_undo(scene)
    hidden = [each.id for each in messages_of_round(connection, scene, last["number"])]
    _hide(connection, request, last, undone=True)
    if last["replaces"]:
        show_round(connection, scene, last["replaces"])
    state = last["restores"]
    target = SceneState.model_validate(state) if state else before_of(last)
    events = _restore(connection, request, last["number"], target)
    data = {"round": last["number"], "messages": hidden, "by": request.who}
    event = scene_event(effect, scene, "", "round.undone", data)
    return Done({"scene": scene, "round": last["number"], "messages": hidden}, (event, *events))


def redo(connection: Connection, row: RowMapping | None, request: RedoRound) -> Done | SceneChanged:
    """See the port."""
    scene = request.scene
    refusal = _idle(connection, row, scene)
    if refusal is not None:
        return refusal
    newest, retold = newest_visible(connection, scene), newest_retold(connection, scene)
    found = hidden_round(connection, scene, request.round, newest, retold)
    if found is None:
        return nothing_to_redo(request)
    again, kept = found
    if newest is not None and retold is not None and followed(again, kept) != newest["number"]:
        _hide(connection, request, retold)
    show_round(connection, scene, again["number"])
    if again["regenerates"]:
        _choose(connection, scene, again["regenerates"], kept.chosen)
    events = _restore(connection, request, again["number"], kept.state)
    messages = [each.id for each in messages_of_round(connection, scene, again["number"])]
    data = {"round": again["number"], "messages": messages, "by": request.who}
    event = scene_event(request.effect, scene, "", "round.redone", data)
    return Done({"scene": scene, "round": again["number"], "messages": messages}, (event, *events))


def nothing_to_redo(request: RedoRound) -> SceneChanged:
    what = (
        f"That round of scene {request.scene!r} cannot"
        if request.round
        else (f"No round of scene {request.scene!r} can")
    )
    return SceneChanged(
        code="nothing-to-redo",
        message=f"{what} be brought back: only one that was taken back or played "
        "again can, as long as what stood before it still does.",
    )


def nothing_to_undo(scene: str) -> SceneChanged:
    return SceneChanged(
        code="nothing-to-undo", message=f"Scene {scene!r} has no round that could be taken back."
    )


def patch(connection: Connection, row: RowMapping | None, request: PatchState) -> Done | SceneChanged:
    """See the port."""
    refusal = _idle(connection, row, request.scene)
    if refusal is not None or row is None:
        return refusal or refused(no_such_scene(request.scene))
    before = state_of(connection, request.scene)
    wrong = refused_patch(before, request, _subjects(connection, request.scene))
    if wrong is not None:
        return wrong
    state, changes = patched(before, request)
    after = put_state(connection, request.scene, state, before)
    log_changes(connection, request.effect, request.scene, row["rounds"], changes)
    events = state_told(request.effect, request.scene, "", changes, before, after)
    return Done({"scene": request.scene, "round": row["rounds"]}, events)


def _visible(connection: Connection, row: RowMapping | None, id: str) -> SceneMessage | None:
    if row is None:
        return None
    message = message_at(connection, row["id"], parse_id(id)[1])
    return None if message is None or message.undone else message


def _idle(connection: Connection, row: RowMapping | None, scene: str) -> SceneChanged | None:
    if row is None:
        return refused(no_such_scene(scene))
    held = running(connection, scene)
    if held is None:
        return None
    return SceneChanged(code="round-runs", round=held[0], message=held[1])


def _hide(
    connection: Connection, request: UndoRound | RedoRound, row: RowMapping, *, undone: bool = False
) -> None:
    """Hide a round, and keep what brings it back; a message that it made again has its take before that."""
    scene, number = request.scene, row["regenerates"]
    made = message_at(connection, scene, number) if number else None
    alone = undone and not row["replaces"]
    before = newest_visible(connection, scene, before=row["number"]) if alone else None
    kept = SceneWith(
        state=state_of(connection, scene),
        chosen=made.chosen if made else 0,
        undone=undone,
        stood=(before["number"] if before else 0) if alone else None,
    )
    hide_round(connection, scene, row["number"], request.effect, kept)
    if number:
        _choose(connection, scene, number, row["chosen_before"])


def _choose(connection: Connection, scene: str, number: int, index: int) -> None:
    message = message_at(connection, scene, number)
    if message is not None:
        choose(connection, scene, message, index)
        retell(connection, scene, message.round)


def _restore(
    connection: Connection, request: UndoRound | RedoRound, round: int, target: SceneState
) -> tuple[Any, ...]:
    before = state_of(connection, request.scene)
    after = put_state(connection, request.scene, target, before)
    changes: tuple[StateChange, ...] = differences(before, after, request.who)
    log_changes(connection, request.effect, request.scene, round, changes)
    return state_told(request.effect, request.scene, "", changes, before, after)


def _subjects(connection: Connection, scene: str) -> frozenset[str]:
    """Ids whose fields may be set: those known in the scene, and the persona."""
    located = locate(connection, scene)
    if located is None:
        return frozenset()
    known = {one.id for one in cast_of(connection, located)} | set(present(connection, scene))
    return frozenset(known | ({located.persona.id} if located.persona else set()))


def refused_patch(state: SceneState, request: PatchState, known: Collection[str]) -> SceneChanged | None:
    """Refuse changes that cannot be made; a change that names the old value is made only on that."""
    for change in request.changes:
        if change.subject not in ("world", "tracker"):
            if change.subject not in known:
                return _no_such_subject(change)
            if change.field not in _FIELDS:
                return _no_such_field(change)
        if change.old and change.old != _now(state, change):
            return _stale(change, _now(state, change))
    return None


def patched(state: SceneState, request: PatchState) -> tuple[SceneState, tuple[StateChange, ...]]:
    """The state with the changes, and the changes as they are recorded."""
    made = []
    for change in request.changes:
        said = {"old": _now(state, change), "source": "person", "by": request.who or change.by}
        made.append(change.model_copy(update=said))
        state = states.fold(state, [change.model_copy(update={"overruled": False})])
    return state, tuple(made)


def _now(state: SceneState, change: StateChange) -> str:
    return states.current(state, change.subject, change.field)


def _stale(change: StateChange, now: str) -> SceneChanged:
    return SceneChanged(
        code="stale",
        message=f"{change.field} of {change.subject} is {now!r} now, not {change.old!r}. "
        "Look again, then set it.",
    )


def _no_such_subject(change: StateChange) -> SceneChanged:
    return SceneChanged(
        code="no-such-character",
        message=f"{change.subject!r} is not known in this scene. `penwright scene show SCENE` "
        "names all who are.",
    )


def _no_such_field(change: StateChange) -> SceneChanged:
    return SceneChanged(
        code="no-such-field",
        message=f"A character has no field {change.field!r}. There are {', '.join(_FIELDS)}.",
    )
