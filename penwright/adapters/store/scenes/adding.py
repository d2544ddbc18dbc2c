"""Rounds that were played elsewhere, stored as if they had been played here: many at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, RowMapping, insert, update

from penwright.adapters.store.scenes.messages import alternative_row, columns_of, message_id
from penwright.adapters.store.scenes.once import Done
from penwright.adapters.store.scenes.opening_rounds import import_unfinished, importing, no_such_scene
from penwright.adapters.store.scenes.rounds import newest_visible, running
from penwright.adapters.store.scenes.setting.worlds import read
from penwright.adapters.store.scenes.tables.played import (
    message_alternatives,
    scene_messages,
    scene_rounds,
    scene_views,
)
from penwright.adapters.store.scenes.tables.setting import scenes
from penwright.adapters.store.scenes.telling import round_ended, round_started, step_started, turn_ended
from penwright.adapters.store.scenes.views import state_of
from schemas.base import Effect, OpId
from schemas.records import Event
from schemas.scene import (
    AddRounds,
    BeginStep,
    KeepTurn,
    Round,
    RoundOpened,
    SceneChanged,
    SceneMessage,
    SceneState,
    TurnRecord,
)
from schemas.worlds import Scene

APART = {"before", "scene", "number", "kind", "status", "started_at", "ended_at", "op_id"}
"""Fields of a round that have columns of their own."""


@dataclass(frozen=True, slots=True)
class Added:
    """A round with its numbers."""

    round: Round
    messages: tuple[SceneMessage, ...]
    events: tuple[Event, ...]

    @property
    def said(self) -> SceneMessage | None:
        """The user's message."""
        return next((each for each in self.messages if each.speaker == "user"), None)


def add_rounds(connection: Connection, row: RowMapping | None, request: AddRounds) -> Done | SceneChanged:
    """See the port."""
    scene = read(connection, Scene, request.scene)
    if row is None or scene is None:
        return refused(no_such_scene(request.scene))
    if importing(scene, request.session):
        return refused(import_unfinished(scene))
    if (held := running(connection, request.scene)) is not None:
        return SceneChanged(code="round-runs", message=held[1])
    state, newest = state_of(connection, request.scene), newest_visible(connection, request.scene)
    added = tuple(numbered(request, row["rounds"], row["messages"], state))
    _store(connection, request, added, newest["number"] if newest else 0)
    return Done({"round": added[-1].round.number}, tuple(event for each in added for event in each.events))


def refused(answer: RoundOpened) -> SceneChanged:
    return SceneChanged(code=answer.code, message=answer.message)


def numbered(request: AddRounds, rounds: int, messages: int, state: SceneState) -> Iterator[Added]:
    """The rounds with the next numbers, each from the state that the one before it left."""
    for one in request.rounds:
        rounds += 1
        said = tuple(
            each.model_copy(
                update={"id": message_id(request.scene, number), "number": number, "round": rounds}
            )
            for number, each in enumerate(one.messages, messages + 1)
        )
        messages += len(said)
        yield _added(request, one.effect, rounds, said, state)
        state = state.model_copy(update={"version": state.version + 1})


def _added(
    request: AddRounds, effect: Effect, number: int, said: tuple[SceneMessage, ...], state: SceneState
) -> Added:
    answers = [each for each in said if each.speaker != "user"]
    turns = [
        TurnRecord(character=each.speaker_id or "narrator", pass_number=1, outcome="spoken", message=each.id)
        for each in answers
    ]
    round = Round(
        scene=request.scene,
        number=number,
        kind="continue" if len(answers) == len(said) else "message",
        status="completed",
        turns=tuple(turns),
        before=state,
        started_at=effect.issued_at,
        ended_at=effect.issued_at,
        op_id=effect.op_id,
    )
    events = [
        event
        for message, turn in zip(answers, turns, strict=True)
        for event in _turn_told(request, message, turn)
    ]
    user = next((each.id for each in said if each.speaker == "user"), "")
    began = round_started(effect, request.scene, request.session, number, round.kind, user)
    return Added(round, said, (began, *events, round_ended(effect, request.session, round)))


def _turn_told(request: AddRounds, message: SceneMessage, turn: TurnRecord) -> tuple[Event, Event]:
    first = message.alternatives[0]
    step = BeginStep(
        effect=Effect(op_id=OpId(first.op_id), issued_at=first.at),
        scene=request.scene,
        round=message.round,
        kind="character",
        pass_number=1,
        who=turn.character,
        name=message.name,
    )
    kept = KeepTurn(
        effect=step.effect, scene=request.scene, round=message.round, record=turn, name=message.name
    )
    return step_started(step, request.session), turn_ended(kept, request.session, turn)


def _store(connection: Connection, request: AddRounds, added: Sequence[Added], follows: int) -> None:
    scene, last = request.scene, added[-1]
    messages = [message for each in added for message in each.messages]
    counted = {"rounds": last.round.number} | ({"messages": messages[-1].number} if messages else {})
    connection.execute(update(scenes).where(scenes.c.id == scene).values(counted))
    if messages:
        texts = [(message.number, text) for message in messages for text in message.alternatives]
        connection.execute(insert(scene_messages), [columns_of(each, scene) for each in messages])
        connection.execute(insert(message_alternatives), [alternative_row(scene, *each) for each in texts])
    before = (follows, *(each.round.number for each in added))
    rows = [_row(request, each, number) for each, number in zip(added, before, strict=False)]
    connection.execute(insert(scene_rounds), rows)
    view = update(scene_views).where(scene_views.c.scene == scene)
    connection.execute(view.values(version=last.round.before.version + 1))


# Any: column values of several types.
def _row(request: AddRounds, added: Added, follows: int) -> dict[str, Any]:
    round, said = added.round, added.said
    columns = {"number", "kind", "status", "op_id", "started_at", "ended_at"}
    return {
        **round.model_dump(include=columns),
        "scene": request.scene,
        "session": request.session,
        "body": round.model_dump(mode="json", exclude=APART),
        "before": round.before.model_dump(mode="json"),
        "follows": follows,
        "user_message": said.number if said else None,
    }
