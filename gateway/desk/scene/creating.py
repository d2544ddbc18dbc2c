"""New scenes, with the campaign, arc and opening they need; their settings, and their removal."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pydantic import ValidationError

from gateway.desk.scene import finding
from gateway.desk.scene.exchanges import Exchange, ExchangeKeeper, speaker_of
from gateway.desk.scene.views import located
from gateway.desk.services import CommandStore, Services
from penwright.domain.lore.macros import Moment, with_macros
from penwright.domain.scene.merging import merged_at
from penwright.domain.text.nearest import meant
from penwright.errors import Refused, UsageMistake
from schemas.cards import ChatMessage
from schemas.scene import Author
from schemas.worlds import (
    Arc,
    Campaign,
    Character,
    Located,
    Persona,
    Scene,
    SceneNotes,
    SceneSettings,
    Shares,
    World,
)

_NOTES = tuple(SceneNotes.model_fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewScene:
    """Fields of a new scene, by a person."""

    title: str
    arc: str = ""
    """Id or name; exactly one of this and ``world`` is given."""
    world: str = ""
    """Its first campaign's first arc takes the scene; what is missing is made."""
    cast: tuple[str, ...] = ()
    persona: str = ""
    settings: Mapping[str, str] | None = None
    """By name, ``shares.lore`` included; names of notes, such as ``scenario``, are taken too."""
    greeting: bool = True
    """Whether the first of the cast whose card has an opening opens the scene."""


@dataclass(frozen=True, slots=True)
class Created:
    """A scene, and what was made for it."""

    scene: Scene
    made: tuple[str, ...] = ()
    """Such as ``campaign 'tide'``."""
    opened_by: str = ""
    """Name of the character whose card opened the scene; empty: nothing was said."""


def create(services: Services, wish: NewScene, *, who: str = "") -> Created:
    """Make a scene, with its opening: both or neither.

    Args:
        who: who asks; empty: the person of the services.

    Raises:
        UsageMistake: ``empty-title``, ``no-place``, ``unknown-setting``, ``bad-setting``, ``ambiguous-name``.
        NotFound: ``no-such-arc``, ``no-such-world``, ``no-such-character``, ``no-such-persona``.
    """
    _check(wish)
    with services.open_store() as store, store.together():
        return create_in(services, store, wish, who=who)


def create_in(services: Services, store: CommandStore, wish: NewScene, *, who: str = "") -> Created:
    """Make a scene as part of the transaction that the caller has begun; see ``create``."""
    _check(wish)
    settings, notes = _told(wish.settings or {})
    roster = tuple(dict.fromkeys(finding.one(store, Character, each).id for each in wish.cast))
    persona = finding.one(store, Persona, wish.persona).id if wish.persona else ""
    arc, made = _arc(store, wish)
    found = store.worlds.list(Scene, below=arc.id)
    scene = Scene(
        id="",
        arc=arc.id,
        title=wish.title.strip(),
        position=1 + max((each.position for each in found), default=-1),
        notes=notes,
        persona=persona,
        roster=roster,
        settings=settings,
    )
    created = store.worlds.create(scene)
    opened_by = greet(services, store, created, who or services.person()) if wish.greeting else ""
    return Created(created, made, opened_by)


def remove(services: Services, named: str) -> Scene:
    """Delete a scene with all that happened in it; ``Refused`` ``in-use`` while a round runs."""
    with services.open_store() as store:
        scene = finding.scene(store, named)
        if store.scenes.running(scene.id) is not None:
            raise Refused(
                "in-use",
                f"a round runs in {scene.id!r}; nothing was removed",
                hint=f"`penwright scene stop {scene.id}` ends it",
            )
        store.worlds.remove(Scene, scene.id)
        return scene


def change_settings(
    services: Services, named: str, values: Mapping[str, str], *, version: int | None = None
) -> Scene:
    """Set settings and notes of a scene; raises as ``create``.

    Args:
        version: of the scene that the change was made from; ``Refused`` ``stale`` if there is a newer one.
    """
    with services.open_store() as store:
        scene = finding.scene(store, named)
        settings, notes = _told(values, scene.settings, scene.notes)
        new = scene.model_copy(update={"settings": settings, "notes": notes})
        if version is not None:
            return store.worlds.change(new.model_copy(update={"version": version}))
        return scene if new == scene else store.worlds.change(new)


def _check(wish: NewScene) -> None:
    """Refuse what can be refused without the store."""
    if not wish.title.strip():
        raise UsageMistake("empty-title", "the scene has no title", hint="name it in the first argument")
    _check_place(wish)
    _told(wish.settings or {})


