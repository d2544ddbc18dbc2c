"""The steps of a reading: gather, read, commit, look again; whatever ends it, what was read is committed."""

from datetime import UTC, datetime

from penwright.domain import control
from penwright.domain.continuity import reading as rules
from schemas.base import BlobRef, BookId, Cause, CommitSha, Effect, OpId
from schemas.book_session import PushBook
from schemas.continuity import (
    ContinuityInput,
    ContinuityState,
    EndReading,
    Gathered,
    GatherPassages,
    PassageRead,
    Portion,
    PublishReadings,
    ReadingsPublished,
    ReadPassage,
)
from schemas.control import KillRequest
from schemas.workspace import Pushed, Workspace
from tests.support.each import for_each

NOW = datetime(2026, 1, 1, tzinfo=UTC)
GIVEN = ContinuityInput(book_id=BookId("tide"), workspace=Workspace(path="/books/tide"), session="s1")
BLOB = BlobRef(sha256="0" * 64, size=1)
KILL = KillRequest(who="nora", reason="enough")
DOWN = Cause(code="model-unavailable", message="no model answers")


def effect(state: ContinuityState) -> Effect:
    return Effect(op_id=OpId(str(state.control.effects)), issued_at=NOW)


class Book:
    """A book whose passages are read."""

    def __init__(self, passages: int, *, fails: int = 0) -> None:
        self.unread = passages
        self.fails = fails
        self.committed: list[int] = []
        """Passages of each commit."""
        self.steps: list[str] = []
        self.read_calls = 0

    def take(self, state: ContinuityState, step: rules.Step) -> ContinuityState:
        self.steps.append(type(step).__name__)
        match step:
            case GatherPassages():
                portions = tuple(
                    Portion(text=BLOB, words=100, chapter=1) for _ in range(min(self.unread, rules.AT_ONCE))
                )
                found = Gathered(portions=portions, words_left=100 * self.unread)
                return rules.gathered(state, found, NOW)
            case ReadPassage():
                self.read_calls += 1
                failed = self.read_calls <= self.fails
                outcome = PassageRead(
                    reading=None if failed else BLOB,
                    words=100,
                    stated=0 if failed else 3,
                    failure="no answer of use" if failed else "",
                )
                return rules.read(state, outcome)
            case PublishReadings():
                self.unread -= len(step.read)
                self.committed.append(len(step.read))
                return rules.published(state, ReadingsPublished(commit=CommitSha("c")))
            case PushBook():
                return rules.pushed(state, Pushed(outcome="pushed"))
            case EndReading():
                return rules.ended(state)


def run(
    book: Book, *, stop_at: int = -1, fail_at: int = -1, state: ContinuityState | None = None
) -> ContinuityState:
    state = state or ContinuityState()
    taken = 0
    while step := rules.next_step(GIVEN, state, effect(state)):
        assert taken < 200, "it goes on for ever"
        if taken == stop_at:
            state = control.stopped(state, KILL)
            taken += 1
            continue
        state = rules.failed(GIVEN, state, step, DOWN) if taken == fail_at else book.take(state, step)
        taken += 1
    return state


def test_a_long_book_is_read_by_commits_of_some_passages() -> None:
    book = Book(20)

    ended = rules.result(GIVEN, run(book))

    assert book.committed == [8, 8, 4]
    assert (ended.outcome, ended.words, ended.passages, ended.words_left) == ("completed", 2_000, 20, 0)
    assert book.steps[-2:] == ["PushBook", "EndReading"]


def test_a_book_that_was_read_ends_without_a_commit_or_a_push() -> None:
    book = Book(0)

    assert rules.result(GIVEN, run(book)).outcome == "completed"
    assert book.steps == ["GatherPassages", "EndReading"]


@for_each("at", range(14))
def test_a_kill_at_any_step_commits_what_was_read(at: int) -> None:
    book = Book(9)

    state = run(book, stop_at=at)

    ended = rules.result(GIVEN, state)
    assert ended.outcome == "stopped"
    assert sum(book.committed) == book.read_calls
    assert state.control.ended


@for_each("at", range(13))
def test_a_failure_at_any_step_ends_the_run_and_loses_no_reading_but_that_of_its_commit(at: int) -> None:
    book = Book(9)

    state = run(book, fail_at=at)

    assert state.control.ended
    lost = book.read_calls - sum(book.committed)
    failed_commit = at in (9, 12)
    assert lost == 0 or failed_commit


def test_a_passage_that_cannot_be_read_is_told_and_does_not_end_the_run() -> None:
    book = Book(4, fails=1)

    ended = rules.result(GIVEN, run(book))

    assert ended.outcome == "completed"
    assert (ended.words, ended.passages) == (300, 4)
    assert "of 1 passage the clerk gave no reading that can be used (no answer of use)" in ended.warnings[0]


def test_a_clerk_that_is_no_use_is_not_asked_about_the_whole_book() -> None:
    book = Book(90, fails=90)

    ended = rules.result(GIVEN, run(book))

    assert book.read_calls == 3
    assert ended.outcome == "completed"
    assert ended.warnings


def test_many_lost_quotes_are_told() -> None:
    state = ContinuityState(stated=80, lost=20)

    assert (
        "20 of 100 statements had no quote that stands in the text" in rules.result(GIVEN, state).warnings[0]
    )
    assert rules.result(GIVEN, ContinuityState(stated=95, lost=5)).warnings == ()


def test_a_change_of_the_text_during_a_run_is_looked_at_by_a_further_one() -> None:
    state = rules.wanted(run(Book(1)))

    further = rules.again(GIVEN, state)

    assert further is not None
    assert further.state is not None
    assert further.state.control.effects == state.control.effects
    assert rules.again(GIVEN, control.stopped(state, KILL)) is None
    assert rules.again(GIVEN, rules.begun(state)) is None
