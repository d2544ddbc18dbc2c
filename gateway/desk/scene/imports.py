"""A chat of SillyTavern as a scene: one round for each message of the user, with what was answered."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from gateway.desk.scene import creating, finding
from gateway.desk.scene.creating import Created, NewScene
from gateway.desk.scene.exchanges import Exchange, ExchangeKeeper
from gateway.desk.services import CommandStore, Services
from penwright.domain.cards.chats import read_chat
from penwright.errors import NotFound, UsageMistake
from schemas.cards import ChatMessage, FieldReport
from schemas.worlds import Character, Persona

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
        greeting=False,
    )
    created = creating.create(services, whole)
    keeper = ExchangeKeeper(services, created.scene, cast, who or services.person())
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


def _exchanges(messages: Sequence[ChatMessage]) -> list[Exchange]:
    """A round begins with each message of the user; what stands before the first is a round of its own."""
    found: list[tuple[ChatMessage | None, list[ChatMessage]]] = []
    for message in messages:
        if message.speaker == "user":
            found.append((message, []))
        elif found:
            found[-1][1].append(message)
        else:
            found.append((None, [message]))
    return [Exchange(said, tuple(answers)) for said, answers in found]
