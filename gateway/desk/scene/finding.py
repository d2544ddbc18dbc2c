"""Objects that a command means: a scene, one of its people, one of its messages, by id or by name."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

from gateway.desk.scene import numbers
from gateway.desk.services import CommandStore
from gateway.desk.worlds.finding import found as find
from gateway.desk.worlds.kinds import ARC, CAMPAIGN, CHARACTER, PERSONA, SCENE, WORLD, EntityKind
from penwright.domain.scene.board import unfinished
from penwright.domain.text.nearest import guess, nearest_of
from penwright.domain.text.whole_numbers import whole_number
from penwright.errors import NotFound, Refused, UsageMistake
from penwright.ports.portions import Portion
from schemas.director import CastMember
from schemas.scene import SceneMessage
from schemas.worlds import Arc, Campaign, Character, Persona, Scene, World

_FEW = 8
"""Names that a message lists."""
_KINDS: Final[Mapping[type, EntityKind[Any]]] = {
    each.type: each for each in (WORLD, CAMPAIGN, ARC, CHARACTER, PERSONA)
}
_Kind = TypeVar("_Kind", World, Campaign, Arc, Character, Persona)


def scene(store: CommandStore, named: str) -> Scene:
    """The scene with this id, or the only one with this title; raises as ``worlds.finding.found``."""
    found: Scene = find(store.worlds, SCENE, named)
    return found


def whole(store: CommandStore, named: str) -> Scene:
    """As ``scene``, of one that may be played and changed; ``Refused`` ``import-unfinished`` of others."""
    found = scene(store, named)
    if not unfinished(found):
        return found
    raise Refused(
        "import-unfinished",
        f"the import into {found.id!r} has not come to its end: {unfinished(found)}",
        hint="`penwright scene import FILE` with the same file and options goes on with it, "
        f"`penwright scene remove {found.id}` takes it back",
    )


def one(store: CommandStore, kind: type[_Kind], named: str) -> _Kind:
    """The one with this id, or the only one with this name; raises as ``worlds.finding.found``."""
    found: _Kind = find(store.worlds, _KINDS[kind], named)
    return found


def cast(store: CommandStore, playing: Scene) -> tuple[CastMember, ...]:
    """Everyone who may act: those present in the order in which they came, then all others by name."""
    return _in_order(store.worlds.list(Character), playing)


def few(
    store: CommandStore, playing: Scene, limit: int, also: Collection[str] = ()
) -> tuple[tuple[CastMember, ...], int]:
    """As ``cast``, with only ``limit`` of those who are not present, and how many these are in all.

    Args:
        also: ids of others that are wanted besides.
    """
    named = {*playing.roster, *also}
    wanted, _ = store.worlds.part(Character, Portion(len(named), among=named))
    oldest, count = store.worlds.part(Character, Portion(limit + len(playing.roster)))
    present = sum(each.id in playing.roster for each in wanted)
    absent = [each for each in oldest if each.id not in named]
    return _in_order((*wanted, *absent[:limit]), playing), count - present


def member(store: CommandStore, playing: Scene, named: str) -> CastMember:
    """The character whom ``named`` means: an id, a name or a nickname, compared without case.

    Of several with one name the one who is present is meant.

    Raises:
        NotFound: ``no-such-character``.
        UsageMistake: ``ambiguous-name``.
    """
    people = cast(store, playing)
    wanted = named.strip().casefold()
    exact = [each for each in people if each.id == named]
    # Most have no nickname, and an empty name means none of them.
    called = [
        each for each in people if wanted and wanted in (each.name.casefold(), each.nickname.casefold())
    ]
    here = [each for each in called if each.present]
    known = {each.name: (each.id, each.name, each.nickname) for each in people}
    return _only(exact or here or called, named, guess(nearest_of(named, known)), who_there_is(people))


def subject(store: CommandStore, playing: Scene, named: str) -> str:
    """The id whose state ``named`` means: a character, the persona, or ``world`` and ``tracker``."""
    if named in ("world", "tracker"):
        return named
    persona = store.worlds.read(Persona, playing.persona) if playing.persona else None
    if persona is not None and named.casefold() in (persona.id.casefold(), persona.name.casefold()):
        return persona.id
    return member(store, playing, named).id


def message(store: CommandStore, playing: Scene, named: str) -> SceneMessage:
    """The message with this number (``7`` or ``#7``) or id, as people count; empty: the newest one.

    Raises:
        NotFound: ``no-such-message``.
    """
    known = numbers.numbering(store, playing.id)
    number = whole_number(named.removeprefix("#"))
    if not named:
        listed = store.scenes.messages(playing.id, newest=1)
    else:
        id = named if number is None else f"{playing.id}/{known.stored_message(number)}"
        read = store.scenes.message(id) if id.startswith(f"{playing.id}/") else None
        listed = (read,) if read is not None and not read.undone else ()
    found = next(iter(numbers.said(listed, known)), None)
    if found is None:
        what = f"message {named!r}" if named else "message yet"
        raise NotFound(
            "no-such-message",
            f"{playing.id!r} has no {what}",
            hint=f"`penwright scene show {playing.id}` numbers its messages",
        )
    return found


def who_there_is(people: Sequence[CastMember]) -> str:
    """Those present; of a library of thousands only where the others are listed."""
    present = [each.name for each in people if each.present]
    listed = ", ".join(present[:_FEW]) or "nobody yet"
    more = f" and {len(present) - _FEW} more" if len(present) > _FEW else ""
    others = len(people) - len(present)
    return f"present are: {listed}{more}" + (
        f"; `penwright character list` has {others} more" if others else ""
    )


def _in_order(characters: Iterable[Character], playing: Scene) -> tuple[CastMember, ...]:
    known = {each.id: each for each in characters}
    present = [known[id] for id in playing.roster if id in known]
    absent = sorted(
        (each for id, each in known.items() if id not in playing.roster), key=lambda each: each.name
    )
    return tuple(_member(each, playing) for each in (*present, *absent))


def _member(character: Character, scene: Scene) -> CastMember:
    return CastMember(
        id=character.id,
        name=character.name,
        nickname=character.nickname,
        present=character.id in scene.roster,
        taken=character.id in scene.taken,
    )


def _only(found: Sequence[CastMember], named: str, meant: str, hint: str) -> CastMember:
    if not found:
        raise NotFound("no-such-character", f"there is no character {named!r}{meant}", hint=hint)
    if len(found) > 1:
        ids = ", ".join(each.id for each in found[:_FEW])
        said = f"{len(found)} characters are called {named!r}"
        raise UsageMistake("ambiguous-name", said, hint=f"name one by its id: {ids}")
    return found[0]
