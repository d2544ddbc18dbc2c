"""Double of worlds, campaigns, arcs, scenes, characters, personas and lorebooks."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import cast

from penwright.adapters.store.scenes.setting.entries import check_entries
from penwright.adapters.store.scenes.setting.kinds import (
    KINDS,
    WITNESSES,
    json_of,
    name_of,
    row_of,
    sharing_ids,
)
from penwright.adapters.store.scenes.setting.naming import folded, free, in_use, no_such, stale, unregistered
from penwright.adapters.store.scenes.setting.placing import version_after
from penwright.domain.scene.presence import kept_for_the_end
from penwright.domain.text.names import check_name
from penwright.domain.text.slugs import slug
from penwright.ports.portions import Portion
from penwright.ports.scenes import Kept
from schemas.base import Value
from schemas.lore import Attachment, Lorebook
from schemas.scene import SceneState
from schemas.worlds import Arc, Character, Level, Located, Override, Persona, Scene
from tests.support.doubles.scenes.removing import delete
from tests.support.doubles.scenes.shelf import Played, Shelf

WORKS = ("book", "novel")
_KIND_OF = {kind.word: thing for thing, kind in KINDS.items()}


class MemoryWorlds:
    """Implements ``Worlds``."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    def create(self, thing: Kept) -> Kept:
        check_name(name_of(thing))
        with self._shelf.lock:
            row_of(thing)
            self._check(thing)
            kept, word = self._shelf.things[type(thing)], KINDS[type(thing)].word
            ids = {id for each in sharing_ids(type(thing)) for id in self._shelf.things[each]}
            if type(thing) in WITNESSES:
                ids |= self._shelf.ids_in_history()
            id = free(slug(thing.id or name_of(thing), word), ids)
            fresh: Value = thing.model_copy(update={"id": id, "version": 1})
            if isinstance(fresh, Scene):
                self._check_roster(fresh)
                fresh = fresh.model_copy(update={"rounds": 0, "branched_from": "", "branched_at": 0})
                self._shelf.played[id] = Played(family=id, state=SceneState())
                self._shelf.put_roster(id, fresh.roster)
            kept[id] = self._placed(fresh)
            return cast(Kept, self._shelf.read(type(thing), id))

    def create_with_lore(self, character: Character, book: Lorebook) -> tuple[Character, Lorebook]:
        with self._shelf.lock:
            made = self.create(character)
            try:
                own, _ = self.create_attached(book, Attachment(book="", level="character", at=made.id))
            except BaseException:
                delete(self._shelf, Character, made.id)
                raise
            return made, own

    def create_attached(self, book: Lorebook, at: Attachment) -> tuple[Lorebook, Attachment]:
        with self._shelf.lock:
            self._shelf.check_there(_KIND_OF[at.level], at.at)
            made = self.create(book)
            placed = at.model_copy(update={"book": made.id})
            self.attach(placed)
            return made, placed

    def read(self, kind: type[Kept], id: str) -> Kept | None:
        with self._shelf.lock:
            return self._shelf.read(kind, id)

    def find(self, kind: type[Kept], name: str) -> tuple[Kept, ...]:
        with self._shelf.lock:
            exact = self._shelf.read(kind, name)
            if exact is not None:
                return (exact,)
            return tuple(one for one in self._shelf.all(kind) if folded(name_of(one)) == folded(name))

    def list(self, kind: type[Kept], *, below: str = "") -> tuple[Kept, ...]:
        parent, found = KINDS[kind].parent_column, self._all(kind)
        if below and parent:
            found = tuple(one for one in found if getattr(one, parent) == below)
        return found

    def part(self, kind: type[Kept], portion: Portion) -> tuple[tuple[Kept, ...], int]:
        sought = folded(portion.named)
        fitting = [
            one
            for one in self._all(kind)
            if (portion.among is None or one.id in portion.among)
            and (sought in folded(name_of(one)) or sought in one.id)
            and (not portion.called or folded(name_of(one)) == folded(portion.called))
            and (portion.above is None or _above(one) in portion.above)
            and one.id > (portion.after or "")
        ]
        if portion.after is not None:
            fitting.sort(key=lambda one: one.id)
        return tuple(fitting[portion.skip :][: portion.limit]), len(fitting)

    def counts(self, kind: type[Kept], above: Collection[str]) -> Mapping[str, int]:
        return Counter(owner for one in self._all(kind) if (owner := _above(one)) in above)

    def _all(self, kind: type[Kept]) -> tuple[Kept, ...]:
        with self._shelf.lock:
            found = self._shelf.all(kind)
        if kind is Lorebook:
            found = tuple(one.model_copy(update={"entries": ()}) for one in found)
        return found

    def change(self, thing: Kept) -> Kept:
        check_name(name_of(thing))
        kind = type(thing)
        with self._shelf.lock:
            before = self._shelf.read(kind, thing.id)
            if before is None:
                raise no_such(KINDS[kind].word, thing.id)
            if before.version != thing.version:
                raise stale(KINDS[kind].word, thing.id, before.version)
            row_of(thing)
            self._check(thing)
            self._replace(before, thing)
            return cast(Kept, self._shelf.read(kind, thing.id))

    def remove(self, kind: type[Kept], id: str) -> bool:
        with self._shelf.lock:
            touched = self._shelf.scenes_below(kind, id)
            for scene in touched:
                running = self._shelf.played[scene].running()
                if running is not None:
                    raise in_use(scene, running.round.number)
            if id not in self._shelf.things[kind]:
                return False
            delete(self._shelf, kind, id)
            return True

    def locate(self, scene: str) -> Located | None:
        with self._shelf.lock:
            return self._shelf.locate(scene)

    def overrides(self, character: str) -> tuple[Override, ...]:
        with self._shelf.lock:
            found = [one for one in self._shelf.overrides.values() if one.character == character]
        return tuple(sorted(found, key=lambda one: (one.level != "world", one.at)))

    def override(self, override: Override) -> Override:
        key = (override.character, override.level, override.at)
        with self._shelf.lock:
            self._shelf.check_there(Character, override.character)
            self._shelf.check_there(_KIND_OF[override.level], override.at)
            json_of(override)
            stored = self._shelf.overrides.get(key)
            version = version_after(override, stored.version if stored else None)
            changed = override.model_copy(update={"version": version})
            if override.fields:
                self._shelf.overrides[key] = changed
            else:
                self._shelf.overrides.pop(key, None)
            return changed

    def attach(self, attachment: Attachment) -> None:
        with self._shelf.lock:
            self._shelf.check_there(Lorebook, attachment.book)
            if attachment.level not in WORKS:
                self._shelf.check_there(_KIND_OF[attachment.level], attachment.at)
            elif not self._shelf.is_work(attachment.level, attachment.at):
                raise unregistered(attachment.level, attachment.at)
            if attachment not in self._shelf.attachments:
                self._shelf.attachments.append(attachment)

    def detach(self, attachment: Attachment) -> bool:
        with self._shelf.lock:
            there = attachment in self._shelf.attachments
            if there:
                self._shelf.attachments.remove(attachment)
            return there

    def attachments(self, at: Sequence[tuple[Level | str, str]]) -> tuple[Attachment, ...]:
        return tuple(one for one in self._attachments() if (one.level, one.at) in [*map(tuple, at)])

    def attached(self, book: str) -> tuple[Attachment, ...]:
        return tuple(one for one in self._attachments() if one.book == book)

    def places(self, books: Collection[str]) -> Mapping[str, int]:
        return Counter(one.book for one in self._attachments() if one.book in books)

    def _attachments(self) -> tuple[Attachment, ...]:
        with self._shelf.lock:
            kept = (one for one in self._shelf.attachments if one.level not in WORKS or self._is_work(one))
            return tuple(kept)

    def _is_work(self, attachment: Attachment) -> bool:
        return self._shelf.is_work(attachment.level, attachment.at)

    def lorebook(self, id: str) -> Lorebook | None:
        return self.read(Lorebook, id)

    def active_books(self, scene: str, *, reader: str | None = None) -> tuple[Lorebook, ...]:
        with self._shelf.lock:
            located = self._shelf.locate(scene)
            if located is None:
                return ()
            owners = located.scene.roster if reader is None else (reader,)
            places = [
                ("scene", scene),
                ("arc", located.arc.id),
                ("campaign", located.campaign.id),
                ("world", located.world.id),
                *(("character", id) for id in owners),
            ]
            active = {one.book for one in self._shelf.attachments if (one.level, one.at) in places}
            return tuple(book for book in self._shelf.all(Lorebook) if book.id in active)

    def may_come(self, scene: str, characters: Sequence[str]) -> None:
        for id in characters:
            self._shelf.check_there(Character, id)
        self._shelf.played[scene].known |= {*characters}

    def _check(self, thing: Kept) -> None:
        parent = KINDS[type(thing)].parent
        if parent is not None:
            self._shelf.check_there(parent, getattr(thing, KINDS[parent].word))
        if isinstance(thing, Scene) and thing.persona:
            self._shelf.check_there(Persona, thing.persona)
        if isinstance(thing, Lorebook):
            check_entries(thing)

    def _check_roster(self, scene: Scene) -> None:
        for id in scene.roster:
            self._shelf.check_there(Character, id)

    def _placed(self, thing: Value) -> Value:
        if not isinstance(thing, Arc | Scene):
            return thing
        taken = {one.position for one in _siblings(self._shelf, thing)}
        position = thing.position if thing.position not in taken else max(taken) + 1
        return thing.model_copy(update={"position": position})

    def _replace(self, before: Kept, thing: Kept) -> None:
        after: Value = thing.model_copy(update={"version": thing.version + 1})
        if isinstance(before, Scene) and isinstance(thing, Scene):
            self._check_roster(thing)
            if self._shelf.played[thing.id].running() is not None:
                after = kept_for_the_end(cast(Scene, after), before.roster)
            else:
                self._shelf.put_roster(thing.id, thing.roster)
            beside = {name: getattr(before, name) for name in ("rounds", "branched_from", "branched_at")}
            after = after.model_copy(update=beside)
        if isinstance(before, Arc | Scene) and isinstance(thing, Arc | Scene):
            self._exchange(before, thing)
        self._shelf.things[type(thing)][thing.id] = after

    def _exchange(self, before: Arc | Scene, after: Arc | Scene) -> None:
        parent = KINDS[type(after)].parent_column
        moved = {"position": before.position, parent: getattr(before, parent)}
        for other in _siblings(self._shelf, after):
            if other.position == after.position:
                self._shelf.things[type(after)][other.id] = other.model_copy(update=moved)


def _siblings(shelf: Shelf, thing: Arc | Scene) -> list[Arc | Scene]:
    parent = KINDS[type(thing)].parent_column
    kept = cast("list[Arc | Scene]", list(shelf.things[type(thing)].values()))
    return [one for one in kept if getattr(one, parent) == getattr(thing, parent) and one.id != thing.id]


def _above(thing: Kept) -> str:
    """Id of what it belongs to."""
    parent = KINDS[type(thing)].parent_column
    return str(getattr(thing, parent)) if parent else ""
