"""Summaries of scenes by stretches; what a scene had so far becomes its first one."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"

_SUMMARIES = sa.text("select scene, body from scene_views where coalesce(body ->> 'summary', '') <> ''")
_LINE = sa.text(
    """
    with recursive line (scene, parent, shared_to, to_message, depth) as (
        select id, branched_from, shared_to, 2147483647, 0 from scenes where id = :scene
        union all
        select above.id, above.branched_from, above.shared_to,
               least(line.to_message, line.shared_to), line.depth + 1
        from line join scenes as above on above.id = line.parent
    )
    select scene, to_message from line order by depth
    """
)
_TOLD = sa.text(
    """
    select number, round, chosen from scene_messages as said
    where said.scene = :holder and number <= :last and speaker <> 'system'
      and not exists (select from undone_rounds where scene = :scene and round = said.round)
    order by number
    """
)
_ADDED = sa.text(
    "insert into scene_stretches (scene, last, body, at) values (:scene, :last, cast(:body as json), now())"
)


def upgrade() -> None:
    op.create_table(
        "scene_stretches",
        sa.Column("number", sa.BigInteger, sa.Identity(), primary_key=True),
        sa.Column(
            "scene",
            sa.Text(collation="C"),
            sa.ForeignKey("scenes.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("last", sa.Integer, nullable=False),
        sa.Column("body", sa.JSON, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("scene_stretches_by_scene", "scene_stretches", ["scene", "number"])
    connection = op.get_bind()
    for scene, state in connection.execute(_SUMMARIES).all():
        body = _stretch(connection, scene, state)
        if body["readings"]:
            row = {"scene": scene, "last": state["summarised_to"], "body": json.dumps(body)}
            connection.execute(_ADDED, row)


def _stretch(connection: sa.Connection, scene: str, state: dict[str, object]) -> dict[str, object]:
    """One stretch of all messages that the summary covers, with the texts that they have now."""
    told: dict[int, tuple[int, str]] = {}
    for holder, to in connection.execute(_LINE, {"scene": scene}).all():
        last = min(int(str(state["summarised_to"])), to)
        for row in connection.execute(_TOLD, {"scene": scene, "holder": holder, "last": last}):
            told.setdefault(row.number, (row.round, f"{holder}/{row.chosen}"))
    rounds = [round for round, _ in told.values()]
    return {
        "text": state["summary"],
        "witnesses": state.get("summary_witnesses", []),
        "readings": {str(number): reading for number, (_, reading) in told.items()},
        "rounds": [min(rounds, default=0), max(rounds, default=0)],
    }
