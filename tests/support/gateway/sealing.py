"""A book that its last session sealed, as the store has it."""

from schemas.base import BookId
from tests.support.gateway.services import StageServices


def sealed_with(services: StageServices, book_id: str, *warnings: str) -> None:
    """What a session notes that seals the book by itself."""
    with services.open_store() as store:
        (row,) = store.records.board(BookId(book_id))
        ending = row.entry("ending")
        assert ending is not None
        detail = {**ending.detail, "outcome": "completed", "warnings": warnings}
        store.records.enter([ending.model_copy(update={"state": "completed", "detail": detail})])
