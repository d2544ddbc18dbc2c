"""The beginning of a round: its row, the user's message, the snapshot of the state."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import Connection, RowMapping, insert, update

from penwright.adapters.store.scenes.copies import put_message
from penwright.adapters.store.scenes.hiding import hide_round
from penwright.adapters.store.scenes.messages import (
    message_at,
    message_id,
    messages_of_round,
    parse_id,
)
from penwright.adapters.store.scenes.once import Done
from penwright.adapters.store.scenes.rounds import (
    before_of,
    newest_retold,
    newest_visible,
    round_row,
    running,
)
from penwright.adapters.store.scenes.setting.roster import cast_of
from penwright.adapters.store.scenes.setting.worlds import locate
from penwright.adapters.store.scenes.tables.played import scene_rounds
from penwright.adapters.store.scenes.tables.setting import scenes
from penwright.adapters.store.scenes.telling import round_started
from penwright.adapters.store.scenes.views import put_state, reset_flags, state_of
from schemas.director import CastMember
from schemas.scene import Alternative, Author, OpenRound, RoundOpened, SceneMessage, SceneState, SceneWith
from schemas.worlds import Located, Scene


@dataclass(frozen=True, slots=True)
class Plan:
    """State and texts that a round begins with."""

    before: SceneState
    text: str = ""
    replaces: int = 0
    restores: SceneState | None = None
    regenerates: SceneMessage | None = None
    voice: CastMember | None = None
    """The character that the user spoke as in the round that is played again."""


def open_round(connection: Connection, row: RowMapping | None, request: OpenRound) -> Done | RoundOpened:
    """See the port."""
    located = locate(connection, request.scene)
    if row is None or located is None:
        return no_such_scene(request.scene)
    if importing(located.scene, request.session):
        return import_unfinished(located.scene)
    held = running(connection, request.scene)
    if held is not None:
        return RoundOpened(code="round-runs", number=held[0], message=held[1])
    plan = _planned(connection, request)
    if isinstance(plan, RoundOpened):
        return plan
    number = row["rounds"] + 1
    message = user_message(request, located, plan, number, row["messages"] + 1)
    _store(connection, request, plan, number, message)
    id = message.id if message else ""
    event = round_started(request.effect, request.scene, request.session, number, request.kind, id)
    return Done({"round": number}, (event,))


def opened(connection: Connection, scene: str, result: Mapping[str, Any]) -> RoundOpened:
    """The answer for a round that was begun."""
    row = cast(RowMapping, round_row(connection, scene, result["round"]))
    located = cast(Located, locate(connection, scene))
    user, again, replays = row["user_message"], row["regenerates"], row["replaces"] or 0
    return RoundOpened(
        number=row["number"],
        located=located,
        cast=cast_of(connection, located),
        state=reset_flags(before_of(row)),
        user_message=message_id(scene, user) if user else "",
        regenerates=message_at(connection, scene, again) if again else None,
        replays=replays,
        earlier=replies_of(messages_of_round(connection, scene, replays) if replays else ()),
    )


def replies_of(messages: Iterable[SceneMessage]) -> dict[str, str]:
    """Ids of the replies of a round by who spoke; of several by one the first."""
    found: dict[str, str] = {}
    for message in messages:
        if message.speaker in ("character", "narrator"):
            found.setdefault(message.speaker_id or message.speaker, message.id)
    return found


def no_such_scene(scene: str) -> RoundOpened:
    return RoundOpened(
        code="no-such-scene",
        message=f"There is no scene {scene!r}. `penwright scene list` names all.",
    )


def importing(scene: Scene, session: str) -> bool:
    """Whether an import of the scene goes on that this session is no part of."""
    return scene.importing is not None and scene.importing.session != session


def import_unfinished(scene: Scene) -> RoundOpened:
    message = f"The import of scene {scene.id!r} has not come to its end."
    return RoundOpened(code="import-unfinished", message=message)


def _planned(connection: Connection, request: OpenRound) -> Plan | RoundOpened:
    state = state_of(connection, request.scene)
    if request.kind == "message" and not request.text.strip():
        return empty_message()
    if request.kind != "regenerate":
        return Plan(text=request.text if request.kind == "message" else "", before=state)
    if request.message:
        return _one_message(connection, request.scene, request.message, state)
    return _whole_round(connection, request.scene, state)


def _one_message(connection: Connection, scene: str, id: str, state: SceneState) -> Plan | RoundOpened:
    owner, number = parse_id(id)
    message = message_at(connection, scene, number) if owner == scene else None
    if message is None or message.undone:
        return no_such_message(id)
    if message.speaker not in ("character", "narrator"):
        return no_reply(f"Message {id!r} is nobody's reply: it was not written by a model.")
    return Plan(before=state, regenerates=message)


def _whole_round(connection: Connection, scene: str, state: SceneState) -> Plan | RoundOpened:
    row = newest_retold(connection, scene)
    if row is None:
        return no_reply(f"Scene {scene!r} has no round that could be played again.")
    if row["regenerates"]:
        return _one_message(connection, scene, message_id(scene, row["regenerates"]), state)
    messages = messages_of_round(connection, scene, row["number"])
    said = next((each for each in messages if each.speaker == "user"), None)
    if not messages:
        return no_reply(f"The last round of scene {scene!r} has no reply.")
    before = before_of(row).model_copy(update={"version": state.version})
    return replayed(said, before, row["number"], state)


def replayed(said: SceneMessage | None, before: SceneState, round: int, now: SceneState) -> Plan:
    """A whole round once more, with the words of the user as the one who said them."""
    voice = CastMember(id=said.speaker_id, name=said.name) if said and said.speaker_id else None
    return Plan(text=said.text if said else "", before=before, replaces=round, restores=now, voice=voice)


def empty_message() -> RoundOpened:
    return RoundOpened(code="empty-message", message="A message needs at least one word.")


def no_such_message(id: str) -> RoundOpened:
    return RoundOpened(
        code="no-such-message",
        message=f"There is no message {id!r}, or it was undone. `penwright scene show SCENE` has the ids.",
    )


def no_reply(why: str) -> RoundOpened:
    return RoundOpened(code="no-message", message=f"{why} Say something first.")


def user_message(
    request: OpenRound, located: Located, plan: Plan, round: int, number: int
) -> SceneMessage | None:
    if not plan.text:
        return None
    persona, voice = located.persona, plan.voice or request.voice
    speaker_id = voice.id if voice else persona.id if persona else ""
    present = (*plan.before.roster, *([persona.id] if persona else []), speaker_id)
    text = Alternative(
        index=0,
        text=plan.text,
        author=Author(kind="person", name=request.who),
        at=request.effect.issued_at,
        op_id=request.effect.op_id,
    )
    return SceneMessage(
        id=message_id(request.scene, number),
        number=number,
        round=round,
        speaker="user",
        speaker_id=speaker_id,
        name=voice.name if voice else persona.name if persona else request.who,
        witnesses=tuple(dict.fromkeys(filter(None, present))),
        alternatives=(text,),
    )


def _store(
    connection: Connection, request: OpenRound, plan: Plan, number: int, message: SceneMessage | None
) -> None:
    scene, at = request.scene, request.effect.issued_at
    newest = newest_retold(connection, scene) if plan.replaces else newest_visible(connection, scene)
    follows = (newest["follows"] if plan.replaces else newest["number"]) if newest else 0
    connection.execute(update(scenes).where(scenes.c.id == scene).values(rounds=number))
    if plan.replaces and plan.restores is not None:
        hide_round(connection, scene, plan.replaces, request.effect, SceneWith(state=plan.restores))
        put_state(connection, scene, plan.before, plan.restores)
    if message is not None:
        put_message(connection, scene, message)
    again = plan.regenerates
    connection.execute(
        insert(scene_rounds).values(
            scene=scene,
            number=number,
            kind=request.kind,
            status="running",
            session=request.session,
            body={},
            before=plan.before.model_dump(mode="json"),
            replaces=plan.replaces or None,
            follows=follows,
            restores=plan.restores.model_dump(mode="json") if plan.restores else None,
            regenerates=again.number if again else None,
            chosen_before=again.chosen if again else None,
            user_message=message.number if message else None,
            op_id=request.effect.op_id,
            started_at=at,
        )
    )
