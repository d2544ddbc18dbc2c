"""The lessons that a failed session records for the next one."""

from datetime import UTC, datetime, timedelta

import pytest

from penwright.domain.book.session_lessons import lesson_of, record_lesson
from penwright.domain.trace.layout import LESSONS
from penwright.domain.trace.lessons import lessons_of
from schemas.base import CommitSha
from schemas.lessons import LessonCategory
from schemas.workspace import Create, Modify, Snapshot, TextFile

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SAID = "'INT-001' does not own 'Review/current.md'; keep to its scope"


def holding(text: str | None) -> Snapshot:
    files = {} if text is None else {LESSONS: TextFile(path=LESSONS, blob="b" * 40, text=text)}
    return Snapshot(tip=CommitSha("a" * 40), files=files)


def test_the_same_failure_five_times_is_one_lesson_with_count_five() -> None:
    text = None
    for hour in range(5):
        lesson = lesson_of("scope-violation", SAID, intent="INT-001", at=NOON + timedelta(hours=hour))
        (operation,) = record_lesson(holding(text), lesson)
        assert isinstance(operation, Create if text is None else Modify)
        text = operation.content

    (learnt,) = lessons_of(text or "")
    assert (learnt.count, learnt.category, learnt.intent) == (5, LessonCategory.SCOPE_VIOLATION, "INT-001")
    assert (learnt.time, learnt.last) == (NOON, NOON + timedelta(hours=4))
    assert learnt.rule == "keep to its scope"


@pytest.mark.parametrize("code", ["", "disk-full", "remote-unreachable", "killed", "budget-spent"])
def test_failures_beyond_the_writers_control_teach_no_lesson(code: str) -> None:
    assert lesson_of(code, "message", intent="INT-001", at=NOON) is None
    assert record_lesson(holding(None), None) == ()


def test_a_lesson_file_that_is_not_text_is_left_alone() -> None:
    lesson = lesson_of("scope-violation", SAID, intent="INT-001", at=NOON)
    broken = Snapshot(tip=CommitSha("a" * 40), files={}, unreadable=(LESSONS,))
    assert record_lesson(broken, lesson) == ()
