"""Groups of messages of agents, in memory."""

from collections.abc import Collection

from penwright.adapters.message_chains import MessageGroup


class MemoryMessageGroups:
    """Implements ``MessageGroups``."""

    def __init__(self) -> None:
        self._kept: dict[str, MessageGroup] = {}

    def keep(self, group: MessageGroup) -> bool:
        if group.previous and group.previous not in self._kept:
            return False
        self._kept[group.head] = group
        return True

    def trail(self, head: str, *, most: int, known: Collection[str]) -> tuple[MessageGroup, ...]:
        found: list[MessageGroup] = []
        while head in self._kept and head not in known and len(found) < most:
            found.append(self._kept[head])
            head = self._kept[head].previous
        return tuple(reversed(found))

    def count(self, head: str, *, most: int) -> int:
        trail = self.trail(head, most=most, known=())
        whole = trail and not trail[0].previous
        return sum(len(group.lines) for group in trail) if whole else 0
