"""Planning by hand: outlines of a book and its next chapters, and the run that has them made."""

from typing import Annotated

from pydantic import Field

from schemas.base import BlobRef, Value
from schemas.book_session import BookRequest, ChapterPlan, OutlineSaved
from schemas.control import PipelineState
from schemas.side_run import SideRunInput, SideRunResult
from schemas.workspace import Pushed


class PlanningInput(SideRunInput):
    """Have outlines planned. The workflow id is ``planning/<book-id>``."""

    chapters: Annotated[int, Field(ge=0)] = 1
    """The next chapters that are to have outlines."""
    premise: BlobRef | None = None
    """A text from which the book's own outline is made."""
    state: "PlanningState | None" = None
    """Carried over by continue-as-new."""


class FindOutlines(BookRequest):
    """Find the outlines that are missing."""

    chapters: int
    premise: BlobRef | None


class OutlinesToPlan(Value):
    """The outlines to make, in their order."""

    numbers: tuple[int, ...] = ()
    """Of chapters; 0: the whole book."""


class BriefPlanner(BookRequest):
    """Make the planner's prompt for one outline."""

    number: int
    premise: BlobRef | None


class MakeOutline(Value):
    """Have one outline made."""

    brief: BriefPlanner


class PlanningState(PipelineState):
    """The state of the run."""

    wanted: OutlinesToPlan | None = None
    """None: to be looked up."""
    plan: ChapterPlan | None = None
    """Made, and not saved yet."""
    saved: tuple[OutlineSaved, ...] = ()
    """The outcome of each of ``wanted``, in their order."""
    pushed: Pushed | None = None


class PlanningResult(SideRunResult):
    """The result of a run."""

    planned: tuple[str, ...] = ()
    """Paths of the outlines and proposals."""


class EndPlanning(BookRequest):
    """Note how the run ended."""

    result: PlanningResult


PlanningInput.model_rebuild()
