"""Books, runs, events, blobs, model calls, spending, notices and effects."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_EVENTS_IN_COMMIT_ORDER = """
create function penwright_events_before() returns trigger language plpgsql as $$
begin
    -- Writers take turns until they commit. Otherwise a cursor could become visible after a higher one
    -- was read, and a follower would never see it.
    perform pg_advisory_xact_lock(7307, 1);
    return null;
end $$;
create trigger events_in_commit_order before insert on events
    for each statement execute function penwright_events_before();

create function penwright_events_after() returns trigger language plpgsql as $$
begin
    perform pg_notify('penwright_events', '');
    return null;
end $$;
create trigger events_announced after insert on events
    for each statement execute function penwright_events_after();
"""


def upgrade() -> None:
    _texts()
    _registry()
    _events()
    _model_calls()
    _once_only()


def _texts() -> None:
    op.create_table(
        "blobs",
        sa.Column("sha256", sa.Text, primary_key=True),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_used", sa.DateTime(timezone=True), nullable=False),
    )
    # Compressing megabytes of prose costs more time than the disk it saves.
    op.execute("alter table blobs alter column content set storage external")
    op.create_index("blobs_by_last_use", "blobs", ["last_used"])


def _registry() -> None:
    op.create_table(
        "books",
        sa.Column("book_id", sa.Text, primary_key=True),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("queue", sa.Text, nullable=False),
        sa.Column("remote_url", sa.Text, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "runs",
        sa.Column("run", sa.Text, primary_key=True),
        sa.Column("pipeline", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("stage", sa.Text, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("words", sa.BigInteger, nullable=False),
        sa.Column("cost_micros", sa.BigInteger, nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True)),
        sa.Column("ended_at", sa.DateTime(timezone=True)),
        sa.Column("detail", sa.JSON, nullable=False),
        sa.Column("noted_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("runs_by_subject", "runs", ["subject", "noted_at"])
    op.create_index("runs_by_age", "runs", ["noted_at"])


def _events() -> None:
    op.create_table(
        "events",
        sa.Column("cursor", sa.BigInteger, primary_key=True, autoincrement=True),
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("op_id", sa.Text, nullable=False),
        sa.Column("data", sa.JSON, nullable=False),
        sa.UniqueConstraint("op_id", "kind", name="events_once_per_effect_and_kind"),
    )
    op.create_index("events_by_run", "events", ["run", "cursor"])
    op.execute(_EVENTS_IN_COMMIT_ORDER)


def _model_calls() -> None:
    op.create_table(
        "model_calls",
        sa.Column("op_id", sa.Text, primary_key=True),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("lost", sa.Integer, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("prompt_digest", sa.Text, nullable=False),
        sa.Column("held_tokens", sa.BigInteger, nullable=False),
        sa.Column("held_micros", sa.BigInteger),
        sa.Column("held_until", sa.DateTime(timezone=True), nullable=False),
        sa.Column("model", sa.Text),
        sa.Column("provider", sa.Text),
        sa.Column("finish_reason", sa.Text),
        sa.Column("rung", sa.Text),
        sa.Column("demo", sa.Boolean),
        sa.Column("reply", sa.Text, sa.ForeignKey("blobs.sha256", name="model_calls_reply")),
        sa.Column("input_tokens", sa.BigInteger),
        sa.Column("output_tokens", sa.BigInteger),
        sa.Column("cost_micros", sa.BigInteger),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True)),
        sa.CheckConstraint("state in ('started', 'done', 'failed')", name="model_calls_states"),
    )
    for column in ("run", "subject", "day", "reply"):
        op.create_index(f"model_calls_by_{column}", "model_calls", [column])
    op.create_index(
        "model_calls_doubtful",
        "model_calls",
        ["subject"],
        postgresql_where=sa.text("state = 'started' or lost > 0"),
    )
    op.create_table(
        "spending",
        sa.Column("period", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("calls", sa.BigInteger, nullable=False),
        sa.Column("input_tokens", sa.BigInteger, nullable=False),
        sa.Column("output_tokens", sa.BigInteger, nullable=False),
        sa.Column("cost_micros", sa.BigInteger, nullable=False),
        sa.Column("unknown_prices", sa.BigInteger, nullable=False),
    )


def _once_only() -> None:
    op.create_table(
        "notices",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("claimed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("done_at", sa.DateTime(timezone=True)),
    )
    op.create_table(
        "effects",
        sa.Column("op_id", sa.Text, primary_key=True),
        sa.Column("result", sa.JSON, nullable=False),
        sa.Column("kept_at", sa.DateTime(timezone=True), nullable=False),
    )
