"""Table of seats; in the metadata of the store."""

from sqlalchemy import Column, Index, Table, Text, text

from penwright.adapters.store.scenes.tables.setting import of
from penwright.adapters.store.tables import key, metadata, when

# A seat without ``over`` is one in which a person may sit; a character has one such seat at most.
scene_seats = Table(
    "scene_seats",
    metadata,
    key("id", primary_key=True),
    Column("digest", Text(collation="C"), nullable=False, unique=True),
    of("scene", "scenes"),
    of("character", "characters"),
    Column("name", Text, nullable=False),
    when("since"),
    when("expires_at"),
    when("seen_at", nullable=True),
    when("over_at", nullable=True),
    Column("over", Text),
    Column("draft", Text, nullable=False, server_default=""),
    Index("scene_seats_by_scene", "scene", "since"),
    Index(
        "scene_seats_one_of_a_character",
        "scene",
        "character",
        unique=True,
        postgresql_where=text("over is null"),
    ),
)
