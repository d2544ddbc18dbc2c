"""Columns for the part of a reply that was sent, and for replies that were stopped in the middle."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    op.add_column("round_steps", sa.Column("heard", sa.Text, nullable=False, server_default=""))
    op.add_column("round_steps", sa.Column("author", sa.JSON(none_as_null=True), nullable=True))
    op.add_column(
        "message_alternatives",
        sa.Column("stopped", sa.Boolean, nullable=False, server_default=sa.false()),
    )
