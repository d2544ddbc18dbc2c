"""What lies outside of branches about ledgers, in memory."""

from schemas.trace import Anchor


class MemoryTraceAnchors:
    """Implements ``TraceAnchors``."""

    def __init__(self) -> None:
        self._anchors: dict[str, dict[str, Anchor]] = {}

    def anchor(self, subject: str, anchor: Anchor) -> None:
        self._anchors.setdefault(subject, {}).setdefault(anchor.entry, anchor)

    def anchors(self, subject: str) -> tuple[Anchor, ...]:
        return tuple(sorted(self._anchors.get(subject, {}).values(), key=lambda anchor: anchor.at))
