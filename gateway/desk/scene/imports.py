"""A chat of SillyTavern as a scene: one round for each message of the user, with what was answered."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from gateway.desk.book import books
from gateway.desk.scene import creating, finding
from gateway.desk.scene.creating import Created, NewScene
from gateway.desk.services import CommandStore, Services
from penwright.domain.cards.chats import read_chat
from penwright.errors import NotFound, Refused, UsageMistake
from schemas.base import Effect, OpId
from schemas.cards import ChatMessage, FieldReport
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
from schemas.worlds import Character, Persona, Scene

_TITLE = "Imported chat"
Person = TypeVar("Person", Character, Persona)


@dataclass(frozen=True, slots=True)
class Imported:
    """A scene that was made of a chat."""

    created: Created
    rounds: int
    messages: int
    made: tuple[str, ...]
    """People who were made for it, by name."""
    report: tuple[FieldReport, ...]


@dataclass(frozen=True, slots=True)
class _Exchange:
    """What the user said, if anything, and what was answered."""

    said: ChatMessage | None
    answers: tuple[ChatMessage, ...]


def import_chat(services: Services, content: bytes, wish: NewScene, *, who: str = "") -> Imported:
    """Make a scene of a chat. People it names who are not known are made, with a name and nothing else.

    Args:
        who: who asks; empty: the person of the services.

    Raises:
        UsageMistake: what is wrong with the file; ``empty-chat``; and as ``creating.create``.
    """
    read = read_chat(content)
    chat = read.chat
    if not chat.messages:
        raise UsageMistake("empty-chat", "the chat has no message; nothing was made")
    spoke = [each.name for each in chat.messages if each.speaker == "character"]
    user = next((each.name for each in chat.messages if each.speaker == "user"), chat.user)
    with services.open_store() as store:
        cast, new_cast = _people(store, Character, dict.fromkeys(spoke))
        persona, new_persona = _people(store, Persona, [user] if user and not wish.persona else [])
    whole = NewScene(
        title=wish.title or chat.character or _TITLE,
        arc=wish.arc,
        world=wish.world,
        cast=tuple(dict.fromkeys((*cast.values(), *wish.cast))),
        persona=wish.persona or next(iter(persona.values()), ""),
        settings=wish.settings,
    )
    created = creating.create(services, whole)
    keeper = _Keeper(services, created.scene, cast, who or services.person())
    exchanges = _exchanges(chat.messages)
    for exchange in exchanges:
        keeper.keep(exchange)
    made = (*new_cast, *new_persona)
    return Imported(created, len(exchanges), len(chat.messages), made, read.report)


def _people(
    store: CommandStore, kind: type[Person], names: Iterable[str]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Ids by name, and the names of those who were made."""
    ids, made = {}, []
    for name in names:
        try:
            ids[name] = finding.one(store, kind, name).id
        except NotFound:
            ids[name] = store.worlds.create(kind(id="", name=name)).id
            made.append(name)
    return ids, tuple(made)


def _exchanges(messages: Sequence[ChatMessage]) -> list[_Exchange]:
    """A round begins with each message of the user; what stands before the first is a round of its own."""
    found: list[tuple[ChatMessage | None, list[ChatMessage]]] = []
    for message in messages:
        if message.speaker == "user":
            found.append((message, []))
        elif found:
            found[-1][1].append(message)
        else:
            found.append((None, [message]))
    return [_Exchange(said, tuple(answers)) for said, answers in found]


class _Keeper:
    """Stores exchanges as rounds that were played."""

    def __init__(self, services: Services, scene: Scene, cast: dict[str, str], who: str) -> None:
        self._services = services
        self._who = who
        self._scene = scene
        self._cast = cast
        self._session = f"import-{books.new_session(services.now())}"
        self._steps = 0

    def keep(self, exchange: _Exchange) -> None:
        """One round, with every alternative of every message."""
        with self._services.open_store() as store:
            said = exchange.said
            opened = store.scenes.open_round(
                OpenRound(
                    effect=(begun := self._effect()),
                    scene=self._scene.id,
                    session=self._session,
                    kind="message" if said else "continue",
                    text=said.text if said else "",
                    who=self._who,
                )
            )
            if opened.code:
                raise Refused(opened.code, opened.message)
            turns = tuple(self._answer(store, opened.number, each) for each in exchange.answers)
            self._close(store, opened.number, turns, begun.issued_at, "message" if said else "continue")
            if said and opened.user_message:
                self._others(store, opened.user_message, said)

    def _answer(self, store: CommandStore, number: int, message: ChatMessage) -> TurnRecord:
        id = self._cast.get(message.name, "narrator")
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
                    author=_author(message),
                    witnesses=() if message.hidden else self._witnesses(),
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

    def _witnesses(self) -> tuple[str, ...]:
        persona = (self._scene.persona,) if self._scene.persona else ()
        return (*self._scene.roster, *persona)

    def _effect(self) -> Effect:
        self._steps += 1
        op_id = OpId(f"scene/{self._scene.id}#{self._session}:{self._steps}")
        return Effect(op_id=op_id, issued_at=self._services.now())


def _author(message: ChatMessage) -> Author:
    """Who wrote it, as far as the file says."""
    told = message.extra.get("extra")
    model = str(told.get("model") or "") if isinstance(told, dict) else ""
    return Author(kind="model", name=model or "unknown, imported", demo=model == DEMO.name)
