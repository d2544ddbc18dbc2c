"""Board entries of each step of a book, so that lists need not read its repository."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from penwright.ports.records import Records
from schemas.base import BookId
from schemas.book import BookFigures
from schemas.book_session import BookSessionResult
from schemas.continuity import ContinuityResult
from schemas.records import BoardEntry
from schemas.workspace import Pushed

_OF_AN_ENDING = frozenset(
    {"session", "outcome", "code", "message", "stopped_by", "recovered", "model", "warnings"}
)


@dataclass(frozen=True, slots=True)
class BoardEntries:
    """Each entry takes the place of the earlier one about the same side; repeating one is harmless."""

    records: Records

    def text(self, book_id: BookId, figures: BookFigures, at: datetime) -> None:
        """Its words."""
        state = "sealed" if figures.sealed else "open"
        self._enter(book_id, "text", state, at, figures.model_dump(mode="json"))

    def push(self, book_id: BookId, pushed: Pushed, at: datetime) -> None:
        """Whether the remote has what we have."""
        self._enter(book_id, "push", pushed.outcome, at, {"code": pushed.code, "reason": pushed.reason})

    def ending(self, ending: BookSessionResult, at: datetime) -> None:
        """Enter the end of the newest session."""
        detail = ending.model_dump(mode="json", include=set(_OF_AN_ENDING))
        detail["words"] = ending.report.session_word_count if ending.report else 0
        state = " ".join(part for part in (ending.outcome, ending.code) if part)
        self._enter(ending.book_id, "ending", state, at, detail)

    def reading(self, ending: ContinuityResult, at: datetime) -> None:
        """Enter the end of the clerk's newest run."""
        weak = ending.outcome == "completed" and bool(ending.warnings)
        detail = ending.model_dump(mode="json", include={"code", "message", "warnings"})
        self._enter(ending.book_id, "reading", "weak" if weak else ending.outcome, at, detail)

    def _enter(
        self,
        book_id: BookId,
        about: Literal["text", "push", "ending", "reading"],
        state: str,
        at: datetime,
        detail: Mapping[str, Any],  # JSON
    ) -> None:
        entry = BoardEntry(book_id=book_id, about=about, state=state, at=at, detail=dict(detail))
        self.records.enter([entry])
