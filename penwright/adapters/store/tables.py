"""The tables for queries; the migrations create them."""

from datetime import datetime

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Date,
    DateTime,
    Double,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)

metadata = MetaData()


def when(name: str, *, nullable: bool = False) -> Column[datetime]:
    return Column(name, DateTime(timezone=True), nullable=nullable)


blobs = Table(
    "blobs",
    metadata,
    Column("sha256", Text, primary_key=True),
    Column("size", BigInteger, nullable=False),
    Column("content", LargeBinary, nullable=False),
    when("created_at"),
    when("last_used"),
    Index("blobs_by_last_use", "last_used"),
)

books = Table(
    "books",
    metadata,
    Column("book_id", Text, primary_key=True),
    Column("path", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("queue", Text, nullable=False),
    Column("remote_url", Text, nullable=False),
    when("created_at"),
    Column("kind", Text, nullable=False, server_default="book"),
)

board_entries = Table(
    "board_entries",
    metadata,
    Column("book_id", Text, primary_key=True),
    Column("about", Text, primary_key=True),
    Column("state", Text, nullable=False),
    when("at"),
    when("since"),
    Column("detail", JSON, nullable=False),
)

# JSON, not JSONB: it keeps key order and every character a model may produce, an escaped NUL included.
runs = Table(
    "runs",
    metadata,
    Column("run", Text, primary_key=True),
    Column("pipeline", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("stage", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("words", BigInteger, nullable=False),
    Column("cost_micros", BigInteger, nullable=False),
    when("started_at", nullable=True),
    when("ended_at", nullable=True),
    Column("detail", JSON, nullable=False),
    when("noted_at"),
    Index("runs_by_subject", "subject", "noted_at"),
    Index("runs_by_age", "noted_at"),
)

# Without a cursor: no reader has seen the event.
events = Table(
    "events",
    metadata,
    Column("arrival", BigInteger, primary_key=True, autoincrement=True),
    Column("run", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("kind", Text, nullable=False),
    when("at"),
    Column("op_id", Text, nullable=False),
    Column("data", JSON, nullable=False),
    Column("cursor", BigInteger),
    UniqueConstraint("op_id", "kind", name="events_once_per_effect_and_kind"),
    Index("events_by_run", "run", "cursor"),
    Index("events_by_cursor", "cursor", unique=True),
    Index("events_without_cursor", "arrival", postgresql_where=text("cursor is null")),
)

# One row: the greatest cursor that was ever given.
event_numbers = Table("event_numbers", metadata, Column("newest", BigInteger, nullable=False))

# A row in state "started" is the reservation of its call.
model_calls = Table(
    "model_calls",
    metadata,
    Column("op_id", Text, primary_key=True),
    Column("state", Text, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("lost", Integer, nullable=False),
    Column("role", Text, nullable=False),
    Column("run", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("day", Date, nullable=False),
    Column("prompt_digest", Text, nullable=False),
    Column("held_tokens", BigInteger, nullable=False),
    Column("held_micros", BigInteger),
    when("held_until"),
    Column("model", Text),
    Column("provider", Text),
    Column("finish_reason", Text),
    Column("rung", Text),
    Column("demo", Boolean),
    Column("reply", Text, ForeignKey("blobs.sha256", name="model_calls_reply")),
    Column("tool_calls", LargeBinary),
    Column("input_tokens", BigInteger),
    Column("output_tokens", BigInteger),
    Column("cost_micros", BigInteger),
    Column("cached_tokens", BigInteger),
    Column("written_tokens", BigInteger),
    Column("thought_tokens", BigInteger),
    when("started_at"),
    when("ended_at", nullable=True),
    Index("model_calls_by_run", "run"),
    Index("model_calls_by_subject", "subject"),
    Index("model_calls_by_day", "day"),
    Index("model_calls_by_reply", "reply"),
    Index("model_calls_doubtful", "subject", postgresql_where=text("state = 'started' or lost > 0")),
)

spending = Table(
    "spending",
    metadata,
    Column("period", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("calls", BigInteger, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("cost_micros", BigInteger, nullable=False),
    Column("unknown_prices", BigInteger, nullable=False),
    Column("cached_tokens", BigInteger, nullable=False, server_default="0"),
    Column("written_tokens", BigInteger, nullable=False, server_default="0"),
    Column("thought_tokens", BigInteger, nullable=False, server_default="0"),
)

# The same use as in ``spending``, by what it can be grouped by.
charges = Table(
    "charges",
    metadata,
    Column("day", Date, primary_key=True),
    Column("subject", Text, primary_key=True),
    Column("role", Text, primary_key=True),
    Column("model", Text, primary_key=True),
    Column("calls", BigInteger, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("cost_micros", BigInteger, nullable=False),
    Column("unknown_prices", BigInteger, nullable=False),
    Column("cached_tokens", BigInteger, nullable=False, server_default="0"),
    Column("written_tokens", BigInteger, nullable=False, server_default="0"),
    Column("thought_tokens", BigInteger, nullable=False, server_default="0"),
)

notices = Table(
    "notices",
    metadata,
    Column("key", Text, primary_key=True),
    when("claimed_at"),
    when("done_at", nullable=True),
)

effects = Table(
    "effects",
    metadata,
    Column("op_id", Text, primary_key=True),
    Column("result", JSON, nullable=False),
    when("kept_at"),
)


# Hashes and ids sort by their bytes, as they do in Python.
def key(name: str, *, primary_key: bool = False, nullable: bool = False) -> Column[str]:
    return Column(name, Text(collation="C"), primary_key=primary_key, nullable=nullable)


message_segments = Table(
    "message_segments",
    metadata,
    key("head", primary_key=True),
    key("previous"),
    Column("count", Integer, nullable=False),
    Column("lines", LargeBinary, nullable=False),
    when("created_at"),
)

encryption_keys = Table(
    "encryption_keys",
    metadata,
    key("key_id", primary_key=True),
    when("first_used"),
)

trace_anchors = Table(
    "trace_anchors",
    metadata,
    key("subject", primary_key=True),
    key("entry", primary_key=True),
    Column("number", BigInteger, Identity(), nullable=False),
    when("at"),
    Column("anchor", JSON, nullable=False),
)

eval_results = Table(
    "eval_results",
    metadata,
    key("run", primary_key=True),
    key("sample", primary_key=True),
    key("inputs", primary_key=True),
    Column("number", BigInteger, Identity(), nullable=False),
    Column("result", JSON, nullable=False),
    when("kept_at"),
)

agent_state = Table(
    "agent_state",
    metadata,
    key("principal", primary_key=True),
    key("novel", primary_key=True),
    key("scene", primary_key=True),
    Column("version", Integer, nullable=False),
    when("last_modified"),
    Column("max_passes", Integer, nullable=False),
    Column("min_score", Double, nullable=False),
    Column("max_hunks", Integer, nullable=False),
    Column("max_targets", Integer, nullable=False),
    Column("pass_index", Integer, nullable=False),
    Column("instructions", JSON, nullable=False),
    Column("run", JSON, nullable=False),
    Column("section_plan", JSON, nullable=False),
    Column("sections_drafted", JSON, nullable=False),
    Column("format_guidance", JSON, nullable=False),
    Column("citation_targets", JSON, nullable=False),
    Column("existing_citations", JSON, nullable=False),
)

# A value stands from its ``version`` to the one before ``until``; null: it still stands.
agent_state_values = Table(
    "agent_state_values",
    metadata,
    key("principal", primary_key=True),
    key("novel", primary_key=True),
    key("scene", primary_key=True),
    Column("variable", Text, primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("until", Integer),
    Column("value", JSON, nullable=False),
    Column("by", JSON, nullable=False),
    Column("op_id", Text, nullable=False),
    when("at"),
    when("replaced_at", nullable=True),
    Index("agent_state_values_replaced", "replaced_at"),
)

agent_log = Table(
    "agent_log",
    metadata,
    Column("number", BigInteger, Identity(), primary_key=True),
    key("principal"),
    key("novel"),
    key("scene"),
    Column("run", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("op_id", Text, nullable=False),
    Column("entry", JSON, nullable=False),
    when("appended_at"),
    UniqueConstraint("kind", "op_id", name="agent_log_once_per_effect_and_kind"),
    Index("agent_log_by_document", "principal", "novel", "scene", "number"),
    Index("agent_log_by_age", "appended_at"),
)


def held_text(name: str) -> tuple[Column[str], Column[int]]:
    """A text in the store, by hash and size."""
    blob = ForeignKey("blobs.sha256", name=f"drafts_{name}")
    return Column(name, Text, blob, nullable=False), Column(f"{name}_size", BigInteger, nullable=False)


drafts = Table(
    "drafts",
    metadata,
    key("draft_id", primary_key=True),
    key("work"),
    key("path"),
    Column("version", Integer, nullable=False),
    Column("saved_version", Integer, nullable=False),
    Column("base", Text, nullable=False),
    *held_text("base_text"),
    *held_text("text"),
    Column("text_version", Integer, nullable=False),
    Column("disputes", JSON, nullable=False),
    Column("state", Text, nullable=False),
    when("changed_at"),
    Column("changed_by", Text, nullable=False),
    Index("drafts_open", "work", "path", unique=True, postgresql_where=text("state = 'open'")),
    Index("drafts_by_text", "text"),
    Index("drafts_by_base_text", "base_text"),
)

draft_changes = Table(
    "draft_changes",
    metadata,
    Column(
        "draft_id",
        Text(collation="C"),
        ForeignKey("drafts.draft_id", name="draft_changes_draft", ondelete="CASCADE"),
        primary_key=True,
    ),
    Column("version", Integer, primary_key=True),
    Column("op_id", Text, nullable=False),
    Column("changes", JSON, nullable=False),
    Column("author", Text, nullable=False),
    Column("kind", Text, nullable=False),
    when("at"),
    UniqueConstraint("draft_id", "op_id", name="draft_changes_once"),
)

web_credentials = Table(
    "web_credentials",
    metadata,
    key("digest", primary_key=True),
    Column("id", Text(collation="C"), nullable=False, unique=True),
    Column("kind", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("scopes", JSON, nullable=False),
    Column("subjects", JSON),
    when("created_at"),
    when("expires_at"),
    when("last_used_at", nullable=True),
    Index("web_credentials_by_expiry", "expires_at"),
)

# An answer that is null: its request is under way.
web_answers = Table(
    "web_answers",
    metadata,
    key("op_id", primary_key=True),
    Column("request", Text, nullable=False),
    Column("answer", JSON),
    when("at"),
    Index("web_answers_by_age", "at"),
)
