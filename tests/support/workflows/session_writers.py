"""Sessions of books on a library's server: real git, a scripted writer, a store in memory."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from temporalio.client import WorkflowHandle
from temporalio.worker import Worker

from activities.book_session import BookActivities
from activities.books.writing import WritingActivities
from activities.endings import EndingActivities
from activities.notifying import NoOutbox
from penwright.adapters.clock import SystemClock
from penwright.adapters.models.router import ModelRouter
from penwright.adapters.workspace import GitWorkspaces
from penwright.agents.tools.resources import opened
from penwright.domain.book.identity import workflow_id
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.ports.models import LanguageModel
from schemas.book_session import BookSessionInput, BookSessionResult
from schemas.records import BookRow
from tests.support.agents.scripted_model import scripted_catalog
from tests.support.books.running_books import RunningBook, lay_out
from tests.support.workflows.librarian import Library
from workers.agents import BookWorkbench
from workers.temporal_plugin import WORKFLOWS
from workers.wiring import activity_methods
from workflows.book_session import BookSession
from workflows.options import TASK_TIMEOUT


@dataclass(frozen=True)
class Study:
    """A book and its worker."""

    here: Library
    book: RunningBook
    queue: str

    async def start(self, session: str, **changes: object) -> WorkflowHandle[BookSession, BookSessionResult]:
        """A session of the built-in writer."""
        given = BookSessionInput(
            book_id=self.book.book_id,
            workspace=self.book.workspace,
            session=session,
            repo_queue=self.queue,
            model_queue=self.queue,
        )
        given = given.model_copy(update=changes)
        return await self.here.client.start_workflow(
            BookSession.run,
            given,
            id=workflow_id(given.book_id),
            task_queue=self.queue,
            task_timeout=TASK_TIMEOUT,
        )

    async def run(self, session: str) -> BookSessionResult:
        return await (await self.start(session)).result()

    async def until_listed(self, sessions: int) -> None:
        """Until the server lists so many sessions of the book, which it does with a little delay."""
        async with asyncio.timeout(30):
            which = f"WorkflowId = '{workflow_id(self.book.book_id)}'"
            while (await self.here.client.count_workflows(which)).count < sessions:  # noqa: ASYNC110
                await asyncio.sleep(0.02)

    def writer(self, session: str) -> str:
        """The run of its writer."""
        return f"book/{self.book.book_id}/{session}"


@asynccontextmanager
async def study(here: Library, folder: Path, model: LanguageModel | None = None) -> AsyncIterator[Study]:
    """A worker for one book, with a writer that uses ``model``, else the library's scripted one."""
    queue = f"study-{uuid4().hex[:8]}"
    book = lay_out(folder / queue, queue, remote=False)
    store, git = here.store, GitWorkspaces(SystemClock(), profile=BOOK_PROFILE)
    store.records.register(BookRow(book_id=book.book_id, path=str(book.folder)))
    model = model or ModelRouter(scripted_catalog(here.script), ledger=store.ledger)
    with ThreadPoolExecutor(4) as executor:
        async with opened(()) as workshop:
            workbench = BookWorkbench(workshop, git, store.records, "main")
            activities = [
                *here.activities(model, workbench),
                *activity_methods(BookActivities(git, store.blobs, store.records, "engine")),
                *activity_methods(WritingActivities(store.blobs)),
                *activity_methods(EndingActivities(store.records, NoOutbox())),
            ]
            async with Worker(
                here.client,
                task_queue=queue,
                workflows=WORKFLOWS,
                activities=activities,
                activity_executor=executor,
            ):
                yield Study(here, book, queue)
