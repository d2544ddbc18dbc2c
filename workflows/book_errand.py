"""One change to a book outside a session, under the same workflow id and so under the same lock."""

from typing import assert_never

from temporalio import workflow
from temporalio.exceptions import ActivityError
from temporalio.workflow import execute_activity_method as ask

from activities.book_session import BookActivities
from penwright.domain.book import errand as rules
from schemas.base import Effect, OpId, Progress
from schemas.book_session import (
    AdvanceChapter,
    BookErrandInput,
    BookErrandResult,
    BookErrandState,
    CompleteBook,
    PushBook,
    RestoreBook,
)
from workflows.failures import cause_of
from workflows.options import REMOTE, REPO_WRITE, at
from workflows.visibility import show


@workflow.defn
class BookErrand:
    """Advances, completes, rolls back, undoes or resets a book that no session holds."""

    @workflow.init
    def __init__(self, given: BookErrandInput) -> None:
        self._given = given
        self._state = BookErrandState()

    @workflow.run
    async def run(self, given: BookErrandInput) -> BookErrandResult:
        show(rules.progress(given, self._state))
        while step := self._next():
            self._state = await self._attempt(step)
            show(rules.progress(given, self._state))
        return rules.result(self._state)

    def _next(self) -> rules.Step | None:
        op_id = OpId(f"book/{self._given.book_id}#{self._given.session}:{self._state.effects}")
        return rules.next_step(self._given, self._state, Effect(op_id=op_id, issued_at=workflow.now()))

    async def _attempt(self, step: rules.Step) -> BookErrandState:
        """A push that failed for good stays pending; any other failure fails the errand under its code."""
        try:
            return await self._take(step)
        except ActivityError as error:
            if isinstance(step, PushBook):
                return rules.unpushed(self._state, cause_of(error))
            raise

    async def _take(self, step: rules.Step) -> BookErrandState:
        queue = self._given.repo_queue
        match step:
            case AdvanceChapter():
                moved = await ask(BookActivities.advance_chapter, step, **at(queue, REPO_WRITE))
                return rules.advanced(self._state, moved)
            case CompleteBook():
                sealed = await ask(BookActivities.complete_book, step, **at(queue, REPO_WRITE))
                return rules.completed(self._state, sealed)
            case RestoreBook():
                restored = await ask(BookActivities.restore_book, step, **at(queue, REPO_WRITE))
                return rules.restored(self._state, restored)
            case PushBook():
                pushed = await ask(BookActivities.push_book, step, **at(queue, REMOTE))
                return rules.pushed(self._state, pushed)
            case _:
                assert_never(step)

    @workflow.query
    def progress(self) -> Progress:
        return rules.progress(self._given, self._state)
