"""Worlds, campaigns, arcs, scenes, characters, personas and lorebooks."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import cast

from sqlalchemy import Connection, func, insert, select, text, update

from penwright.adapters.store.database import Database
from penwright.adapters.store.scenes.setting import placing, removing, roster
from penwright.adapters.store.scenes.setting.entries import BookEntries
from penwright.adapters.store.scenes.setting.kinds import (
    KINDS,
    WITNESSES,
    fitting,
    name_of,
    ordered,
    row_of,
    sharing_ids,
    thing_of,
    wanted,
)
from penwright.adapters.store.scenes.setting.naming import folded, free, no_such, stale
from penwright.adapters.store.scenes.tables.played import scene_views
from penwright.adapters.store.scenes.tables.setting import lorebooks
from penwright.domain.text.names import check_name
from penwright.domain.text.slugs import slug
from penwright.ports.clock import Clock
from penwright.ports.portions import Portion
from penwright.ports.scenes import Kept
from schemas.base import Value
from schemas.lore import Attachment, Lorebook
from schemas.worlds import Arc, Campaign, Character, Level, Located, Override, Persona, Scene, World


def free_place(connection: Connection, thing: Value) -> int:
    """Return the position that a new thing asks for; the one after the last if it is taken."""
    assert isinstance(thing, Arc | Scene)
    kind = KINDS[type(thing)]
    siblings = kind.table.c[kind.parent_column] == getattr(thing, kind.parent_column)
    # The parent's row orders those who take a place among its children.
    above = KINDS[kind.parent].table if kind.parent else kind.table
    parent = above.c.id == getattr(thing, kind.parent_column)
    connection.execute(select(above.c.id).where(parent).with_for_update(key_share=True))
    taken = set(connection.execute(select(kind.table.c.position).where(siblings)).scalars())
    return thing.position if thing.position not in taken else max(taken) + 1


def take_place(connection: Connection, before: Value, after: Value) -> None:
    """Give what stands where ``after`` wants to stand the place that ``before`` leaves."""
    assert isinstance(before, Arc | Scene)
    assert isinstance(after, Arc | Scene)
    kind = KINDS[type(after)]
    parent = kind.parent_column
    if (getattr(before, parent), before.position) == (getattr(after, parent), after.position):
        return
    there = (kind.table.c[parent] == getattr(after, parent)) & (kind.table.c.position == after.position)
    moved = update(kind.table).where(there, kind.table.c.id != after.id)
    connection.execute(moved.values({parent: getattr(before, parent), "position": before.position}))


IDS_IN_TURN = text("select pg_advisory_xact_lock(7307, 3)")
"""Two that take an id at once would find the same one free."""


_IN_HISTORY = text(
    """
    select exists (select from scene_messages
                   where speaker_id = :id or strpos(cast(witnesses as text), :written) > 0)
        or exists (select from scene_state_events where subject = :id)
        or exists (select from scene_views where strpos(cast(body as text), :written) > 0)
    """
)
"""Reads all messages, without their texts: some 40 ms for 100,000."""


class PostgresWorlds:
    """Implements ``Worlds``."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._entries = BookEntries()

    def create(self, thing: Kept) -> Kept:
        with self._database.transaction() as connection:
            return self._create(connection, thing)

    def create_with_lore(self, character: Character, book: Lorebook) -> tuple[Character, Lorebook]:
        with self._database.transaction() as connection:
            made = self._create(connection, character)
            own, _ = self._attached(connection, book, Attachment(book="", level="character", at=made.id))
            return made, own

    def create_attached(self, book: Lorebook, at: Attachment) -> tuple[Lorebook, Attachment]:
        with self._database.transaction() as connection:
            return self._attached(connection, book, at)

    def read(self, kind: type[Kept], id: str) -> Kept | None:
        with self._database.statement() as connection:
            return self._read(connection, kind, id)

    def find(self, kind: type[Kept], name: str) -> tuple[Kept, ...]:
        table = KINDS[kind].table
        with self._database.statement() as connection:
            exact = self._read(connection, kind, name)
            if exact is not None:
                return (exact,)
            rows = connection.execute(wanted(kind).where(table.c.folded == folded(name))).mappings().all()
            return tuple(self._whole(connection, thing_of(kind, row)) for row in rows)

    def list(self, kind: type[Kept], *, below: str = "") -> tuple[Kept, ...]:
        query = wanted(kind)
        if below and (parent := KINDS[kind].parent_column):
            query = query.where(KINDS[kind].table.c[parent] == below)
        with self._database.statement() as connection:
            return tuple(thing_of(kind, row) for row in connection.execute(query).mappings())

    def part(self, kind: type[Kept], portion: Portion) -> tuple[tuple[Kept, ...], int]:
        fits = fitting(kind, portion)
        table = KINDS[kind].table
        with self._database.statement() as connection:
            count = connection.execute(select(func.count()).select_from(table).where(*fits)).scalar_one()
            query = ordered(kind, portion).where(*fits).limit(portion.limit).offset(portion.skip)
            return tuple(thing_of(kind, row) for row in connection.execute(query).mappings()), count

    def counts(self, kind: type[Kept], above: Collection[str]) -> Mapping[str, int]:
        table, parent = KINDS[kind].table, KINDS[kind].parent_column
        if not parent:
            return {}
        owner = table.c[parent]
        query = select(owner, func.count()).where(owner.in_(above)).group_by(owner)
        with self._database.statement() as connection:
            return {row[0]: row[1] for row in connection.execute(query)}

    def change(self, thing: Kept) -> Kept:
        check_name(name_of(thing))
        kind = type(thing)
        with self._database.transaction() as connection:
            before = locked(connection, kind, thing.id)
            if before is None:
                raise no_such(KINDS[kind].word, thing.id)
            if before.version != thing.version:
                raise stale(KINDS[kind].word, thing.id, before.version)
            self._replace(connection, before, thing)
            return cast(Kept, self._read(connection, kind, thing.id))

    def remove(self, kind: type[Kept], id: str) -> bool:
        with self._database.transaction() as connection:
            return removing.remove(connection, kind, id)

    def locate(self, scene: str) -> Located | None:
        with self._database.statement() as connection:
            return locate(connection, scene)

    def overrides(self, character: str) -> tuple[Override, ...]:
        with self._database.statement() as connection:
            return placing.overrides(connection, character)

    def override(self, override: Override) -> Override:
        with self._database.transaction() as connection:
            return placing.override(connection, override)

    def may_come(self, scene: str, characters: Sequence[str]) -> None:
        with self._database.transaction() as connection:
            roster.may_come(connection, scene, characters)

    def attach(self, attachment: Attachment) -> None:
        with self._database.transaction() as connection:
            placing.attach(connection, attachment)

    def detach(self, attachment: Attachment) -> bool:
        with self._database.transaction() as connection:
            return placing.detach(connection, attachment)

    def attachments(self, at: Sequence[tuple[Level | str, str]]) -> tuple[Attachment, ...]:
        with self._database.statement() as connection:
            return placing.attachments(connection, at)

    def attached(self, book: str) -> tuple[Attachment, ...]:
        with self._database.statement() as connection:
            return placing.attached(connection, book)

    def places(self, books: Collection[str]) -> Mapping[str, int]:
        with self._database.statement() as connection:
            return placing.places(connection, books)

    def lorebook(self, id: str) -> Lorebook | None:
        with self._snapshot() as connection:
            row = connection.execute(select(lorebooks).where(lorebooks.c.id == id)).mappings().first()
            return None if row is None else self._entries.current(connection, row)

    def active_books(self, scene: str, *, reader: str | None = None) -> tuple[Lorebook, ...]:
        with self._snapshot() as connection:
            rows = placing.active_books(connection, scene, reader)
            return tuple(self._entries.current(connection, row) for row in rows)

    @contextmanager
    def _snapshot(self) -> Iterator[Connection]:
        """A transaction in which a book's entries are those of its version."""
        with self._database.transaction() as connection:
            connection.execute(text("set transaction isolation level repeatable read"))
            yield connection

    def _create(self, connection: Connection, thing: Kept) -> Kept:
        check_name(name_of(thing))
        connection.execute(IDS_IN_TURN)
        id = free_id(connection, type(thing), thing.id or name_of(thing))
        return self._insert(connection, thing.model_copy(update={"id": id, "version": 1}))

    def _attached(
        self, connection: Connection, book: Lorebook, at: Attachment
    ) -> tuple[Lorebook, Attachment]:
        made = self._create(connection, book)
        placed = at.model_copy(update={"book": made.id})
        placing.attach(connection, placed)
        return made, placed

    def _insert(self, connection: Connection, thing: Kept) -> Kept:
        kind = KINDS[type(thing)]
        row = {**row_of(thing), "id": thing.id, "version": 1, "changed_at": self._clock.now()}
        check_parent(connection, thing)
        if kind.ordered:
            row["position"] = free_place(connection, thing)
        if isinstance(thing, Scene):
            row |= {"rounds": 0, "messages": 0, "branched_at": 0, "shared_to": 0, "family": thing.id}
        connection.execute(insert(kind.table).values(row))
        if isinstance(thing, Scene):
            connection.execute(insert(scene_views).values(scene=thing.id, version=0, body={}))
            roster.put(connection, thing.id, thing.roster)
        if isinstance(thing, Lorebook):
            self._entries.put(connection, thing)
        return cast(Kept, self._read(connection, type(thing), thing.id))

    def _replace(self, connection: Connection, before: Kept, thing: Kept) -> None:
        kind = KINDS[type(thing)]
        check_parent(connection, thing)
        if kind.ordered:
            take_place(connection, before, thing)
        if isinstance(thing, Scene):
            thing = roster.change(connection, thing)
        if isinstance(thing, Lorebook):
            self._entries.put(connection, thing)
        row = {**row_of(thing), "version": thing.version + 1, "changed_at": self._clock.now()}
        connection.execute(update(kind.table).where(kind.table.c.id == thing.id).values(row))

    def _read(self, connection: Connection, kind: type[Kept], id: str) -> Kept | None:
        thing = read(connection, kind, id)
        return None if thing is None else self._whole(connection, thing)

    def _whole(self, connection: Connection, thing: Kept) -> Kept:
        if isinstance(thing, Lorebook):
            return self._entries.whole(connection, thing)
        return thing


