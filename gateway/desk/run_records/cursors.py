"""Cursors of events, as callers give them back."""

from gateway.desk.services import CommandStore
from penwright.errors import UsageMistake


def check_cursor(store: CommandStore, cursor: int) -> None:
    """Raise ``UsageMistake`` (``cursor-ahead``) for one after the newest event: it is of another store."""
    newest = store.records.newest_event()
    if cursor > newest:
        raise UsageMistake(
            "cursor-ahead",
            f"the cursor {cursor} is after the newest event, which has {newest}: it is not of this store",
            hint=f"go on from {newest} for what happens from now on, or from 0 for all that is kept",
        )
