"""Profile of a book for publishing, the gate and the ledger."""

from typing import Final

from penwright.domain.book.files.layout import (
    CHANGELOG_FOLDER,
    COMPLETE,
    CONFIG,
    ENGINE_OWNED,
    KILL,
    LOCK,
    MATERIAL_FOLDER,
    README,
    REVIEW_FOLDER,
    STATE,
    SUMMARY,
)
from schemas.pipeline import PipelineProfile

BOOK_PROFILE: Final = PipelineProfile(
    name="book-session",
    prefix="book",
    subject_trailer="Penwright-Book",
    engine_tools=frozenset(
        {
            "book.open",
            "book.advance",
            "book.complete",
            "book.release",
            "book.reset",
            "book.adopt",
            "book.edit",
            "book.read",
        }
    ),
    writer_tools=frozenset({"book.close", "book.plan"}),
    opening_tools=frozenset({"book.open"}),
    bookkeeping=ENGINE_OWNED,
    protected=(CONFIG, STATE, LOCK, KILL, COMPLETE, f"{CHANGELOG_FOLDER}/**"),
    unrecorded=(f"{REVIEW_FOLDER}/recovered-*",),
    kept=(README, SUMMARY),
    permanent=(CONFIG,),
    canon=(f"{MATERIAL_FOLDER}/**",),
    remote_wins=(LOCK,),
)
