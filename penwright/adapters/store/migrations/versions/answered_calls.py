"""The calls of tools in a model's stored answer."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    # JSON in UTF-8; bytes, because a model may write what a text column refuses. Null: it called nothing.
    op.add_column("model_calls", sa.Column("tool_calls", sa.LargeBinary))
