"""Lessons: failures during writing, and how to avoid them."""

from datetime import datetime
from enum import StrEnum

from schemas.base import Value


class LessonCategory(StrEnum):
    """Kind of failure that a lesson is about."""

    CONTINUITY_ERROR = "continuity error"
    VOICE_DRIFT = "voice drift"
    OUTLINE_DEVIATION = "outline deviation"
    LENGTH_BUDGET = "length budget"
    CONSTRAINT_BREACH = "constraint breach"
    SCOPE_VIOLATION = "scope violation"
    STALE_CONFLICT = "stale conflict"
    CITATION_FAILURE = "citation failure"


class Lesson(Value):
    """One failure and the rule that follows from it."""

    id: str = ""
    """``L-0012``; empty until it is recorded."""
    category: LessonCategory
    time: datetime
    """First occurrence, timezone-aware."""
    last: datetime | None = None
    """Last occurrence; None if there was only one."""
    count: int = 1
    signature: str = ""
    """Identifies equal failures: category, path, and the symptom without digits."""
    intent: str = ""
    path: str = ""
    heading: tuple[str, ...] = ()
    """Titles of the headings above the text, outermost first."""
    symptom: str
    cause: str = ""
    resolution: str = ""
    rule: str = ""
    """Rule on what to do, or to avoid, from now on."""
