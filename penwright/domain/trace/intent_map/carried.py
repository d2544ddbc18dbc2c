"""Cache of map states from one commit to the next, so that the whole ledger is read only once."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager

from cachetools import LRUCache

from penwright.domain.trace.intent_map.tallies import MapState, map_state

_BLOCKS = 200_000
"""Blocks that are kept in all: about 200 MB."""

_Heads = tuple[str, ...]


class MapStates:
    """States by the newest records of their ledgers, which name everything that is counted.

    ``lock`` is held around each access.
    """

    def __init__(self, lock: AbstractContextManager[object]) -> None:
        self._states: LRUCache[_Heads, MapState] = LRUCache(_BLOCKS, getsizeof=len)
        self._lock = lock

    def taken(self, heads: Sequence[str], segments: Callable[[], Iterable[bytes]]) -> MapState:
        """The state at ``heads``, which is the caller's to change: if it is not kept, the ledger is read."""
        with self._lock:
            state = self._states.pop(tuple(heads), None)
        return map_state(segments()) if state is None else state

    def keep(self, heads: Sequence[str], state: MapState) -> None:
        """Keep a state for the next commit."""
        with self._lock:
            if len(state) <= self._states.maxsize:
                self._states[tuple(heads)] = state
