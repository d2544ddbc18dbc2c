"""Worlds in a dict, for the desk's tests."""

from collections.abc import Sequence
from typing import Any

from penwright.errors import Refused
from penwright.ports.scenes import Kept
from schemas.lore import Attachment, Lorebook
from schemas.worlds import Arc, Campaign, Located, Override, Persona, Scene, World

_OWNER = {Campaign: "world", Arc: "campaign", Scene: "arc"}


class DictWorlds:
    """Implements ``Worlds``."""

    def __init__(self) -> None:
        self.things: dict[tuple[type, str], Any] = {}
        self.laid: dict[tuple[str, str, str], Override] = {}
        self.attached: list[Attachment] = []

    def create(self, thing: Kept) -> Kept:
        wanted = getattr(thing, "name", "") or getattr(thing, "title", "")
        slug, number = "-".join(wanted.lower().split()), 1
        id = slug
        while (type(thing), id) in self.things:
            number += 1
            id = f"{slug}-{number}"
        made = thing.model_copy(update={"id": id, "version": 1})
        self.things[type(thing), id] = made
        return made

    def read(self, kind: type[Kept], id: str) -> Kept | None:
        return self.things.get((kind, id))

    def find(self, kind: type[Kept], name: str) -> tuple[Kept, ...]:
        if same := self.read(kind, name):
            return (same,)
        called = [(each, getattr(each, "name", "") or getattr(each, "title", "")) for each in self._all(kind)]
        return tuple(each for each, own in called if own.casefold() == name.casefold())

    def list(self, kind: type[Kept], *, below: str = "") -> tuple[Kept, ...]:
        listed = [each for each in self._all(kind) if not below or below in self._above(each)]
        if kind is Lorebook:
            listed = [each.model_copy(update={"entries": ()}) for each in listed]
        return tuple(listed)

    def change(self, thing: Kept) -> Kept:
        stored = self.things[type(thing), thing.id]
        if stored.version != thing.version:
            raise Refused("stale", f"it is at version {stored.version}")
        made = thing.model_copy(update={"version": thing.version + 1})
        self.things[type(thing), thing.id] = made
        return made

    def remove(self, kind: type[Kept], id: str) -> bool:
        gone = self.things.pop((kind, id), None)
        for below in [each for each in self.things.values() if gone and id in self._above(each)]:
            self.things.pop((type(below), below.id))
        return gone is not None

    def locate(self, scene: str) -> Located | None:
        found = self.things.get((Scene, scene))
        if found is None:
            return None
        arc = self.things[Arc, found.arc]
        campaign = self.things[Campaign, arc.campaign]
        world = self.things[World, campaign.world]
        persona = self.things.get((Persona, found.persona))
        return Located(scene=found, arc=arc, campaign=campaign, world=world, persona=persona)

    def overrides(self, character: str) -> tuple[Override, ...]:
        return tuple(each for each in self.laid.values() if each.character == character)

    def override(self, override: Override) -> Override:
        key = (override.level, override.at, override.character)
        stored = self.laid.get(key)
        if stored is not None and stored.version != override.version:
            raise Refused("stale", "changed meanwhile")
        if not override.fields:
            self.laid.pop(key, None)
            return override
        made = override.model_copy(update={"version": override.version + 1 if stored else 1})
        self.laid[key] = made
        return made

    def attach(self, attachment: Attachment) -> None:
        if attachment not in self.attached:
            self.attached.append(attachment)

    def detach(self, attachment: Attachment) -> bool:
        known = attachment in self.attached
        self.attached = [each for each in self.attached if each != attachment]
        return known

    def attachments(self, at: Sequence[tuple[str, str]] | None = None) -> tuple[Attachment, ...]:
        return tuple(each for each in self.attached if at is None or (each.level, each.at) in at)

    def active_books(self, scene: str) -> tuple[Lorebook, ...]:
        raise AssertionError(f"no desk of worlds asks for the books of {scene}")

    def _all(self, kind: type[Kept]) -> Sequence[Any]:
        return [each for (known, _), each in self.things.items() if known is kind]

    def _above(self, thing: Any) -> set[str]:
        """Ids of everything that a thing is below."""
        above: set[str] = set()
        while field := _OWNER.get(type(thing)):
            owner = getattr(thing, field)
            above.add(owner)
            kind = {"world": World, "campaign": Campaign, "arc": Arc}[field]
            found: Any = self.things.get((kind, owner))  # type: ignore[call-overload]
            thing = found
        return above
