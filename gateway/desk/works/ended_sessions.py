"""Ends of sessions, as the store knows them."""

from gateway.desk.services import Services
from penwright.domain.book.profile import BOOK_PROFILE
from schemas.base import BookId
from schemas.book_session import BookSessionResult

_RUNS_TO_SEARCH = 50


def ending_of(services: Services, book_id: BookId, session: str) -> BookSessionResult | None:
    """Find the end of a session; None while it runs, or if the store does not know it."""
    found = (each for each in _endings(services, book_id) if each.session == session)
    return next(found, None)


def last_ending(services: Services, book_id: BookId) -> BookSessionResult | None:
    """Find the end of the last session that delivered prose; None without one."""
    return next((each for each in _endings(services, book_id) if each.prose is not None), None)


def _endings(services: Services, book_id: BookId) -> list[BookSessionResult]:
    """Of sessions only, newest first; an errand has no result of this kind."""
    with services.open_store() as store:
        runs = store.records.runs(subject=book_id, pipeline=BOOK_PROFILE.name, limit=_RUNS_TO_SEARCH)
    details = (run.detail for run in runs if "outcome" in run.detail and "session" in run.detail)
    return [BookSessionResult.model_validate(each) for each in details]
