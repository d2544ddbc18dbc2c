"""One change to a book outside a session, under the same workflow id and so under the same lock."""

from typing import assert_never

from temporalio import workflow
from temporalio.workflow import execute_activity_method as ask

from activities.book_session import BookActivities
from activities.endings import EndingActivities
from penwright.domain.book import errand as rules
from schemas import book_session as book
from schemas.base import Progress
from schemas.book_errand import (
    BookErrandInput,
    BookErrandResult,
    BookErrandState,
    EditBook,
    FinishBook,
    RestoreBook,
)
from workflows.failures import error_from
from workflows.options import RECORD, REMOTE, REPO_WRITE, at
from workflows.steering import Steered


@workflow.defn
class BookErrand(Steered[BookErrandInput, BookErrandState]):
    """Advances, completes, rolls back, undoes, resets or edits a book that no session holds."""

    @workflow.init
    def __init__(self, given: BookErrandInput) -> None:
        super().__init__(given, BookErrandState(), op_prefix=f"book/{given.book_id}#{given.session}:")

    @workflow.run
    async def run(self, given: BookErrandInput) -> BookErrandResult:
        self._show()
        while step := await self._next(rules.next_step):
            self._state = await self._attempt(step, self._take, rules.failed)
            self._show()
        if failure := rules.failure(self._state):
            raise error_from(failure)
        return rules.result(self._state)

    async def _take(self, step: rules.Step) -> BookErrandState:
        queue = self._given.repo_queue
        match step:
            case book.AdvanceChapter():
                moved = await ask(BookActivities.advance_chapter, step, **at(queue, REPO_WRITE))
                return rules.advanced(self._state, moved)
            case book.CompleteBook():
                sealed = await ask(BookActivities.complete_book, step, **at(queue, REPO_WRITE))
                return rules.completed(self._state, sealed)
            case FinishBook():
                await ask(EndingActivities.finish_book, step, **RECORD)
                return rules.finished(self._state)
            case RestoreBook():
                restored = await ask(BookActivities.restore_book, step, **at(queue, REPO_WRITE))
                return rules.restored(self._state, restored)
            case EditBook():
                edited = await ask(BookActivities.edit_book, step, **at(queue, REPO_WRITE))
                return rules.edited(self._state, edited)
            case book.PushBook():
                pushed = await ask(BookActivities.push_book, step, **at(queue, REMOTE))
                return rules.pushed(self._state, pushed)
            case _:
                assert_never(step)

    def _progress(self) -> Progress:
        return rules.progress(self._given, self._state)
