"""Chains of messages over a place that keeps segments: verified when read, remembered while they grow."""

from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Protocol

from penwright.agents.loop.messages import linked, message_line, read_lines
from penwright.errors import ChainBroken, UsageMistake
from schemas.agent import AgentMessage
from schemas.agent_run import ChainHead

REMEMBERED = 64 * 1024 * 1024
"""Characters of message text that a process holds on to."""
MOST_REMEMBERED = 256
"""Chains, for their heads are told with every look."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Messages that were appended together; never changed."""

    head: str
    """Digest of the chain up to the last of them."""
    previous: str
    """Digest in front of the first; empty at the beginning."""
    lines: tuple[str, ...]
    """The messages, each as canonical JSON."""


class Segments(Protocol):
    """Keeps segments by their heads. All calls block."""

    def keep(self, segment: Segment) -> bool:
        """Keep it, in place of any other with the same head; False if what it stands behind is not kept."""
        ...

    def trail(self, head: str, *, most: int, known: Collection[str]) -> tuple[Segment, ...]:
        """Segments up to ``head``, oldest first, from behind one of ``known`` or the beginning.

        Fewer where one is missing; ``most`` is how many there can be.
        """
        ...

    def count(self, head: str, *, most: int) -> int:
        """Messages up to ``head``; 0 if any segment is missing."""
        ...


@dataclass(frozen=True, slots=True)
class _Remembered:
    messages: tuple[AgentMessage, ...]
    size: int
    """Characters."""


_EMPTY = _Remembered((), 0)


class MessageChainsOver:
    """Implements ``MessageChains``. A chain that grows in this process is not read back for each turn."""

    def __init__(self, segments: Segments, *, remembered: int = REMEMBERED) -> None:
        self._segments = segments
        self._recent = _Recent(remembered)

    def append(self, head: ChainHead | None, messages: Sequence[AgentMessage]) -> ChainHead:
        lines = tuple(map(message_line, messages))
        last = _last(head, lines)
        if not lines:
            if not self.holds(last):
                raise _missing(last)
            return last
        segment = Segment(last.digest, head.digest if head else "", lines)
        if not self._segments.keep(segment):
            raise _missing(head or last)
        self._recent.grow(segment, tuple(messages))
        return last

    def messages(self, head: ChainHead) -> tuple[AgentMessage, ...]:
        remembered = self._recent.get(head.digest)
        if remembered is None:
            remembered = self._read(head)
            self._recent.put(head.digest, remembered)
        if len(remembered.messages) != head.count:
            raise _damaged(head, f"it has {len(remembered.messages)} messages, not {head.count}")
        return remembered.messages

    def holds(self, head: ChainHead) -> bool:
        return self._segments.count(head.digest, most=head.count) == head.count

    def _read(self, head: ChainHead) -> _Remembered:
        known = self._recent.heads()
        trail = self._segments.trail(head.digest, most=head.count, known=known)
        if not trail or (trail[0].previous and trail[0].previous not in known):
            raise _missing(head)
        base = self._recent.take(trail[0].previous)
        if base is None:
            # Forgotten between the two looks; without what is known the whole chain is read.
            return self._whole(head)
        return _grown(base, _verified(trail, head))

    def _whole(self, head: ChainHead) -> _Remembered:
        trail = self._segments.trail(head.digest, most=head.count, known=())
        if not trail or trail[0].previous:
            raise _missing(head)
        return _grown(_EMPTY, _verified(trail, head))


class _Recent:
    """The chains last used, by head, up to a total size."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._size = 0
        self._chains: OrderedDict[str, _Remembered] = OrderedDict()
        self._lock = Lock()

    def heads(self) -> frozenset[str]:
        with self._lock:
            return frozenset(self._chains)

    def get(self, head: str) -> _Remembered | None:
        with self._lock:
            if head in self._chains:
                self._chains.move_to_end(head)
            return self._chains.get(head)

    def take(self, head: str) -> _Remembered | None:
        """The chain, which is forgotten: a longer one is about to stand in its place."""
        if not head:
            return _EMPTY
        with self._lock:
            taken = self._chains.pop(head, None)
            self._size -= taken.size if taken else 0
            return taken

    def put(self, head: str, chain: _Remembered) -> None:
        with self._lock:
            earlier = self._chains.pop(head, None)
            self._chains[head] = chain
            self._size += chain.size - (earlier.size if earlier else 0)
            while self._size > self._most or len(self._chains) > MOST_REMEMBERED:
                self._size -= self._chains.popitem(last=False)[1].size

    def grow(self, segment: Segment, messages: tuple[AgentMessage, ...]) -> None:
        """Remember what was just appended, if everything in front of it is remembered."""
        if self.get(segment.head) is not None:
            return
        base = self.take(segment.previous)
        if base is not None:
            size = base.size + sum(map(len, segment.lines))
            self.put(segment.head, _Remembered(base.messages + messages, size))


def _last(head: ChainHead | None, lines: Iterable[str]) -> ChainHead:
    for line in lines:
        head = linked(head, line)
    if head is None:
        raise UsageMistake("no-messages", "A chain begins with a message, and none was given. Append one.")
    return head


def _verified(trail: Iterable[Segment], head: ChainHead) -> Iterator[str]:
    """The lines of ``trail``, if every digest is what its messages make it."""
    reached: str | None = None
    for segment in trail:
        if reached is not None and segment.previous != reached:
            raise _damaged(head, "a segment does not fit the one in front of it")
        link = ChainHead(digest=segment.previous, count=0)
        for line in segment.lines:
            link = linked(link, line)
            yield line
        if link.digest != segment.head:
            raise _damaged(head, f"the messages up to {segment.head!r} were changed")
        reached = segment.head
    if reached != head.digest:
        raise _damaged(head, "it ends elsewhere")


def _grown(base: _Remembered, lines: Iterable[str]) -> _Remembered:
    told = tuple(lines)
    return _Remembered(base.messages + tuple(read_lines(told)), base.size + sum(map(len, told)))


def _missing(head: ChainHead) -> ChainBroken:
    return ChainBroken(
        "chain-missing",
        f"The store does not hold the {head.count} messages up to {head.digest!r}. "
        "Their run appends them again from its own history.",
        head=head.digest,
    )


def _damaged(head: ChainHead, why: str) -> ChainBroken:
    return ChainBroken(
        "chain-damaged",
        f"The chain of messages up to {head.digest!r} is damaged in the store: {why}. "
        "Its run appends them again from its own history, which mends it.",
        head=head.digest,
    )
