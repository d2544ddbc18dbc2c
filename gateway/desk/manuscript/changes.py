"""What changed in a document's agents' state, for a device that catches up: each change once, in order."""

from collections.abc import Iterator

from gateway.desk.services import CommandStore
from schemas.agent_state import StateEvent, StateKey

_PAGE = 500


def changes_after(store: CommandStore, key: StateKey, cursor: int) -> Iterator[StateEvent]:
    """Every change of variables or history after ``cursor``, in the order of their commits.

    The cursor of the last one is where the next reading goes on; 0 is the beginning.
    """
    while page := store.agent_states.events_after(key, cursor, limit=_PAGE):
        yield from page
        cursor = page[-1].cursor
