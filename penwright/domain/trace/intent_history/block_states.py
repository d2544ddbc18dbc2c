"""Where recorded blocks stand in the text as it is now."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from penwright.domain.intents.governed import is_governed
from penwright.domain.text.chunks import Neighbours, Places, places_in

BlockState = Literal["present", "moved", "superseded", "lost"]
"""Where it was recorded; elsewhere; replaced or removed by a later record; gone without one."""
_MOST_BLOCKS = 100_000


class Source(Protocol):
    """As much of ``penwright.ports.TraceSource`` as this needs."""

    def files(self) -> Mapping[str, str]: ...
    def blob(self, sha: str) -> bytes | None: ...


class Recorded(Protocol):
    """A block, or a file as a whole, as a record left it."""

    @property
    def path(self) -> str: ...
    @property
    def block(self) -> str:
        """Its hash; empty for a file."""
        ...

    @property
    def ctx(self) -> Neighbours | None:
        """None where its place does not matter."""
        ...

    @property
    def deleted(self) -> bool: ...


@dataclass(slots=True)
class _Remembered:
    """Blocks of contents. A content never changes, so what was taken apart once is known."""

    places: dict[str, Places] = field(default_factory=dict)
    size: int = 0

    def of(self, source: Source, blob: str) -> Places:
        found = self.places.get(blob)
        if found is None:
            found = _taken_apart(source.blob(blob))
            if self.size > _MOST_BLOCKS:
                self.places, self.size = {}, 0
            self.places[blob] = found
            self.size += len(found)
        return found


_remembered = _Remembered()


def states_of(
    source: Source,
    recorded: Iterable[Recorded],
    superseded: Callable[[Collection[str]], Collection[str]],
) -> tuple[BlockState, ...]:
    """What became of each; ``superseded`` is asked about the blocks that stand nowhere."""
    each_one = tuple(recorded)
    files = {path: blob for path, blob in source.files().items() if is_governed(path)}
    wanted: dict[str, set[str]] = {}
    for each in each_one:
        wanted.setdefault(each.path, set()).add(each.block)
    own = {
        path: _remembered.of(source, files[path]).around(blocks)
        for path, blocks in wanted.items()
        if path in files
    }

    def places(each: Recorded) -> Sequence[Neighbours]:
        return own.get(each.path, {}).get(each.block, ())

    missing = {each.block for each in each_one if each.block and not places(each)}
    others = (_remembered.of(source, blob) for blob in files.values()) if missing else ()
    elsewhere = set[str]().union(*(other.among(missing) for other in others))
    gone = superseded(missing - elsewhere) if missing - elsewhere else ()

    def state(each: Recorded) -> BlockState:
        if not each.block:
            return "present" if each.path in files else "superseded" if each.deleted else "lost"
        if any(_beside(around, each.ctx) for around in places(each)):
            return "present"
        if places(each) or each.block in elsewhere:
            return "moved"
        return "superseded" if each.block in gone else "lost"

    return tuple(state(each) for each in each_one)


def _beside(now: Neighbours, then: Neighbours | None) -> bool:
    """Whether a block still has one of its neighbours: text that is added around it does not move it."""
    return then is None or now[0] == then[0] or now[1] == then[1]


def _taken_apart(content: bytes | None) -> Places:
    try:
        return places_in(content or b"")
    except UnicodeDecodeError:
        return Places()
