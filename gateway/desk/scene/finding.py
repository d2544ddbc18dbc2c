"""What a command means: a scene, one of its people, one of its messages, by id or by name."""

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from gateway.desk.services import CommandStore
from penwright.errors import NotFound, UsageMistake
from schemas.director import CastMember
from schemas.scene import SceneMessage
from schemas.worlds import Arc, Campaign, Character, Persona, Scene, World

NEWEST = 5_000
"""Messages of a scene that commands look through."""
_FEW = 8
"""Names that a message lists."""


class _Identified(Protocol):
    @property
    def id(self) -> str: ...


_Found = TypeVar("_Found", bound=_Identified)
_Kind = TypeVar("_Kind", World, Campaign, Arc, Character, Persona)


def scene(store: CommandStore, named: str) -> Scene:
    """The scene with this id, or the only one with this title.

    Raises:
        NotFound: ``no-such-scene``.
        UsageMistake: ``ambiguous-name``.
    """
    found = store.worlds.find(Scene, named)
    hint = "`penwright scene list` shows every scene"
    return _only(found, "scene", named, hint)


def one(store: CommandStore, kind: type[_Kind], named: str) -> _Kind:
    """The world, campaign, arc, character or persona with this id, or the only one with this name.

    Raises:
        NotFound: ``no-such-world`` and so on.
        UsageMistake: ``ambiguous-name``.
    """
    word = kind.__name__.lower()
    command = {"arc": "campaign"}.get(word, word)
    return _only(
        store.worlds.find(kind, named), word, named, f"`penwright {command} list` shows what there is"
    )


def cast(store: CommandStore, playing: Scene) -> tuple[CastMember, ...]:
    """Everyone who may act: those present in the order in which they came, then all others by name."""
    known = {each.id: each for each in store.worlds.list(Character)}
    present = [known[id] for id in playing.roster if id in known]
    absent = sorted(
        (each for id, each in known.items() if id not in playing.roster), key=lambda each: each.name
    )
    return tuple(_member(each, present=each in present) for each in (*present, *absent))


def member(store: CommandStore, playing: Scene, named: str) -> CastMember:
    """The character whom ``named`` means: an id, a name or a nickname, compared without case.

    Raises:
        NotFound: ``no-such-character``.
        UsageMistake: ``ambiguous-name``.
    """
    people = cast(store, playing)
    wanted = named.strip().casefold()
    exact = [each for each in people if each.id == named]
    called = [each for each in people if wanted in (each.name.casefold(), each.nickname.casefold())]
    listed = ", ".join(each.name for each in people[:_FEW]) or "nobody yet"
    return _only(exact or called, "character", named, f"known are: {listed}")


def subject(store: CommandStore, playing: Scene, named: str) -> str:
    """The id whose state ``named`` means: a character, the persona, or ``world`` and ``tracker``."""
    if named in ("world", "tracker"):
        return named
    persona = store.worlds.read(Persona, playing.persona) if playing.persona else None
    if persona is not None and named.casefold() in (persona.id.casefold(), persona.name.casefold()):
        return persona.id
    return member(store, playing, named).id


def message(store: CommandStore, playing: Scene, named: str) -> SceneMessage:
    """The message with this number (``7`` or ``#7``) or id; empty: the newest one.

    Raises:
        NotFound: ``no-such-message``.
    """
    number = named.removeprefix("#")
    if not named:
        listed: Iterable[SceneMessage | None] = reversed(store.scenes.messages(playing.id, newest=1))
    elif number.isascii() and number.isdigit():
        shown = store.scenes.messages(playing.id, newest=1, before=int(number) + 1)
        listed = [each for each in shown if each.number == int(number)]
    else:
        listed = [store.scenes.message(named)]
    found = next(iter(listed), None)
    if found is None:
        what = f"message {named!r}" if named else "message yet"
        raise NotFound(
            "no-such-message",
            f"{playing.id!r} has no {what}",
            hint=f"`penwright scene show {playing.id}` numbers its messages",
        )
    return found


def _member(character: Character, *, present: bool) -> CastMember:
    return CastMember(id=character.id, name=character.name, nickname=character.nickname, present=present)


def _only(found: Sequence[_Found], word: str, named: str, hint: str) -> _Found:
    if not found:
        raise NotFound(f"no-such-{word}", f"there is no {word} {named!r}", hint=hint)
    if len(found) > 1:
        ids = ", ".join(each.id for each in found[:_FEW])
        said = f"{len(found)} are called {named!r}"
        raise UsageMistake("ambiguous-name", said, hint=f"name one by its id: {ids}")
    return found[0]