def read(connection: Connection, kind: type[Kept], id: str) -> Kept | None:
    """Return it, a lorebook without its entries."""
    row = connection.execute(wanted(kind).where(KINDS[kind].table.c.id == id)).mappings().first()
    return None if row is None else thing_of(kind, row)


def locked(connection: Connection, kind: type[Kept], id: str) -> Kept | None:
    """Return it, and keep others from changing it until the transaction ends."""
    table = KINDS[kind].table
    connection.execute(select(table.c.id).where(table.c.id == id).with_for_update(key_share=True))
    return read(connection, kind, id)


def free_id(connection: Connection, kind: type[Value], name: str) -> str:
    """Make an id from the name; the caller holds ``IDS_IN_TURN``.

    A character or persona gets none that a scene still knows from one who was removed.
    """
    first = slug(name, KINDS[kind].word)
    ids = (KINDS[each].table.c.id for each in sharing_ids(kind))
    begins = (connection.execute(select(id).where(id.startswith(first))).scalars() for id in ids)
    taken = {id for some in begins for id in some}
    found = free(first, taken)
    while kind in WITNESSES and _is_in_history(connection, found):
        taken.add(found)
        found = free(first, taken)
    return found


def _is_in_history(connection: Connection, id: str) -> bool:
    """Whether a scene has words, witnesses or states of someone with this id."""
    return bool(connection.execute(_IN_HISTORY, {"id": id, "written": json.dumps(id)}).scalar())


