"""Ids of the keys that texts were encrypted under."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.create_table(
        "encryption_keys",
        sa.Column("key_id", sa.Text(collation="C"), primary_key=True),
        sa.Column("first_used", sa.DateTime(timezone=True), nullable=False),
    )
