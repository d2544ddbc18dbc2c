"""Tables of worlds, their people and lore; in the metadata of the store."""

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Identity,
    Index,
    Integer,
    Table,
    Text,
    UniqueConstraint,
)

from penwright.adapters.store.tables import key, metadata, when

# JSON, not JSONB: it keeps key order and every character that cards and models produce, an escaped NUL
# included.


# Any: columns of several types.
def _thing() -> tuple[Column[Any], ...]:
    """Columns of everything that has an id and a version, such as worlds and characters."""
    return (
        key("id", primary_key=True),
        Column("number", BigInteger, Identity(), nullable=False),
        Column("name", Text, nullable=False),
        key("folded"),
        Column("version", Integer, nullable=False),
        Column("body", JSON, nullable=False),
        when("changed_at"),
    )


def of(name: str, place: str, *, nullable: bool = False, primary_key: bool = False) -> Column[str]:
    """Refers to a row that this one goes with."""
    goes = ForeignKey(f"{place}.id", ondelete="CASCADE")
    return Column(name, Text(collation="C"), goes, nullable=nullable, primary_key=primary_key)


worlds = Table(
    "worlds",
    metadata,
    *_thing(),
    Column("principal", Text, nullable=False),
    Index("worlds_by_name", "folded"),
)

campaigns = Table(
    "campaigns",
    metadata,
    *_thing(),
    of("world", "worlds"),
    Index("campaigns_by_name", "folded"),
    Index("campaigns_by_world", "world", "number"),
)

arcs = Table(
    "arcs",
    metadata,
    *_thing(),
    of("campaign", "campaigns"),
    Column("position", Integer, nullable=False),
    # Deferred, so that two can exchange their places.
    UniqueConstraint("campaign", "position", name="arcs_in_order", deferrable=True, initially="DEFERRED"),
    Index("arcs_by_name", "folded"),
)

personas = Table("personas", metadata, *_thing(), Index("personas_by_name", "folded"))

scenes = Table(
    "scenes",
    metadata,
    *_thing(),
    of("arc", "arcs"),
    Column("position", Integer, nullable=False),
    Column("persona", Text(collation="C"), ForeignKey("personas.id", ondelete="SET NULL")),
    # Numbers of the newest round and message, those that a branch shares included.
    Column("rounds", Integer, nullable=False),
    Column("messages", Integer, nullable=False),
    Column("branched_from", Text(collation="C"), ForeignKey("scenes.id", ondelete="SET NULL")),
    Column("branched_at", Integer, nullable=False),
    # Number of the last message that a branch shares.
    Column("shared_to", Integer, nullable=False),
    # Id of the scene that a scene and its branches come from.
    key("family"),
    UniqueConstraint("arc", "position", name="scenes_in_order", deferrable=True, initially="DEFERRED"),
    Index("scenes_by_name", "folded"),
    Index("scenes_by_origin", "branched_from"),
    Index("scenes_by_persona", "persona"),
    Index("scenes_by_family", "family"),
)

characters = Table("characters", metadata, *_thing(), Index("characters_by_name", "folded"))

character_overrides = Table(
    "character_overrides",
    metadata,
    of("character", "characters", primary_key=True),
    Column("level", Text, primary_key=True),
    key("at", primary_key=True),
    of("world", "worlds", nullable=True),
    of("campaign", "campaigns", nullable=True),
    Column("fields", JSON, nullable=False),
    Column("version", Integer, nullable=False),
    Index("character_overrides_by_world", "world"),
    Index("character_overrides_by_campaign", "campaign"),
)

lorebooks = Table("lorebooks", metadata, *_thing(), Index("lorebooks_by_name", "folded"))

lore_entries = Table(
    "lore_entries",
    metadata,
    of("book", "lorebooks", primary_key=True),
    key("uid", primary_key=True),
    Column("position", Integer, nullable=False),
    Column("enabled", Boolean, nullable=False),
    Column("constant", Boolean, nullable=False),
    Column("body", JSON, nullable=False),
)

# ``at`` stands a second time in the column of its level, so that the row goes with what it names; a book
# and a novel have one column.
lore_attachments = Table(
    "lore_attachments",
    metadata,
    of("book", "lorebooks", primary_key=True),
    Column("level", Text, primary_key=True),
    key("at", primary_key=True),
    Column("number", BigInteger, Identity(), nullable=False),
    of("world", "worlds", nullable=True),
    of("campaign", "campaigns", nullable=True),
    of("arc", "arcs", nullable=True),
    of("scene", "scenes", nullable=True),
    of("character", "characters", nullable=True),
    Column("work", Text, ForeignKey("books.book_id", ondelete="CASCADE")),
    Index("lore_attachments_by_place", "level", "at"),
    Index("lore_attachments_by_world", "world"),
    Index("lore_attachments_by_campaign", "campaign"),
    Index("lore_attachments_by_arc", "arc"),
    Index("lore_attachments_by_scene", "scene"),
    Index("lore_attachments_by_character", "character"),
    Index("lore_attachments_by_work", "work"),
)
