"""The fields that every request to a book's workspace has."""

from typing import TypedDict

from schemas.base import BookId, Effect
from schemas.book_errand import BookErrandInput
from schemas.book_session import BookSessionInput
from schemas.side_run import SideRunInput
from schemas.workspace import Workspace


class RequestFields(TypedDict):
    """Keyword arguments of a ``BookRequest``."""

    effect: Effect
    subject: BookId
    workspace: Workspace
    session: str


def request_fields(given: BookSessionInput | BookErrandInput | SideRunInput, effect: Effect) -> RequestFields:
    """The fields of each request of a session, an errand or a run beside them."""
    return RequestFields(
        effect=effect, subject=given.book_id, workspace=given.workspace, session=given.session
    )
