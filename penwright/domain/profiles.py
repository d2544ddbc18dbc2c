"""The profile of each kind of workspace."""

from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.manuscript.profile import MANUSCRIPT_PROFILE
from schemas.pipeline import PipelineProfile
from schemas.records import WorkspaceKind


def profile_of(kind: WorkspaceKind) -> PipelineProfile:
    """Return what publishing, the gate and the ledger have to know of a kind of workspace."""
    return BOOK_PROFILE if kind == "book" else MANUSCRIPT_PROFILE
