"""Message chains over a store of message groups: verified when read, cached while they grow."""

from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Protocol

from penwright.agents.loop.messages import linked, message_line, read_lines
from penwright.errors import ChainBroken, UsageMistake
from schemas.agent import AgentMessage
from schemas.agent_run import ChainHead

CACHED_CHARACTERS = 64 * 1024 * 1024
"""Characters of message text that a process caches."""
CACHED_CHAINS = 256
"""Most chains in the cache; their heads are sent with every query."""


@dataclass(frozen=True, slots=True)
class MessageGroup:
    """Messages that were appended together; never changed."""

    head: str
    """Digest of the chain up to the last of them."""
    previous: str
    """Digest of the chain before the first of them; empty at the beginning."""
    lines: tuple[str, ...]
    """The messages, each as canonical JSON; none at the beginning of a run's chain."""


class MessageGroups(Protocol):
    """Stores groups by their heads. All calls block."""

    def keep(self, group: MessageGroup) -> bool:
        """Store it, replacing any other with the same head; False if the group before it is not stored."""
        ...

    def trail(self, head: str, *, most: int, known: Collection[str]) -> tuple[MessageGroup, ...]:
        """Return the groups up to ``head``, oldest first, from the beginning or after one of ``known``.

        If one is missing, only those after it. ``most``: how many there can be.
        """
        ...

    def count(self, head: str, *, most: int) -> int:
        """Count the messages up to ``head``; 0 if any group is missing."""
        ...


@dataclass(frozen=True, slots=True)
class _CachedChain:
    messages: tuple[AgentMessage, ...]
    size: int
    """Characters."""


_EMPTY = _CachedChain((), 0)


class CachedMessageChains:
    """Implements ``MessageChains``. Caches chains, so that a growing one is not read again at each turn."""

    def __init__(self, groups: MessageGroups, *, cached_characters: int = CACHED_CHARACTERS) -> None:
        self._groups = groups
        self._recent = _ChainCache(cached_characters)

    def append(self, head: ChainHead | None, messages: Sequence[AgentMessage]) -> ChainHead:
        if head is not None and head.count == 0:
            self._begin(head)
        lines = tuple(map(message_line, messages))
        last = _last(head, lines)
        if not lines:
            if not self.holds(last):
                raise _missing(last)
            return last
        group = MessageGroup(last.digest, head.digest if head else "", lines)
        if not self._groups.keep(group):
            raise _missing(head or last)
        self._recent.grow(group, tuple(messages))
        return last

    def _begin(self, head: ChainHead) -> None:
        """Store a group without messages, from which the chain of one run leads on."""
        self._groups.keep(MessageGroup(head.digest, "", ()))
        if self._recent.get(head.digest) is None:
            self._recent.put(head.digest, _EMPTY)

    def messages(self, head: ChainHead) -> tuple[AgentMessage, ...]:
        chain = self._recent.get(head.digest)
        if chain is None:
            chain = self._read(head)
            self._recent.put(head.digest, chain)
        if len(chain.messages) != head.count:
            raise _damaged(head, f"it has {len(chain.messages)} messages, not {head.count}")
        return chain.messages

    def holds(self, head: ChainHead) -> bool:
        return self._groups.count(head.digest, most=_groups(head)) == head.count

    def _read(self, head: ChainHead) -> _CachedChain:
        known = self._recent.heads()
        trail = self._groups.trail(head.digest, most=_groups(head), known=known)
        if not trail or (trail[0].previous and trail[0].previous not in known):
            raise _missing(head)
        base = self._recent.take(trail[0].previous)
        if base is None:
            # It left the cache meanwhile; read the whole chain.
            return self._whole(head)
        return _grown(base, _verified(trail, head))

    def _whole(self, head: ChainHead) -> _CachedChain:
        trail = self._groups.trail(head.digest, most=_groups(head), known=())
        if not trail or trail[0].previous:
            raise _missing(head)
        return _grown(_EMPTY, _verified(trail, head))


class _ChainCache:
    """Thread-safe LRU cache of chains by head, limited by total size and number."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._size = 0
        self._chains: OrderedDict[str, _CachedChain] = OrderedDict()
        self._lock = Lock()

    def heads(self) -> frozenset[str]:
        with self._lock:
            return frozenset(self._chains)

    def get(self, head: str) -> _CachedChain | None:
        with self._lock:
            if head in self._chains:
                self._chains.move_to_end(head)
            return self._chains.get(head)

    def take(self, head: str) -> _CachedChain | None:
        """Remove and return a chain; the caller is about to cache a longer one in its place."""
        if not head:
            return _EMPTY
        with self._lock:
            taken = self._chains.pop(head, None)
            self._size -= taken.size if taken else 0
            return taken

    def put(self, head: str, chain: _CachedChain) -> None:
        with self._lock:
            earlier = self._chains.pop(head, None)
            self._chains[head] = chain
            self._size += chain.size - (earlier.size if earlier else 0)
            while self._size > self._most or len(self._chains) > CACHED_CHAINS:
                self._size -= self._chains.popitem(last=False)[1].size

    def grow(self, group: MessageGroup, messages: tuple[AgentMessage, ...]) -> None:
        """Cache what was just appended, if everything before it is cached."""
        if self.get(group.head) is not None:
            return
        base = self.take(group.previous)
        if base is not None:
            size = base.size + sum(map(len, group.lines))
            self.put(group.head, _CachedChain(base.messages + messages, size))


def _groups(head: ChainHead) -> int:
    """Most groups up to ``head``: one for each message, and the beginning."""
    return head.count + 1


def _last(head: ChainHead | None, lines: Iterable[str]) -> ChainHead:
    for line in lines:
        head = linked(head, line)
    if head is None:
        raise UsageMistake("no-messages", "A chain begins with a message, but none was given. Append one.")
    return head


def _verified(trail: Iterable[MessageGroup], head: ChainHead) -> Iterator[str]:
    """Yield the lines of ``trail``; raises ``ChainBroken`` if a digest does not match its messages."""
    reached: str | None = None
    for group in trail:
        if reached is not None and group.previous != reached:
            raise _damaged(head, "a group does not continue the one before it")
        if not group.lines and not group.previous:
            reached = group.head
            continue
        link = ChainHead(digest=group.previous, count=0)
        for line in group.lines:
            link = linked(link, line)
            yield line
        if link.digest != group.head:
            raise _damaged(head, f"the messages up to {group.head!r} were changed")
        reached = group.head
    if reached != head.digest:
        raise _damaged(head, "it ends elsewhere")


def _grown(base: _CachedChain, lines: Iterable[str]) -> _CachedChain:
    added = tuple(lines)
    return _CachedChain(base.messages + tuple(read_lines(added)), base.size + sum(map(len, added)))


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
        "Its run appends them again from its own history, which repairs it.",
        head=head.digest,
    )
