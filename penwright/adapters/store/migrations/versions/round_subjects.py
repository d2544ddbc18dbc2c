"""Rounds are filed under their scene: a bare id reads as a book's, and rights to that book held for them."""

from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.execute(
        "update runs set subject = 'scene/' || subject "
        "where pipeline = 'director-round' and subject not like 'scene/%'"
    )
