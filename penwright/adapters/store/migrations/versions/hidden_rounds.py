"""Columns that bring a hidden round back: the round before it, and the scene as it was with it."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"

_FOLLOWS = """
update scene_rounds as later set follows = coalesce((
    select max(number) from scene_rounds as earlier
    where earlier.scene = later.scene and earlier.number < later.number
    and not exists (select 1 from undone_rounds where scene = earlier.scene and round = earlier.number)
), 0)
"""


def upgrade() -> None:
    op.add_column("scene_rounds", sa.Column("follows", sa.Integer, nullable=False, server_default="0"))
    op.execute(_FOLLOWS)
    op.add_column("undone_rounds", sa.Column("scene_with", sa.JSON(none_as_null=True), nullable=True))