def _check_place(wish: NewScene) -> None:
    if bool(wish.arc) == bool(wish.world):
        raise UsageMistake(
            "no-place",
            "say where the scene belongs: to an arc, or to a world",
            hint="`--arc ARC`, or `--world WORLD`, whose campaign and arc are made if there is none",
        )


def arcs_of(store: CommandStore, wish: NewScene) -> tuple[Arc, ...]:
    """The arcs that there are where a new scene is wanted; raises as ``create``."""
    _check_place(wish)
    if wish.arc:
        return (finding.one(store, Arc, wish.arc),)
    campaigns = store.worlds.list(Campaign, below=finding.one(store, World, wish.world).id)
    return tuple(arc for each in campaigns[:1] for arc in store.worlds.list(Arc, below=each.id)[:1])


def _arc(store: CommandStore, wish: NewScene) -> tuple[Arc, tuple[str, ...]]:
    """The arc for the scene, and what was made to have one."""
    if found := arcs_of(store, wish):
        return found[0], ()
    world, made = finding.one(store, World, wish.world), []
    campaign = next(iter(store.worlds.list(Campaign, below=world.id)), None)
    if campaign is None:
        campaign = store.worlds.create(Campaign(id="", world=world.id, name=world.name))
        made.append(f"campaign {campaign.id!r}")
    arc = store.worlds.create(Arc(id="", campaign=campaign.id, name=campaign.name))
    return arc, (*made, f"arc {arc.id!r}")


def _told(
    values: Mapping[str, str],
    settings: SceneSettings = SceneSettings(),  # noqa: B008 (frozen)
    notes: SceneNotes = SceneNotes(),  # noqa: B008
) -> tuple[SceneSettings, SceneNotes]:
    """Settings and notes with what was told in their place."""
    shares = {
        name.removeprefix("shares."): each for name, each in values.items() if name.startswith("shares.")
    }
    noted = {name: each for name, each in values.items() if name in _NOTES}
    plain = {
        name: each for name, each in values.items() if name not in noted and not name.startswith("shares.")
    }
    known = [*SceneSettings.model_fields, *(f"shares.{each}" for each in Shares.model_fields), *_NOTES]
    unknown = [name for name in values if name not in known or name == "shares"]
    if unknown:
        known.remove("shares")
        raise UsageMistake(
            "unknown-setting",
            f"a scene has no setting {unknown[0]!r}{meant(unknown[0], known)}",
            hint=f"known are {', '.join(known)}",
        )
    try:
        parts = Shares.model_validate({**settings.shares.model_dump(), **shares})
        told = SceneSettings.model_validate({**settings.model_dump(), **plain, "shares": parts})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise UsageMistake(
            "bad-setting", f"{place}: {first['msg'].lower()}", hint="give it as `--set NAME=VALUE`"
        ) from None
    return told, notes.model_copy(update=noted)


def greet(services: Services, store: CommandStore, scene: Scene, who: str) -> str:
    """Have the first of the cast whose card has an opening open the scene; returns its name, empty if none.

    Args:
        who: who makes the scene.
    """
    above = located(store, scene)
    cast = tuple(_cast(store, above))
    openings = ((each, _texts(each, is_group=len(cast) > 1)) for each in cast)
    opening, texts = next(((each, texts) for each, texts in openings if texts), (None, ()))
    if opening is None:
        return ""
    moment = Moment(
        character=opening.nickname or opening.name,
        user=above.persona.name if above.persona else who,
        group=tuple(each.name for each in cast),
        now=services.now(),
        seed=(scene.id, "greeting"),
        lasting_seed=(scene.id,),
    )
    said = ChatMessage(
        name=opening.name,
        speaker="character",
        alternatives=tuple(with_macros(each, moment) for each in texts),
    )
    author = Author(kind="person", name=opening.creator or who)
    keeper = ExchangeKeeper(services, scene, {speaker_of(said): opening.id}, who, author=author)
    keeper.keep(store, Exchange(None, (said,)))
    return opening.name


def _texts(character: Character, *, is_group: bool) -> tuple[str, ...]:
    """Openings of a card: those for a group first, if it is one."""
    for_groups = character.group_greetings if is_group else ()
    texts = (*for_groups, character.first_message, *character.alternate_greetings)
    return tuple(each for each in texts if each.strip())


def _cast(store: CommandStore, above: Located) -> Iterator[Character]:
    """Those present, as they are in the scene's campaign."""
    for id in above.scene.roster:
        if (character := store.worlds.read(Character, id)) is not None:
            overrides = store.worlds.overrides(id)
            yield merged_at(character, overrides, above.world.id, above.campaign.id)
