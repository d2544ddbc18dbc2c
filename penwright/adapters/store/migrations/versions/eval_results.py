"""The results of evals."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "eval_results",
        sa.Column("run", sa.Text(collation="C"), nullable=False),
        sa.Column("sample", sa.Text(collation="C"), nullable=False),
        sa.Column("inputs", sa.Text(collation="C"), nullable=False),
        sa.Column("number", sa.BigInteger, sa.Identity(), nullable=False),
        sa.Column("result", sa.JSON, nullable=False),
        sa.Column("kept_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("run", "sample", "inputs"),
    )
