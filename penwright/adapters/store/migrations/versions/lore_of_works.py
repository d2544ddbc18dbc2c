"""Lorebooks may be attached to books and novels."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    work = sa.ForeignKey("books.book_id", name="lore_attachments_work", ondelete="CASCADE")
    op.add_column("lore_attachments", sa.Column("work", sa.Text, work))
    op.create_index("lore_attachments_by_work", "lore_attachments", ["work"])
