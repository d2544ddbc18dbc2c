"""Rounds that were not played here, stored as if they had been: of a chat, or how a card opens a scene."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from gateway.desk.services import CommandStore, Services
from gateway.desk.works import books
from penwright.domain.cards.scene_files import speaker_id
from penwright.errors import Refused
from schemas.base import Effect, OpId
from schemas.cards import ChatMessage
from schemas.director import CastMember
from schemas.model_catalog import DEMO
from schemas.scene import (
    Author,
    ChooseAlternative,
    CloseRound,
    EditMessage,
    KeepTurn,
    OpenRound,
    Round,
    SceneState,
    TurnRecord,
)
from schemas.worlds import Scene


@dataclass(frozen=True, slots=True)
class Exchange:
    """Message of the user, if any, and the answers."""

    said: ChatMessage | None
    answers: tuple[ChatMessage, ...]


class Speaker(NamedTuple):
    """Speaker in a file: two characters may have one name, and only exports of ours have ids."""

    name: str
    id: str = ""


def speaker_of(message: ChatMessage) -> Speaker:
    """Speaker of a message, as its file says."""
    return Speaker(message.name, speaker_id(message))


def new_session(services: Services) -> str:
    """Name the storing of exchanges that begins now."""
    return f"import-{books.new_session(services.now())}"


class ExchangeKeeper:
    """Stores exchanges as rounds that were played."""

    def __init__(
        self,
        services: Services,
        scene: Scene,
        cast: Mapping[Speaker, str],
        who: str,
        *,
        users: Mapping[Speaker, str] | None = None,
        author: Author | None = None,
        session: str = "",
    ) -> None:
        """Args:
        cast: ids by speaker.
        users: ids of those who speak as the user; who is not among them is the scene's persona.
        author: who wrote the answers; None: as each of them says.
        session: names what is stored: the same exchange of it is stored once; empty: a new one.
        """
        self._services = services
        self._who = who
        self._scene = scene
        self._cast, self._users = cast, users or {}
        self._ids = {there.id: id for there, id in (*self._users.items(), *cast.items()) if there.id}
        self._author = author
        self._session = session or new_session(services)
        self._place = self._steps = 0

    def keep(self, store: CommandStore, exchange: Exchange, place: int = 0) -> None:
        """One round, with every alternative of every message.

        Args:
            place: of the exchange among all of its session.
        """
        self._place, self._steps, said = place, 0, exchange.said
        opened = store.scenes.open_round(
            OpenRound(
                effect=(begun := self._effect()),
                scene=self._scene.id,
                session=self._session,
                kind="message" if said else "continue",
                text=said.text if said else "",
                who=self._who,
                voice=self._voice(said) if said else None,
                witnesses=self._told_witnesses(said) if said else None,
            )
        )
        if opened.code:
            raise Refused(opened.code, opened.message)
        turns = tuple(self._answer(store, opened.number, each) for each in exchange.answers)
        self._close(store, opened.number, turns, begun.issued_at, "message" if said else "continue")
        if said and opened.user_message:
            self._others(store, opened.user_message, said)

    def _answer(self, store: CommandStore, number: int, message: ChatMessage) -> TurnRecord:
        id = self._cast.get(speaker_of(message), "narrator")
        record = TurnRecord(character=id, pass_number=1, outcome="spoken")
        kept = ""
        for text in message.alternatives:
            kept = store.scenes.keep_turn(
                KeepTurn(
                    effect=self._effect(),
                    scene=self._scene.id,
                    round=number,
                    record=record,
                    speaker="system" if message.hidden else message.speaker,
                    name=message.name,
                    text=store.blobs.put(text.encode("utf-8", "replace")),
                    author=self._author or _author(message),
                    witnesses=() if message.hidden else self._witnesses(message),
                    replaces=kept,
                    state=SceneState(),
                )
            )
        if message.chosen != len(message.alternatives) - 1:
            self._choose(store, kept, message.chosen)
        return record.model_copy(update={"message": kept})

    def _others(self, store: CommandStore, id: str, said: ChatMessage) -> None:
        """The alternatives of what the user said, beside the chosen one that opened the round."""
        others = [text for place, text in enumerate(said.alternatives) if place != said.chosen]
        for text in others:
            wish = EditMessage(effect=self._effect(), message=id, text=text, who=self._who)
            store.scenes.edit(wish)
        if others:
            self._choose(store, id, 0)

    def _choose(self, store: CommandStore, id: str, index: int) -> None:
        wish = ChooseAlternative(effect=self._effect(), message=id, index=index, who=self._who)
        store.scenes.choose(wish)

    def _close(
        self, store: CommandStore, number: int, turns: tuple[TurnRecord, ...], began: datetime, kind: str
    ) -> None:
        effect = self._effect()
        played = Round.model_validate(
            {
                "scene": self._scene.id,
                "number": number,
                "kind": kind,
                "status": "completed",
                "turns": turns,
                "started_at": began,
                "ended_at": effect.issued_at,
                "op_id": effect.op_id,
            }
        )
        state = store.scenes.state(self._scene.id)
        store.scenes.close_round(
            CloseRound(effect=effect, scene=self._scene.id, round=played, state=state, session=self._session)
        )

    def _voice(self, said: ChatMessage) -> CastMember | None:
        id = self._users.get(speaker_of(said), "")
        return CastMember(id=id, name=said.name) if id not in ("", self._scene.persona) else None

    def _witnesses(self, message: ChatMessage) -> tuple[str, ...]:
        told = self._told_witnesses(message)
        persona = (self._scene.persona,) if self._scene.persona else ()
        return (*self._scene.roster, *persona) if told is None else told

    def _told_witnesses(self, message: ChatMessage) -> tuple[str, ...] | None:
        """Ids here of those whom the file names; None: it names nobody."""
        if message.witnesses is None:
            return None
        here = (self._ids.get(each) for each in message.witnesses)
        return tuple(dict.fromkeys(each for each in here if each))

    def _effect(self) -> Effect:
        self._steps += 1
        op_id = OpId(f"scene/{self._scene.id}#{self._session}:{self._place}.{self._steps}")
        return Effect(op_id=op_id, issued_at=self._services.now())


def _author(message: ChatMessage) -> Author:
    """Author of a message, as far as the file says."""
    told = message.extra.get("extra")
    model = str(told.get("model") or "") if isinstance(told, dict) else ""
    return Author(kind="model", name=model or "unknown, imported", demo=model == DEMO.name)
