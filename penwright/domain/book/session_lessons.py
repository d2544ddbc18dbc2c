"""Record a failed session as a lesson in ``AGENT.md``; a repeated lesson is counted."""

from collections.abc import Mapping
from datetime import datetime

from penwright.domain.trace.layout import LESSONS
from penwright.domain.trace.lessons import ARCHIVE, archived, with_lesson
from schemas.lessons import Lesson, LessonCategory
from schemas.workspace import Create, Modify, Operation, Snapshot

LESSON_FILES = (LESSONS, ARCHIVE)

_CATEGORIES: Mapping[str, LessonCategory] = {
    **dict.fromkeys(
        ("scope-violation", "scope-empty", "path-protected", "path-ignored", "intent-ignored"),
        LessonCategory.SCOPE_VIOLATION,
    ),
    **dict.fromkeys(
        ("intent-changed", "intent-not-writable", "stale-file", "approval-mismatch", "book-contended"),
        LessonCategory.STALE_CONFLICT,
    ),
    "mutation-class-understated": LessonCategory.CONSTRAINT_BREACH,
    **dict.fromkeys(("prose-too-long", "empty-prose", "unusable-reply"), LessonCategory.LENGTH_BUDGET),
}
"""Error code -> lesson category, for failures that the writer caused. Disk and network errors have none."""


def lesson_of(code: str, message: str, *, intent: str, at: datetime) -> Lesson | None:
    """Return the lesson of a failure; None if the writer did not cause it."""
    category = _CATEGORIES.get(code)
    if category is None:
        return None
    symptom, _, advice = message.partition("; ")
    return Lesson(category=category, time=at, intent=intent, symptom=symptom, cause=code, rule=advice)


def record_lesson(snapshot: Snapshot, lesson: Lesson | None) -> tuple[Operation, ...]:
    """Return the operations that record ``lesson``; none if a lesson file is not UTF-8 text."""
    if lesson is None or any(path in snapshot.unreadable for path in LESSON_FILES):
        return ()
    texts = {path: snapshot.files[path].text for path in LESSON_FILES if path in snapshot.files}
    written = with_lesson(texts.get(LESSONS), lesson)
    new = {LESSONS: written.text}
    if written.archive is not None:
        new[ARCHIVE] = archived(texts.get(ARCHIVE), written.archive)
    return tuple(
        Modify(path=path, content=text, base=snapshot.files[path].blob)
        if path in snapshot.files
        else Create(path=path, content=text)
        for path, text in new.items()
    )
