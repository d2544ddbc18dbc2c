"""Rounds that a scene does not see any more, and sees again."""

from datetime import datetime

from sqlalchemy import Connection, delete
from sqlalchemy.dialects.postgresql import insert as upsert

from penwright.adapters.store.scenes.played_tables import undone_rounds


def hide_round(connection: Connection, scene: str, round: int, op_id: str, at: datetime) -> bool:
    """Hide a round with its messages and memories; False if it was hidden."""
    row = {"scene": scene, "round": round, "op_id": op_id, "at": at}
    hidden = upsert(undone_rounds).values(row).on_conflict_do_nothing()
    return bool(connection.execute(hidden).rowcount)


def show_round(connection: Connection, scene: str, round: int) -> None:
    """Show a hidden round again."""
    here = undone_rounds.c
    connection.execute(delete(undone_rounds).where(here.scene == scene, here.round == round))
