"""Readers number events: writers of events no longer wait for each other, and announce nothing themselves."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"

_FREE_THE_WRITERS = """
drop trigger events_in_commit_order on events;
drop trigger events_announced on events;
drop function penwright_events_before();
drop function penwright_events_after();
"""


def upgrade() -> None:
    op.execute(_FREE_THE_WRITERS)
    # What was the cursor tells only which of two events was inserted first.
    op.alter_column("events", "cursor", new_column_name="arrival")
    op.add_column("events", sa.Column("cursor", sa.BigInteger, nullable=True))
    op.execute("update events set cursor = arrival")
    op.drop_index("events_by_run", "events")
    op.create_index("events_by_run", "events", ["run", "cursor"])
    op.create_index("events_by_cursor", "events", ["cursor"], unique=True)
    op.create_index(
        "events_without_cursor", "events", ["arrival"], postgresql_where=sa.text("cursor is null")
    )
    op.create_table("event_numbers", sa.Column("newest", sa.BigInteger, nullable=False))
    op.execute("insert into event_numbers select coalesce(max(cursor), 0) from events")
