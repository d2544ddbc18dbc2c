"""Which pages of this process have a draft open; a page says so each time it asks for changes."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Lock

GONE_AFTER = timedelta(seconds=45)
"""A page that is open asks at least every 30 seconds."""


@dataclass(frozen=True, slots=True, order=True)
class Reader:
    """One page, and who looks at it."""

    name: str
    page: str


@dataclass(frozen=True)
class Readers:
    """All pages by draft, with the time at which each was last heard of."""

    _seen: dict[str, dict[Reader, datetime]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def seen(self, draft_id: str, reader: Reader, now: datetime) -> bool:
        """Note that a page has the draft open; False if that was known."""
        with self._lock:
            pages = self._seen.setdefault(draft_id, {})
            fresh = now - pages.get(reader, datetime.min.replace(tzinfo=now.tzinfo)) > GONE_AFTER
            pages[reader] = now
        return fresh

    def others(self, draft_id: str, reader: Reader, now: datetime) -> tuple[Reader, ...]:
        """The other pages that have the draft open, by name."""
        with self._lock:
            pages = self._seen.get(draft_id, {})
            for each in [each for each, at in pages.items() if now - at > GONE_AFTER]:
                del pages[each]
            if not pages:
                self._seen.pop(draft_id, None)
            return tuple(sorted(each for each in pages if each != reader))
