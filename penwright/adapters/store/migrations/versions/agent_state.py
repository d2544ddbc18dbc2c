"""Tables of what manuscript agents keep of a document: variables, all their values, and the agents' log."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    _newest()
    _values()
    _log()


# Names sort by their bytes, as they do in Python.
def _document() -> tuple[sa.Column[str], ...]:
    return tuple(
        sa.Column(name, sa.Text(collation="C"), nullable=False) for name in ("principal", "novel", "scene")
    )


def _newest() -> None:
    op.create_table(
        "agent_state",
        *_document(),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("last_modified", sa.DateTime(timezone=True), nullable=False),
        sa.Column("max_passes", sa.Integer, nullable=False),
        sa.Column("min_score", sa.Double, nullable=False),
        sa.Column("max_hunks", sa.Integer, nullable=False),
        sa.Column("max_targets", sa.Integer, nullable=False),
        sa.Column("pass_index", sa.Integer, nullable=False),
        # JSON, also for texts: it keeps every character a model may produce, an escaped NUL included.
        sa.Column("instructions", sa.JSON, nullable=False),
        sa.Column("run", sa.JSON, nullable=False),
        sa.Column("section_plan", sa.JSON, nullable=False),
        sa.Column("sections_drafted", sa.JSON, nullable=False),
        sa.Column("format_guidance", sa.JSON, nullable=False),
        sa.Column("citation_targets", sa.JSON, nullable=False),
        sa.Column("existing_citations", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("principal", "novel", "scene"),
    )


def _values() -> None:
    op.create_table(
        "agent_state_values",
        *_document(),
        sa.Column("variable", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("until", sa.Integer),
        sa.Column("value", sa.JSON, nullable=False),
        sa.Column("by", sa.JSON, nullable=False),
        sa.Column("op_id", sa.Text, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("replaced_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("principal", "novel", "scene", "variable", "version"),
    )
    op.create_index("agent_state_values_replaced", "agent_state_values", ["replaced_at"])


def _log() -> None:
    op.create_table(
        "agent_log",
        sa.Column("number", sa.BigInteger, sa.Identity(), primary_key=True),
        *_document(),
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("op_id", sa.Text, nullable=False),
        sa.Column("entry", sa.JSON, nullable=False),
        sa.Column("appended_at", sa.DateTime(timezone=True), nullable=False),
        sa.UniqueConstraint("kind", "op_id", name="agent_log_once_per_effect_and_kind"),
    )
    op.create_index("agent_log_by_document", "agent_log", ["principal", "novel", "scene", "number"])
    op.create_index("agent_log_by_age", "agent_log", ["appended_at"])
