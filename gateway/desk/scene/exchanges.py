"""Rounds that were not played here, stored as if they had been: of a chat, or how a card opens a scene."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from gateway.desk.services import CommandStore, Services
from gateway.desk.works import books
from penwright.domain.cards.scene_files import speaker_id
from penwright.errors import Refused
from schemas.base import Effect, OpId
from schemas.cards import ChatMessage
from schemas.model_catalog import DEMO
from schemas.scene import AddRounds, Alternative, Author, RoundFromElsewhere, SceneMessage
from schemas.worlds import Persona, Scene


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

    def keep(self, store: CommandStore, *exchanges: Exchange, place: int = 0) -> None:
        """A round for each, with every alternative of every message: all of them or none.

        Args:
            place: of the first exchange among all of its session.
        """
        persona = store.worlds.read(Persona, self._scene.persona) if self._scene.persona else None
        rounds = [self._round(each, number, persona) for number, each in enumerate(exchanges, place)]
        stored = store.scenes.add_rounds(
            AddRounds(
                effect=self._effect(f"{place}"),
                scene=self._scene.id,
                session=self._session,
                rounds=tuple(rounds),
            )
        )
        if stored.code:
            raise Refused(stored.code, stored.message)

    def _round(self, exchange: Exchange, place: int, persona: Persona | None) -> RoundFromElsewhere:
        messages = () if exchange.said is None else (self._said(exchange.said, f"{place}.0", persona),)
        answers = (self._answer(each, f"{place}.{at}") for at, each in enumerate(exchange.answers, 1))
        return RoundFromElsewhere(effect=self._effect(f"{place}.round"), messages=(*messages, *answers))

    def _said(self, message: ChatMessage, step: str, persona: Persona | None) -> SceneMessage:
        if not message.text.strip():
            raise Refused("empty-message", "A message needs at least one word.")
        who = self._users.get(speaker_of(message), "") or self._scene.persona
        name = message.name if who else self._who
        if persona is not None and who == persona.id:
            name = persona.name
        witnesses = self._witnesses(message)
        return self._message(
            message,
            step,
            speaker="user",
            speaker_id=who,
            name=name,
            witnesses=witnesses if message.witnesses is not None else (*witnesses, who),
            author=Author(kind="person", name=self._who),
        )

    def _answer(self, message: ChatMessage, step: str) -> SceneMessage:
        speaks = message.speaker == "character" and not message.hidden
        return self._message(
            message,
            step,
            speaker="system" if message.hidden else message.speaker,
            speaker_id=self._cast.get(speaker_of(message), "narrator") if speaks else "",
            name=message.name or self._cast.get(speaker_of(message), "narrator"),
            witnesses=() if message.hidden else self._witnesses(message),
            author=self._author or _author(message),
        )

    # Any: fields of a message.
    def _message(self, message: ChatMessage, step: str, *, author: Author, **fields: Any) -> SceneMessage:
        fields["witnesses"] = tuple(dict.fromkeys(each for each in fields["witnesses"] if each))
        texts = enumerate(message.alternatives)
        effects = [self._effect(f"{step}.{index}") for index in range(len(message.alternatives))]
        return SceneMessage(
            id="",
            number=0,
            round=0,
            chosen=message.chosen,
            alternatives=tuple(
                Alternative(
                    index=index,
                    text=text,
                    author=author,
                    at=effects[index].issued_at,
                    op_id=effects[index].op_id,
                )
                for index, text in texts
            ),
            **fields,
        )

    def _witnesses(self, message: ChatMessage) -> tuple[str, ...]:
        """Ids here of those whom the file names; of all who are present, if it names nobody."""
        if message.witnesses is None:
            return (*self._scene.roster, self._scene.persona)
        return tuple(self._ids.get(each, "") for each in message.witnesses)

    def _effect(self, step: str) -> Effect:
        op_id = OpId(f"scene/{self._scene.id}#{self._session}:{step}")
        return Effect(op_id=op_id, issued_at=self._services.now())


def _author(message: ChatMessage) -> Author:
    """Author of a message, as far as the file says."""
    told = message.extra.get("extra")
    model = str(told.get("model") or "") if isinstance(told, dict) else ""
    return Author(kind="model", name=model or "unknown, imported", demo=model == DEMO.name)