def check_parent(connection: Connection, thing: Value) -> None:
    """Raise ``NotFound`` unless what the thing belongs to exists; it is then locked against removal."""
    parent = KINDS[type(thing)].parent
    if parent is not None:
        above = KINDS[parent]
        check_there(connection, parent, getattr(thing, above.word))
    if isinstance(thing, Scene) and thing.persona:
        check_there(connection, Persona, thing.persona)


def check_there(connection: Connection, kind: type[Value], id: str) -> None:
    """Raise ``NotFound`` unless there is one; nothing can remove it until the transaction ends."""
    table = KINDS[kind].table
    query = select(table.c.id).where(table.c.id == id).with_for_update(read=True, key_share=True)
    if connection.execute(query).first() is None:
        raise no_such(KINDS[kind].word, id)


def locate(connection: Connection, scene: str) -> Located | None:
    """Return a scene with all that is above it."""
    found = read(connection, Scene, scene)
    if found is None:
        return None
    arc = cast(Arc, read(connection, Arc, found.arc))
    campaign = cast(Campaign, read(connection, Campaign, arc.campaign))
    return Located(
        scene=found,
        arc=arc,
        campaign=campaign,
        world=cast(World, read(connection, World, campaign.world)),
        persona=read(connection, Persona, found.persona) if found.persona else None,
    )
