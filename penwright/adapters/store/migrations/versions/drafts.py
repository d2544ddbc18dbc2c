"""Tables for what people type into a page and have not saved yet."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    _drafts()
    _changes()


def _key(name: str) -> sa.Column[str]:
    # Ids and paths sort by their bytes, as they do in Python.
    return sa.Column(name, sa.Text(collation="C"), nullable=False)


def _text(name: str) -> tuple[sa.Column[str], sa.Column[int]]:
    blob = sa.ForeignKey("blobs.sha256", name=f"drafts_{name}")
    return (
        sa.Column(name, sa.Text, blob, nullable=False),
        sa.Column(f"{name}_size", sa.BigInteger, nullable=False),
    )


def _drafts() -> None:
    op.create_table(
        "drafts",
        _key("draft_id"),
        _key("work"),
        _key("path"),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("saved_version", sa.Integer, nullable=False),
        sa.Column("base", sa.Text, nullable=False),
        *_text("base_text"),
        *_text("text"),
        sa.Column("text_version", sa.Integer, nullable=False),
        sa.Column("disputes", sa.JSON, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_by", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("draft_id"),
    )
    is_open = sa.text("state = 'open'")
    op.create_index("drafts_open", "drafts", ["work", "path"], unique=True, postgresql_where=is_open)
    op.create_index("drafts_by_text", "drafts", ["text"])
    op.create_index("drafts_by_base_text", "drafts", ["base_text"])


def _changes() -> None:
    draft = sa.ForeignKey("drafts.draft_id", name="draft_changes_draft", ondelete="CASCADE")
    op.create_table(
        "draft_changes",
        sa.Column("draft_id", sa.Text(collation="C"), draft, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("op_id", sa.Text, nullable=False),
        # JSON keeps an escaped NUL, and a part of a change as it was sent.
        sa.Column("changes", sa.JSON, nullable=False),
        sa.Column("author", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("draft_id", "version"),
        sa.UniqueConstraint("draft_id", "op_id", name="draft_changes_once"),
    )
