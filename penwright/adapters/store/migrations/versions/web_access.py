"""Codes, sessions and tokens of the workspace, and the answers that its API gave."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.create_table(
        "web_credentials",
        sa.Column("digest", sa.Text(collation="C"), primary_key=True),
        sa.Column("id", sa.Text(collation="C"), nullable=False, unique=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("scopes", sa.JSON, nullable=False),
        sa.Column("subjects", sa.JSON, nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
    )
    op.create_index("web_credentials_by_expiry", "web_credentials", ["expires_at"])
    op.create_table(
        "web_answers",
        sa.Column("op_id", sa.Text(collation="C"), primary_key=True),
        sa.Column("request", sa.Text, nullable=False),
        sa.Column("answer", sa.JSON, nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("web_answers_by_age", "web_answers", ["at"])
