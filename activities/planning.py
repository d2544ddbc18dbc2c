"""Activities of a planning by hand: what is missing, the planner's prompts, the end."""

from dataclasses import dataclass

from temporalio import activity

from activities.books.board_entries import BoardEntries
from activities.books.continuity_reader import ContinuityReader
from activities.books.reading import BookReader
from activities.books.side_runs import SideRuns
from activities.publishing import in_one_repository
from penwright.domain.book.files.layout import WHOLE_BOOK, chapter_path, proposed_path
from penwright.domain.book.files.unfilled import filled_in
from penwright.domain.book.opening import material_payload
from penwright.domain.book.plan_run import PIPELINE
from penwright.domain.book.planning import lacks_outline, outlines_to_plan
from penwright.domain.book.status import book_figures
from penwright.domain.book.view import BookView
from penwright.ports.blobs import Blobs
from penwright.ports.records import Records
from penwright.ports.workspaces import Workspaces
from penwright.roles.book_text import BookText
from penwright.roles.ink_planner.briefing import brief_of
from schemas.book_session import Brief, PlanChapter, PushBook
from schemas.planning import BriefPlanner, EndPlanning, FindOutlines, OutlinesToPlan
from schemas.workspace import Pushed


@dataclass(frozen=True)
class PlanningActivities:
    """Activities for one host's repositories."""

    workspaces: Workspaces
    blobs: Blobs
    records: Records

    @activity.defn(no_thread_cancel_exception=True)
    @in_one_repository
    def find_outlines(self, request: FindOutlines) -> OutlinesToPlan:
        """The outlines that are missing.

        Raises:
            Refused: nothing can be planned; see ``outlines_to_plan``.
        """
        view = self._reader.view(request.workspace, request.effect.issued_at)
        numbers = outlines_to_plan(view, request.chapters, premise=request.premise is not None)
        self._runs.begun(request, "plan")
        return OutlinesToPlan(numbers=numbers)

    @activity.defn(no_thread_cancel_exception=True)
    @in_one_repository
    def brief_planning(self, request: BriefPlanner) -> Brief:
        """The planner's prompt for one outline, with those that are proposed by now; harmless to repeat."""
        story = ContinuityReader(self._reader).story(request.workspace, request.effect.issued_at)
        view = story.view
        payload = material_payload(view)
        if story.read.readings:
            payload = payload.model_copy(update={"continuity": story.brief})
        premise = self.blobs.get(request.premise).decode() if request.premise else ""
        order = PlanChapter(payload=self._reader.keep(payload), chapter=request.number)
        return brief_of(
            order, self.blobs, (BookText("premise", "premise", premise), *_between(view, request))
        )

    @activity.defn(no_thread_cancel_exception=True)
    @in_one_repository
    def push_outlines(self, request: PushBook) -> Pushed:
        """Bring the remote up to date."""
        return self._runs.push(self.workspaces, request)

    @activity.defn(no_thread_cancel_exception=True)
    @in_one_repository
    def end_planning(self, request: EndPlanning) -> None:
        """Note the run's end, for lists, and what waits on the board."""
        view = self._reader.view(request.workspace, request.effect.issued_at)
        BoardEntries(self.records).text(request.subject, book_figures(view), request.effect.issued_at)
        self._runs.ended(request.result, request.effect)

    @property
    def _reader(self) -> BookReader:
        return BookReader(self.workspaces, self.blobs)

    @property
    def _runs(self) -> SideRuns:
        return SideRuns(self.records, PIPELINE)


def _between(view: BookView, request: BriefPlanner) -> tuple[BookText, ...]:
    """The proposed outline of the book, and the outlines of chapters between the current one and this."""
    texts = []
    if lacks_outline(view, WHOLE_BOOK):
        texts.append(BookText("material", "Outline.md", view.text(proposed_path(WHOLE_BOOK))))
    for number in range(view.state.current_chapter, request.number):
        is_planned = lacks_outline(view, number)
        if is_planned or number > view.state.current_chapter:
            path = proposed_path(number) if is_planned else chapter_path(number)
            texts.append(BookText("next-outline", chapter_path(number), filled_in(view.text(path))))
    return tuple(texts)
