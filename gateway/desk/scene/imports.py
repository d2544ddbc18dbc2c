"""A chat of SillyTavern, or our own JSON, as a scene.

One round for each message of the user, with what was answered.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from gateway.desk.scene import creating, finding
from gateway.desk.scene.creating import Created, NewScene
from gateway.desk.scene.exchanges import Exchange, ExchangeKeeper, Speaker, speaker_of
from gateway.desk.services import CommandStore, Services
from penwright.domain.cards.chats import read_chat
from penwright.domain.cards.scene_files import read_scene
from penwright.domain.models.token_estimate import estimate_tokens
from penwright.domain.text.slugs import folded
from penwright.errors import NotFound, UsageMistake
from schemas.cards import ChatMessage, FieldReport
from schemas.worlds import Character, Persona

_TITLE = "Imported chat"
_FEW = 8
"""Names that a message lists."""
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
    older: int
    """Messages before the newest round."""
    older_tokens: int
    """About how many tokens those have."""


def import_chat(
    services: Services,
    content: bytes,
    wish: NewScene,
    *,
    meant: Mapping[str, str] | None = None,
    who: str = "",
) -> Imported:
    """Make a scene of a chat, or of a scene that was exported as JSON: all of it or nothing.

    People it names who are not known are made, with a name and nothing else.

    Args:
        meant: ids of characters and personas here by their names in the file; for names that several have.
        who: who asks; empty: the person of the services.

    Raises:
        UsageMistake: what is wrong with the file; ``empty-chat``, ``no-such-speaker``, ``ambiguous-name``;
            and as ``creating.create``.
    """
    read = read_scene(content) or read_chat(content)
    chat = read.chat
    if not chat.messages:
        raise UsageMistake("empty-chat", "the chat has no message; nothing was made")
    spoke = dict.fromkeys(speaker_of(each) for each in chat.messages if each.speaker == "character")
    users = [speaker_of(each) for each in chat.messages if each.speaker == "user"]
    user = [*users, *([Speaker(chat.user)] if chat.user else [])][:1]
    meant = meant or {}
    _check_meant(meant, [*spoke, *user])
    with services.open_store() as store, store.together():
        cast, new_cast = _people(store, Character, spoke, meant)
        persona, new_persona = _people(store, Persona, [] if wish.persona else user, meant)
        whole = NewScene(
            title=wish.title or chat.character or _TITLE,
            arc=wish.arc,
            world=wish.world,
            cast=tuple(dict.fromkeys((*cast.values(), *wish.cast))),
            persona=wish.persona or next(iter(persona.values()), ""),
            settings=wish.settings,
            greeting=False,
        )
        created = creating.create_in(services, store, whole)
        keeper = ExchangeKeeper(services, created.scene, cast, who or services.person())
        exchanges = _exchanges(chat.messages)
        for exchange in exchanges:
            keeper.keep(store, exchange)
    made = (*new_cast, *new_persona)
    older = [each for one in exchanges[:-1] for each in (one.said, *one.answers) if each is not None]
    return Imported(
        created,
        len(exchanges),
        len(chat.messages),
        made,
        read.report,
        len(older),
        sum(estimate_tokens(each.text) for each in older),
    )


def _check_meant(meant: Mapping[str, str], speakers: Iterable[Speaker]) -> None:
    names = sorted({each.name for each in speakers})
    unknown = [each for each in meant if each not in names]
    if unknown:
        raise UsageMistake(
            "no-such-speaker",
            f"{unknown[0]!r} says nothing in this chat; nothing was made",
            hint=f"who speaks in it: {', '.join(names[:_FEW])}",
        )


def _people(
    store: CommandStore, kind: type[Person], speakers: Iterable[Speaker], meant: Mapping[str, str]
) -> tuple[dict[Speaker, str], tuple[str, ...]]:
    """Ids by speaker, and the names of those who were made; all are looked up before one is made."""
    known = {each: _known(store, kind, each, meant) for each in speakers}
    made = [each for each, id in known.items() if not id]
    ids = {each: id or store.worlds.create(kind(id="", name=each.name)).id for each, id in known.items()}
    return ids, tuple(each.name for each in made)


def _known(store: CommandStore, kind: type[Person], speaker: Speaker, meant: Mapping[str, str]) -> str:
    """The id of a speaker: as the caller means the name, else as our export says, else by the name.

    An id of an export counts where the one who has it here bears the name, too. Empty: there is no such one.
    """
    if speaker.name in meant:
        return finding.one(store, kind, meant[speaker.name]).id
    own = store.worlds.read(kind, speaker.id) if speaker.id else None
    if own is not None and folded(own.name) == folded(speaker.name):
        return own.id
    try:
        return finding.one(store, kind, speaker.name).id
    except NotFound:
        return ""
    except UsageMistake as several:
        ids = several.details.get("candidates", "").split(",")
        raise UsageMistake(
            several.code,
            several.message,
            hint=f'say which one speaks: `--as "{speaker.name}={ids[0]}"`',
        ) from None


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
