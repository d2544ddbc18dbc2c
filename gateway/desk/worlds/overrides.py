"""Overrides of a character in a world or campaign: shown merged, and edited in the same form."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gateway.desk.services import Services
from gateway.desk.worlds.finding import found
from gateway.desk.worlds.forms.filling import check_known
from gateway.desk.worlds.kinds import CAMPAIGN, CHARACTER, WORLD
from gateway.desk.worlds.storing import Subject, whole
from penwright.domain.scene.merging import Merged, merged
from penwright.errors import NotFound, UsageMistake
from penwright.ports.scenes import Worlds
from schemas.worlds import Campaign, Character, Override


@dataclass(frozen=True, slots=True)
class Level:
    """Level of an override: a world or a campaign, by id."""

    name: str
    """``world`` or ``campaign``."""
    at: str
    world: str
    """The world itself, or the campaign's."""


@dataclass(frozen=True, slots=True)
class Layers:
    """A character at one level: what every level says, and what comes of it."""

    base: Character
    level: Level
    world: Override | None
    campaign: Override | None

    @property
    def own(self) -> Override | None:
        """The override of the level itself."""
        return self.world if self.level.name == "world" else self.campaign

    @property
    def below(self) -> Character:
        """The character as it would be without the override of the level itself."""
        return merged(self.base, self.world if self.level.name == "campaign" else None).character

    @property
    def merged(self) -> Merged:
        """The character as it is there, with the level of each field."""
        return merged(self.base, self.world, self.campaign)


def layers(services: Services, character: str, *, world: str | None, campaign: str | None) -> Layers:
    """Return a character as a world or campaign has it.

    Raises:
        UsageMistake: ``no-place`` or ``two-places`` unless exactly one is named; as ``found``.
    """
    if bool(world) == bool(campaign):
        raise UsageMistake(
            "two-places" if world else "no-place",
            "name a world or a campaign, one of them",
            hint="`--world WORLD`, or `--campaign CAMPAIGN`, which includes what its world says",
        )
    with services.open_store() as store:
        thing: Character = found(store.worlds, CHARACTER, character)
        return _layers(store.worlds, thing, _level(store.worlds, world, campaign))


def subject(services: Services, given: Layers) -> Subject[Character]:
    """Return the merged character to be edited; what differs from the level below becomes the override."""
    id, level = given.base.id, given.level
    newest = [given]
    """What was read last: a change is what differs from it."""

    def again() -> Layers:
        with services.open_store() as store:
            return _layers(store.worlds, whole(store.worlds, CHARACTER, id), level)

    def write(new: Character, version: int) -> tuple[Character, int]:
        fields = _fields(newest[-1], new)
        with services.open_store() as store:
            stored = store.worlds.override(_override(given, fields, version))
        return again().merged.character, stored.version

    def reread() -> tuple[Character, int]:
        now = again()
        newest.append(now)
        return now.merged.character, _version(now)

    command = f"penwright character override {id} --{level.name} {level.at}"
    title = f"character {id} in the {level.name} {level.at}"
    return Subject(CHARACTER, title, command, given.merged.character, _version(given), write, reread)


def drop(services: Services, given: Layers, names: Sequence[str]) -> tuple[str, ...]:
    """Take fields out of the override, so that the level below counts; returns those that were in it.

    Raises:
        UsageMistake: ``unknown-field``.
        Refused: ``stale``.
    """
    wanted = {check_known(CHARACTER, name.replace("-", "_"), {}).name for name in names}
    return _without(services, given, lambda name: name in wanted)


def remove(services: Services, given: Layers) -> tuple[str, ...]:
    """Remove the whole override; returns the fields that were in it.

    Raises:
        NotFound: ``no-override``.
        Refused: ``stale``.
    """
    if given.own is None:
        raise NotFound(
            "no-override",
            f"the {given.level.name} {given.level.at!r} says nothing of its own about {given.base.id!r}",
            hint=f"`penwright character show {given.base.id}` names where it is overridden",
        )
    return _without(services, given, lambda name: True)


def _without(services: Services, given: Layers, goes: Callable[[str], bool]) -> tuple[str, ...]:
    fields = given.own.fields if given.own else {}
    gone = tuple(name for name in fields if goes(name))
    if gone:
        left = {name: value for name, value in fields.items() if name not in gone}
        with services.open_store() as store:
            store.worlds.override(_override(given, left, _version(given)))
    return gone


def _fields(given: Layers, new: Character) -> dict[str, Any]:  # Any: values of fields
    """The override that makes ``new`` of the level below.

    A field that it has already and that was not edited stays in it, even if the level below says the same.
    """
    below, before, after = map(CHARACTER.values, (given.below, given.merged.character, new))
    old = given.own.fields if given.own else {}
    kept = {name: value for name, value in old.items() if after.get(name) == before.get(name)}
    return kept | {
        name: value for name, value in after.items() if value != before[name] and value != below[name]
    }


def _override(given: Layers, fields: Mapping[str, Any], version: int) -> Override:
    level = "world" if given.level.name == "world" else "campaign"
    return Override.model_validate(
        {
            "level": level,
            "at": given.level.at,
            "character": given.base.id,
            "fields": fields,
            "version": version,
        }
    )


def _version(given: Layers) -> int:
    return given.own.version if given.own else 0


def _level(worlds: Worlds, world: str | None, campaign: str | None) -> Level:
    if world:
        id = found(worlds, WORLD, world).id
        return Level("world", id, id)
    found_one: Campaign = found(worlds, CAMPAIGN, campaign or "")
    return Level("campaign", found_one.id, found_one.world)


def _layers(worlds: Worlds, base: Character, level: Level) -> Layers:
    all_of_them = {(each.level, each.at): each for each in worlds.overrides(base.id)}
    return Layers(
        base=base,
        level=level,
        world=all_of_them.get(("world", level.world)),
        campaign=all_of_them.get(("campaign", level.at)) if level.name == "campaign" else None,
    )
