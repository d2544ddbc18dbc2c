"""Rounds that a scene does not see any more, and sees again."""

from sqlalchemy import Connection, delete
from sqlalchemy.dialects.postgresql import insert as upsert

from penwright.adapters.store.scenes.tables.played import undone_rounds
from schemas.base import Effect
from schemas.scene import SceneWith


def hide_round(
    connection: Connection, scene: str, round: int, effect: Effect, scene_with: SceneWith | None = None
) -> bool:
    """Hide a round with its messages and memories; False if it was hidden.

    Args:
        scene_with: what brings it back; None: nothing does.
    """
    kept = scene_with.model_dump(mode="json") if scene_with else None
    row = {"scene": scene, "round": round, "op_id": effect.op_id, "at": effect.issued_at, "scene_with": kept}
    hidden = upsert(undone_rounds).values(row).on_conflict_do_nothing()
    return bool(connection.execute(hidden).rowcount)


def show_round(connection: Connection, scene: str, round: int) -> None:
    """Show a hidden round again."""
    here = undone_rounds.c
    connection.execute(delete(undone_rounds).where(here.scene == scene, here.round == round))
