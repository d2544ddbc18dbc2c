"""A text without some of its spans."""

from bisect import bisect_left
from collections.abc import Iterable

from penwright.domain.text.ink_comments import Span


class Cut:
    """A text without some spans; maps positions of the old text to the new one."""

    def __init__(self, text: str, spans: Iterable[Span]) -> None:
        kept: list[str] = []
        self._starts: list[int] = []
        self._before: list[int] = []
        position = removed = 0
        for start, end in sorted(spans):
            if end > position:
                first = max(start, position)
                kept.append(text[position:first])
                self._starts.append(first)
                self._before.append(removed)
                removed += end - first
                position = end
        kept.append(text[position:])
        self._removed = removed
        self.text = "".join(kept)

    def position(self, old: int) -> int:
        """Return the new position of ``old``; inside a removed span, the position of the cut."""
        index = bisect_left(self._starts, old) - 1
        if index < 0:
            return old
        following = self._before[index + 1] if index + 1 < len(self._before) else self._removed
        length = following - self._before[index]
        return old - self._before[index] - min(length, old - self._starts[index])
