"""Overrides of characters and active lorebooks, by place in the hierarchy."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, func, or_, select, tuple_, update
from sqlalchemy.dialects.postgresql import insert as upsert

from penwright.adapters.store.scenes.setting.kinds import KINDS, json_of
from penwright.adapters.store.scenes.setting.naming import no_such, stale, unregistered
from penwright.adapters.store.scenes.setting.roster import present
from penwright.adapters.store.scenes.tables.setting import (
    arcs,
    campaigns,
    character_overrides,
    lore_attachments,
    lorebooks,
    scenes,
)
from penwright.adapters.store.tables import books
from schemas.base import Value
from schemas.lore import Attachment, Lorebook
from schemas.worlds import Character, Level, Override

_BY_WORD: Mapping[str, type[Value]] = {kind.word: thing for thing, kind in KINDS.items()}
_WORKS = ("book", "novel")
_OVERRIDES = character_overrides.c
_ATTACHED = lore_attachments.c


def overrides(connection: Connection, character: str) -> tuple[Override, ...]:
    """All overrides of a character, the world's first."""
    rows = select(character_overrides).where(_OVERRIDES.character == character)
    ordered = rows.order_by(_OVERRIDES.level.desc(), _OVERRIDES.at)
    return tuple(Override.model_validate(dict(row)) for row in connection.execute(ordered).mappings())


def override(connection: Connection, override: Override) -> Override:
    """See the port."""
    _check_there(connection, KINDS[Character].word, override.character)
    _check_there(connection, override.level, override.at)
    same = (
        (_OVERRIDES.character == override.character)
        & (_OVERRIDES.level == override.level)
        & (_OVERRIDES.at == override.at)
    )
    version = connection.execute(select(_OVERRIDES.version).where(same).with_for_update()).scalar()
    next_version = version_after(override, version)
    if not override.fields:
        connection.execute(delete(character_overrides).where(same))
    elif version is None:
        added = upsert(character_overrides).values(_override_row(override)).on_conflict_do_nothing()
        if connection.execute(added.returning(_OVERRIDES.version)).first() is None:
            raise stale("override of", override.character, 1)
    else:
        changed = {"fields": json_of(override)["fields"], "version": next_version}
        connection.execute(update(character_overrides).where(same).values(changed))
    return override.model_copy(update={"version": next_version})


def version_after(override: Override, stored: int | None) -> int:
    """The version that this change makes; raises ``Refused`` ``stale``. 0 says that none is stored yet."""
    if override.version != stored and (stored is not None or override.version > 1):
        raise stale("override of", override.character, stored or 0)
    return 1 if stored is None else stored + 1


def attach(connection: Connection, attachment: Attachment) -> None:
    """See the port."""
    _check_there(connection, KINDS[Lorebook].word, attachment.book)
    is_work = attachment.level in _WORKS
    (_check_work if is_work else _check_there)(connection, attachment.level, attachment.at)
    row = {**attachment.model_dump(), "work" if is_work else attachment.level: attachment.at}
    connection.execute(upsert(lore_attachments).values(row).on_conflict_do_nothing())


def detach(connection: Connection, attachment: Attachment) -> bool:
    """See the port."""
    same = [lore_attachments.c[name] == value for name, value in attachment.model_dump().items()]
    return bool(connection.execute(delete(lore_attachments).where(*same)).rowcount)


def attachments(connection: Connection, at: Sequence[tuple[Level | str, str]]) -> tuple[Attachment, ...]:
    """See the port."""
    return _read(connection, tuple_(_ATTACHED.level, _ATTACHED.at).in_([tuple(place) for place in at]))


def attached(connection: Connection, book: str) -> tuple[Attachment, ...]:
    """See the port."""
    return _read(connection, _ATTACHED.book == book)


def _read(connection: Connection, which: ColumnElement[bool]) -> tuple[Attachment, ...]:
    rows = select(lore_attachments).where(which).order_by(_ATTACHED.number)
    return tuple(Attachment.model_validate(dict(row)) for row in connection.execute(rows).mappings())


def places(connection: Connection, books: Collection[str]) -> Mapping[str, int]:
    """See the port."""
    query = select(_ATTACHED.book, func.count()).where(_ATTACHED.book.in_(books)).group_by(_ATTACHED.book)
    return {row[0]: row[1] for row in connection.execute(query)}


# Any: column values of several types.
def active_books(connection: Connection, scene: str, reader: str | None) -> Sequence[Mapping[Any, Any]]:
    """Rows of the books that are active in a scene, oldest first; see the port."""
    above = (
        select(scenes.c.id, scenes.c.arc, arcs.c.campaign, campaigns.c.world)
        .join(arcs, arcs.c.id == scenes.c.arc)
        .join(campaigns, campaigns.c.id == arcs.c.campaign)
        .where(scenes.c.id == scene)
    )
    place = connection.execute(above).first()
    if place is None:
        return ()
    owners = present(connection, scene) if reader is None else (reader,)
    here = or_(
        _ATTACHED.scene == place.id,
        _ATTACHED.arc == place.arc,
        _ATTACHED.campaign == place.campaign,
        _ATTACHED.world == place.world,
        _ATTACHED.character.in_(owners),
    )
    active = select(lorebooks).where(lorebooks.c.id.in_(select(_ATTACHED.book).where(here)))
    return connection.execute(active.order_by(lorebooks.c.number)).mappings().all()


def _check_there(connection: Connection, word: str, id: str) -> None:
    table = KINDS[_BY_WORD[word]].table
    there = select(table.c.id).where(table.c.id == id).with_for_update(read=True, key_share=True)
    if connection.execute(there).first() is None:
        raise no_such(word, id)


def _check_work(connection: Connection, kind: str, id: str) -> None:
    known = select(books.c.book_id).where(books.c.book_id == id, books.c.kind == kind)
    if connection.execute(known.with_for_update(read=True, key_share=True)).first() is None:
        raise unregistered(kind, id)


# Any: column values of several types.
def _override_row(override: Override) -> dict[str, Any]:
    return {**json_of(override), override.level: override.at, "version": 1}
