"""The table of books lists novels as well; one id names one of them."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.add_column("books", sa.Column("kind", sa.Text, nullable=False, server_default="book"))
