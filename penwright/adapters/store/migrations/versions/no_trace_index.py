"""The index of the ledgers goes: an intent's history is read from the ledger itself."""

from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.drop_table("trace_blocks")
    op.drop_table("trace_records")
