"""Index of the books' ledgers: records, the blocks they name, and the log outside the branch."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    _records()
    _blocks()
    _anchors()


# Hashes and ids sort by their bytes, as they do in Python.
def _key(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(collation="C"), nullable=nullable)


def _records() -> None:
    op.create_table(
        "trace_records",
        _key("subject"),
        _key("hash"),
        _key("intent", nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("newest", sa.Boolean, nullable=False),
        sa.Column("record", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("subject", "hash"),
    )
    op.create_index("trace_records_by_intent", "trace_records", ["subject", "intent", "at", "hash"])
    op.create_index(
        "trace_records_newest",
        "trace_records",
        ["subject", "hash"],
        postgresql_where=sa.text("newest"),
    )


def _blocks() -> None:
    op.create_table(
        "trace_blocks",
        _key("subject"),
        _key("block_hash"),
        _key("record"),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("came", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("subject", "block_hash", "record"),
    )


def _anchors() -> None:
    op.create_table(
        "trace_anchors",
        _key("subject"),
        _key("entry"),
        sa.Column("number", sa.BigInteger, sa.Identity(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("anchor", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("subject", "entry"),
    )
