"""Of the tokens of calls: how many a vendor's cache held, and how many were thought."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"

_KINDS = ("cached_tokens", "written_tokens", "thought_tokens")


def upgrade() -> None:
    for name in _KINDS:
        op.add_column("model_calls", sa.Column(name, sa.BigInteger))
        for table in ("spending", "charges"):
            op.add_column(table, sa.Column(name, sa.BigInteger, nullable=False, server_default="0"))
