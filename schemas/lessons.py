"""What went wrong while a text was written, and how to do better."""

from datetime import datetime
from enum import StrEnum

from schemas.base import Value


class LessonCategory(StrEnum):
    """What kind of failure a lesson is about."""

    CONTINUITY_ERROR = "continuity error"
    VOICE_DRIFT = "voice drift"
    OUTLINE_DEVIATION = "outline deviation"
    LENGTH_BUDGET = "length budget"
    CONSTRAINT_BREACH = "constraint breach"
    SCOPE_VIOLATION = "scope violation"
    STALE_CONFLICT = "stale conflict"
    CITATION_FAILURE = "citation failure"


class Lesson(Value):
    """One failure and what follows from it."""

    id: str = ""
    """``L-0012``; empty until it is written down."""
    category: LessonCategory
    time: datetime
    """When it was first seen, timezone-aware."""
    last: datetime | None = None
    """When it was seen last; None if it was only once."""
    count: int = 1
    signature: str = ""
    """What makes two failures the same: category, path, and the symptom without its digits."""
    intent: str = ""
    path: str = ""
    heading: tuple[str, ...] = ()
    """Titles of the headings above the place, outermost first."""
    symptom: str
    cause: str = ""
    resolution: str = ""
    rule: str = ""
    """What to do, or never to do, from now on."""
