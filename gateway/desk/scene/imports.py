"""A chat of SillyTavern, or our own JSON, as a scene.

One round for each message of the user, with what was answered. A long chat is stored by portions.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from gateway.desk.scene import creating, finding
from gateway.desk.scene.creating import NewScene
from gateway.desk.scene.exchanges import Exchange, ExchangeKeeper, Speaker, new_session, speaker_of
from gateway.desk.services import CommandStore, Services
from penwright.domain.cards.chats import read_chat
from penwright.domain.cards.scene_files import is_played, read_scene
from penwright.domain.models.token_estimate import estimate_tokens
from penwright.domain.text.slugs import folded
from penwright.errors import NotFound, UsageMistake
from schemas.cards import Chat, ChatMessage, FieldReport
from schemas.worlds import Character, ImportedSpeaker, Persona, Scene, SceneImport

_TITLE = "Imported chat"
PORTION = 10
"""Rounds that are stored at once: others wait for no more of them, and a kill loses no more."""
_FEW = 8
"""Names that a message lists."""
Person = TypeVar("Person", Character, Persona)
Told = Callable[[int, int], None]


def _quietly(stored: int, of: int) -> None:
    """Report no progress."""


@dataclass(frozen=True, slots=True)
class Imported:
    """A scene that was made of a chat."""

    scene: Scene
    rounds: int
    messages: int
    made: tuple[str, ...]
    """Things made for it: its place in the world, and people by name."""
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
    told: Told = _quietly,
) -> Imported:
    """Make a scene of a chat, or of a scene that was exported as JSON, portion by portion.

    A chat of one portion comes whole or not at all. A longer one that was broken off goes on with the same
    call; until its end its scene is marked as unfinished. People it names who are not known are made, with a
    name and nothing else.

    Args:
        meant: ids of characters and personas here by their names in the file; for names that several have.
        who: who asks; empty: the person of the services.
        told: is given how many rounds are stored, and of how many, after each portion.

    Raises:
        UsageMistake: what is wrong with the file; ``empty-chat``, ``no-such-speaker``, ``ambiguous-name``;
            and as ``creating.create``.
        NotFound: ``no-such-scene``: it was removed meanwhile.
    """
    read = read_scene(content) or read_chat(content)
    chat = read.chat
    if not chat.messages:
        raise UsageMistake("empty-chat", "the chat has no message; nothing was made")
    meant = meant or {}
    key = _key(content, wish, meant)
    exchanges = _exchanges(chat.messages)
    with services.open_store() as store:
        with store.together():
            scene = _begun(store, wish, key) or _begin(
                services, store, _Order(chat, wish, meant, key, who or services.person(), len(exchanges))
            )
            under_way = _under_way(scene)
            if len(exchanges) <= PORTION:
                scene = _next_portion(services, store, scene.id, exchanges)
        while scene.importing is not None:
            told(scene.rounds, len(exchanges))
            with store.together():
                scene = _next_portion(services, store, scene.id, exchanges)
    older = [each for one in exchanges[:-1] for each in (one.said, *one.answers) if each is not None]
    return Imported(
        scene,
        len(exchanges),
        len(chat.messages),
        under_way.made,
        read.report,
        len(older),
        sum(estimate_tokens(each.text) for each in older),
    )


@dataclass(frozen=True, slots=True)
class _Order:
    """An import that begins."""

    chat: Chat
    wish: NewScene
    meant: Mapping[str, str]
    key: str
    who: str
    rounds: int


def _key(content: bytes, wish: NewScene, meant: Mapping[str, str]) -> str:
    """Digest of a file and of what is asked of it."""
    settings = sorted((wish.settings or {}).items())
    asked = (wish.title, wish.arc, wish.world, wish.cast, wish.persona, settings, sorted(meant.items()))
    return hashlib.sha256(repr(asked).encode("utf-8", "replace") + b"\0" + content).hexdigest()


def _begun(store: CommandStore, wish: NewScene, key: str) -> Scene | None:
    """The scene of an import like this one that has not come to its end."""
    arcs = creating.arcs_of(store, wish)
    unfinished = (each for arc in arcs for each in store.worlds.list(Scene, below=arc.id) if each.importing)
    return next((each for each in unfinished if _under_way(each).key == key), None)


def _begin(services: Services, store: CommandStore, order: _Order) -> Scene:
    """Make the scene and its people; nothing is said in it yet."""
    chat, wish = order.chat, order.wish
    characters, users = _characters(chat), _users(chat)
    _check_meant(order.meant, [*characters, *users])
    cast, new_cast = _people(store, Character, characters, order.meant)
    personas, new_personas = _people(store, Persona, [] if wish.persona else users, order.meant)
    whole = NewScene(
        title=wish.title or chat.character or _TITLE,
        arc=wish.arc,
        world=wish.world,
        cast=tuple(dict.fromkeys((*cast.values(), *wish.cast))),
        persona=wish.persona or next(iter(personas.values()), ""),
        settings=wish.settings,
        greeting=False,
    )
    created = creating.create_in(services, store, whole)
    played = {speaker_of(each) for each in chat.messages if is_played(each)}
    as_user = {each: personas.get(each, created.scene.persona) for each in users}
    as_user |= {each: cast[each] for each in characters if each in played}
    speakers = (*_speakers(cast), *_speakers(as_user, user=True))
    under_way = SceneImport(
        key=order.key,
        session=new_session(services),
        who=order.who,
        rounds=order.rounds,
        speakers=speakers,
        made=(*created.made, *new_cast, *new_personas),
    )
    return store.worlds.change(created.scene.model_copy(update={"importing": under_way}))


def _characters(chat: Chat) -> tuple[Speaker, ...]:
    """Those who speak, whoever plays them, then those who only listen."""
    spoke = [speaker_of(each) for each in chat.messages if each.speaker == "character" or is_played(each)]
    ids = dict.fromkeys(id for each in chat.messages for id in each.witnesses or () if id in chat.people)
    spoken = {each.id for each in spoke} | {chat.user_id}
    return tuple(dict.fromkeys((*spoke, *(Speaker(chat.people[id], id) for id in ids if id not in spoken))))


def _users(chat: Chat) -> tuple[Speaker, ...]:
    """Those whose words are nobody's of the cast: first the one who is the scene's persona."""
    spoke = [speaker_of(each) for each in chat.messages if each.speaker == "user" and not is_played(each)]
    own = [Speaker(chat.user, chat.user_id)] if chat.user_id or (chat.user and not spoke) else []
    return tuple(dict.fromkeys((*own, *sorted(spoke, key=lambda each: each.name != chat.user))))


def _speakers(ids: Mapping[Speaker, str], *, user: bool = False) -> tuple[ImportedSpeaker, ...]:
    return tuple(ImportedSpeaker(name=one.name, id_there=one.id, id=id, user=user) for one, id in ids.items())


def _next_portion(services: Services, store: CommandStore, id: str, exchanges: Sequence[Exchange]) -> Scene:
    """Store what follows the rounds that are stored; after the last of them the scene is as any other."""
    scene = _still_there(store, id)
    if scene.importing is None:  # another process was given the same import, and came to its end
        return scene
    cast, users = (
        {Speaker(each.name, each.id_there): each.id for each in scene.importing.speakers if each.user is user}
        for user in (False, True)
    )
    session, who = scene.importing.session, scene.importing.who
    keeper = ExchangeKeeper(services, scene, cast, who, users=users, session=session)
    end = scene.rounds + PORTION
    keeper.keep(store, *exchanges[scene.rounds : end], place=scene.rounds)
    scene = _still_there(store, id)
    if scene.importing is None or end < len(exchanges):
        return scene
    return store.worlds.change(scene.model_copy(update={"importing": None}))


def _still_there(store: CommandStore, id: str) -> Scene:
    scene = store.worlds.read(Scene, id)
    if scene is None:
        raise NotFound("no-such-scene", f"the scene {id!r} was removed while the chat was imported")
    return scene


def _under_way(scene: Scene) -> SceneImport:
    assert scene.importing is not None, "the scene is imported"
    return scene.importing


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
    """Ids by speaker, and the names of those who were made; all are looked up before one is made.

    Speakers with one id in the file are one person, who had other names before.
    """
    people: dict[str, list[Speaker]] = {}
    for each in speakers:
        people.setdefault(f"id {each.id}" if each.id else f"name {each.name}", []).append(each)
    known = [(names, _known(store, kind, names[0], meant)) for names in people.values()]
    made = [names[0].name for names, id in known if not id]
    ids: dict[Speaker, str] = {}
    for names, id in known:
        here = id or store.worlds.create(kind(id="", name=names[0].name)).id
        ids |= dict.fromkeys(names, here)
    return ids, tuple(made)


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
