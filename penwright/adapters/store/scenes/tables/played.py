"""Tables of what is played in scenes; in the metadata of the store."""

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    ForeignKeyConstraint,
    Identity,
    Index,
    Integer,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
)

from penwright.adapters.store.scenes.tables.setting import of
from penwright.adapters.store.tables import key, metadata, when

# Who is or was in a scene; without a position one is known there, and not present.
scene_cast = Table(
    "scene_cast",
    metadata,
    of("scene", "scenes", primary_key=True),
    of("character", "characters", primary_key=True),
    Column("position", Integer),
    Index("scene_cast_by_character", "character"),
)

scene_views = Table(
    "scene_views",
    metadata,
    of("scene", "scenes", primary_key=True),
    Column("version", Integer, nullable=False),
    Column("body", JSON, nullable=False),
)

scene_state_events = Table(
    "scene_state_events",
    metadata,
    Column("number", BigInteger, Identity(), primary_key=True),
    of("scene", "scenes"),
    Column("round", Integer, nullable=False),
    Column("subject", Text, nullable=False),
    Column("field", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("old", JSON, nullable=False),
    Column("new", JSON, nullable=False),
    Column("by", Text, nullable=False),
    Column("overruled", Boolean, nullable=False),
    Column("op_id", Text, nullable=False),
    when("at"),
    Index("scene_state_events_by_round", "scene", "round", "number"),
)

scene_messages = Table(
    "scene_messages",
    metadata,
    of("scene", "scenes", primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("round", Integer, nullable=False),
    Column("speaker", Text, nullable=False),
    Column("speaker_id", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("witnesses", JSON, nullable=False),
    Column("chosen", Integer, nullable=False),
    Index("scene_messages_by_round", "scene", "round"),
)

message_alternatives = Table(
    "message_alternatives",
    metadata,
    key("scene", primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("index", Integer, primary_key=True),
    Column("text", JSON, nullable=False),
    Column("author", JSON, nullable=False),
    when("at"),
    Column("op_id", Text, nullable=False),
    Column("stopped", Boolean, nullable=False, server_default=false()),
    ForeignKeyConstraint(
        ["scene", "number"],
        ["scene_messages.scene", "scene_messages.number"],
        name="message_alternatives_message",
        ondelete="CASCADE",
    ),
)

scene_rounds = Table(
    "scene_rounds",
    metadata,
    of("scene", "scenes", primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("session", Text, nullable=False),
    # The round as it was closed, without ``before``; while it runs its steps hold what is known.
    Column("body", JSON, nullable=False),
    Column("before", JSON, nullable=False),
    # Of a round that was played again: its number, and the state before that.
    Column("replaces", Integer),
    Column("restores", JSON(none_as_null=True)),
    # Number of the round that was the newest when it began, or when the first take of it did.
    Column("follows", Integer, nullable=False, server_default="0"),
    # Of a message that gets another text: its number, and which text was chosen.
    Column("regenerates", Integer),
    Column("chosen_before", Integer),
    Column("user_message", Integer),
    Column("op_id", Text, nullable=False),
    when("started_at"),
    when("ended_at", nullable=True),
    Index("scene_rounds_one_runs", "scene", unique=True, postgresql_where=text("status = 'running'")),
)

# Passes and turns of a round while it runs; ``ended`` numbers those that are kept.
round_steps = Table(
    "round_steps",
    metadata,
    Column("number", BigInteger, Identity(), primary_key=True),
    key("scene"),
    Column("round", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("pass_number", Integer, nullable=False),
    Column("who", Text, nullable=False),
    Column("ended", Integer),
    Column("record", JSON(none_as_null=True)),
    Column("heard", Text, nullable=False, server_default=""),
    Column("author", JSON(none_as_null=True)),
    ForeignKeyConstraint(
        ["scene", "round"],
        ["scene_rounds.scene", "scene_rounds.number"],
        name="round_steps_round",
        ondelete="CASCADE",
    ),
    Index("round_steps_by_round", "scene", "round", "number"),
)

# Rounds that a scene hides, with their messages and memories; a branch has its own.
undone_rounds = Table(
    "undone_rounds",
    metadata,
    of("scene", "scenes", primary_key=True),
    Column("round", Integer, primary_key=True),
    Column("op_id", Text, nullable=False),
    when("at"),
    # The scene as it was with the round; none of one that failed.
    Column("scene_with", JSON(none_as_null=True)),
)

# Rounds whose memories a scene has taken back, and nothing else of them.
forgotten_rounds = Table(
    "forgotten_rounds",
    metadata,
    of("scene", "scenes", primary_key=True),
    Column("round", Integer, primary_key=True),
)

# Summaries of messages that the same people heard; each counts while those messages read as they did.
scene_stretches = Table(
    "scene_stretches",
    metadata,
    Column("number", BigInteger, Identity(), primary_key=True),
    of("scene", "scenes"),
    # Number of its last message.
    Column("last", Integer, nullable=False),
    Column("body", JSON, nullable=False),
    when("at"),
    Index("scene_stretches_by_scene", "scene", "number"),
)

scene_telemetry = Table(
    "scene_telemetry",
    metadata,
    Column("number", BigInteger, Identity(), primary_key=True),
    of("scene", "scenes"),
    Column("op_id", Text, nullable=False),
    Column("body", JSON, nullable=False),
    UniqueConstraint("op_id", name="scene_telemetry_once_per_effect"),
    Index("scene_telemetry_by_scene", "scene", "number"),
)
