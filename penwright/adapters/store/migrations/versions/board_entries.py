"""Table of each book's state, for the list of books."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "board_entries",
        sa.Column("book_id", sa.Text, primary_key=True),
        sa.Column("about", sa.Text, primary_key=True),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("detail", sa.JSON, nullable=False),
    )
