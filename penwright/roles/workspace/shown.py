"""Baselines of a run: files it was shown; only those may it replace."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from penwright.agents.state import Event, Op, Reducer, Replace, SliceItem, StateView
from schemas.workspace import ReadBaseline

MOST_SHOWN: Final = 300
"""Blocks that one answer can have shown."""
_MOST_BLOCKS: Final = 800
"""Over all files: what is carried to a worker stays small. Older files go first, and must be read again."""
_MOST_FILES: Final = 200


class ShownFile(SliceItem):
    """All that was shown of a file, as of the last time."""

    event_name: ClassVar[str] = "penwright.shown-files"

    seen: ReadBaseline

    @classmethod
    def reducers(cls) -> Mapping[type[Event], Reducer]:
        return {cls: _kept}


def shown_of(state: StateView, path: str) -> ReadBaseline | None:
    """Baseline of a file in the run; None if it was shown nothing of it."""
    return next((one.seen for one in state.all(ShownFile) if one.seen.path == path), None)


def shown_event(seen: ReadBaseline) -> ShownFile:
    """The event that something was shown. Of too many blocks the last count as not shown."""
    return ShownFile(seen=seen.model_copy(update={"blocks": seen.blocks[:MOST_SHOWN]}))


def _kept(state: StateView, event: ShownFile) -> Op[ShownFile]:
    new, before = event.seen, shown_of(state, event.seen.path)
    if before is not None:
        whole = new.whole or (before.whole and before.blob == new.blob)
        blocks = tuple(dict.fromkeys((*before.blocks, *new.blocks)))
        new = new.model_copy(update={"whole": whole, "blocks": blocks})
    others = tuple(one for one in state.all(ShownFile) if one.seen.path != new.path)
    return Replace(_newest((*others, ShownFile(seen=new))))


def _newest(items: Sequence[ShownFile]) -> tuple[ShownFile, ...]:
    kept: list[ShownFile] = []
    room = _MOST_BLOCKS
    for item in reversed(items[-_MOST_FILES:]):
        room -= len(item.seen.blocks)
        if room < 0 and kept:
            break
        kept.append(item)
    return tuple(reversed(kept))
