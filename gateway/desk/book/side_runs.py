"""Runs of a book beside its sessions: their input and their start."""

from typing import TypedDict, TypeVar

from gateway.desk.engine.pipelines import SideRuns
from gateway.desk.engine.waits import Wait
from gateway.desk.services import Services
from gateway.desk.works import books
from gateway.desk.works.books import Book
from schemas.base import BookId
from schemas.side_run import SideRunInput, SideRunResult
from schemas.workspace import Workspace

Given = TypeVar("Given", bound=SideRunInput)
Result = TypeVar("Result", bound=SideRunResult)


class InputFields(TypedDict):
    """Keyword arguments of a ``SideRunInput``."""

    book_id: BookId
    workspace: Workspace
    session: str
    repo_queue: str
    model_queue: str


def input_fields(services: Services, book: Book) -> InputFields:
    """The fields that the input of each such run has; the run is a new one."""
    defaults = services.defaults()
    return InputFields(
        book_id=book.book_id,
        workspace=book.workspace,
        session=books.new_session(services.now()),
        repo_queue=defaults.repo_queue,
        model_queue=defaults.model_queue,
    )


async def begin(runs: SideRuns[Given, Result], given: Given, wait: Wait | None) -> tuple[bool, Result | None]:
    """Start a run, or join the one that runs (False); without ``wait`` there is no result yet."""
    fresh, name = await runs.start(given), given.book_id
    if wait is None:
        return fresh, None
    return fresh, await wait(runs.result(name), lambda: runs.progress(name))
