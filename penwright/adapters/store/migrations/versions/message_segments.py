"""The messages of agents' runs."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "message_segments",
        sa.Column("head", sa.Text(collation="C"), primary_key=True),
        sa.Column("previous", sa.Text(collation="C"), nullable=False),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("lines", sa.LargeBinary, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    )
