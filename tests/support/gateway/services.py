"""Services for commands under test: real git, a store in memory, pipelines rehearsed in this process."""

import io
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO, Generic, NoReturn, TypeVar, assert_never, cast

from activities.book_session import BookActivities
from activities.books.run_log import BookRunLog
from activities.manuscripts.text import ManuscriptTextActivities
from activities.model_trial import ModelTrialActivities
from activities.work_lore import WorkLore
from gateway.desk.disclosure import Disclosure
from gateway.desk.engine.agent_runs import AgentRuns
from gateway.desk.engine.citations import Audits, Scans
from gateway.desk.engine.connection import Engine, Trials
from gateway.desk.engine.manuscripts import Editors, Manuscripts, SceneApprovals
from gateway.desk.engine.pipelines import (
    NO_ANSWER,
    Acknowledgement,
    Message,
    Pipelines,
    Runs,
    Scheduled,
    ScheduledRun,
    Schedules,
    SideRuns,
    StepUnderWay,
    Timetable,
)
from gateway.desk.engine.rounds import Rounds
from gateway.desk.services import CommandStore, PipelineDefaults, Waiting
from gateway.desk.works import books
from penwright.adapters.documents import PandocDocuments
from penwright.adapters.library import OwnSources
from penwright.adapters.models.probe import CatalogProbes
from penwright.adapters.scaffold.book_mark import is_registered
from penwright.adapters.workspace import GitWorkspaces
from penwright.adapters.workspace.git.commands import plain_environment
from penwright.adapters.workspace.history import GitHistory
from penwright.domain import approvals, control
from penwright.domain import outside_agent as outside
from penwright.domain.approvals import is_waiting, unanswerable
from penwright.domain.book import session as rules
from penwright.domain.book import session_status as status
from penwright.domain.book import transitions
from penwright.domain.book.requests import request_fields
from penwright.domain.book.review.markers import rework_block
from penwright.domain.intents.gate import IntentGate
from penwright.domain.manuscript import editing
from penwright.domain.profiles import profile_of
from penwright.domain.trace.recorder.recording import LedgerRecorder
from penwright.errors import EngineUnavailable, PenwrightError, Refused, error_of
from penwright.ports.agents import OverrideFiles
from penwright.ports.documents import Documents
from penwright.ports.history import History
from penwright.ports.scenes import DeltaFeed
from penwright.ports.workspaces import Workspaces
from schemas.base import BookId, Cause, Effect, OpId, Progress
from schemas.board import Timetabled
from schemas.book_errand import BookErrandInput, BookErrandResult, EditBook, RestoreBook
from schemas.book_session import (
    AdvanceChapter,
    Advanced,
    AdvanceRequest,
    AnnounceApproval,
    BookSessionInput,
    BookSessionResult,
    BookSessionState,
    ChapterPlan,
    Closed,
    CloseSession,
    CompleteBook,
    EditProse,
    EndSession,
    Opened,
    OpenSession,
    PlanChapter,
    PushBook,
    ReleaseBook,
    SaveOutline,
    SelectIntent,
    WriteProse,
)
from schemas.budgets import Caps
from schemas.citation_scan import CitationScanInput
from schemas.continuity import ContinuityInput, ContinuityResult
from schemas.control import KillRequest
from schemas.editing import (
    EditingInput,
    EditingState,
    EditOrder,
    OperationsOrder,
    RestoreOrder,
    SaveOrder,
    SelectOrder,
)
from schemas.intents import ApprovalDecision, ApprovalRequest, Selected
from schemas.manuscript import ManuscriptInput, ManuscriptResult
from schemas.manuscript_text import (
    ApplyOperations,
    OperationsApplied,
    RestoreText,
    SaveText,
    SelectSceneIntent,
    TextRestored,
    TextSaved,
)
from schemas.model_catalog import DEMO, ModelCatalog
from schemas.model_trial import ModelTrialOrder, ProbeReport
from schemas.outside_session import DeliverProse, OpenRequest, SessionProse, SessionView
from schemas.planning import PlanningInput, PlanningResult
from schemas.records import WorkspaceKind
from schemas.side_run import SideRunInput, SideRunResult
from schemas.workspace import Workspace
from tests.support.citations.rehearsed import RehearsedAudits
from tests.support.doubles.override_files import MemoryOverrideFiles
from tests.support.doubles.store import memory_store
from tests.support.gateway.agents import RehearsedAgents
from tests.support.gateway.scenes import RehearsedDeltas, RehearsedRounds
from tests.support.library import own_sources
from workers.engine.doctor import Finding
from workers.settings import Loaded, load

IDENTITY = ("-c", "user.name=A", "-c", "user.email=a@example.org")
"""Arguments that set the committer."""

REWRITTEN = "The tide went out on her left."
"""Text that a rehearsed rewrite puts before the old passage."""
NOW = datetime(2026, 2, 22, 14, 30, tzinfo=UTC)


@dataclass
class StageClock:
    """A clock that a test turns by hand."""

    present: datetime = NOW

    def now(self) -> datetime:
        return self.present

    def later(self, **by: float) -> None:
        """Turn it on; the arguments of a timedelta."""
        self.present += timedelta(**by)


_NO_PROSE = Cause(code="unusable-reply", message="The reply held no prose. Nothing was changed.")


@dataclass
class RehearsedPipelines:
    """The book pipeline's own rules and activities, step after step, without Temporal between them."""

    activities: BookActivities
    clock: StageClock
    held: dict[BookId, tuple[BookSessionInput, BookSessionState]] = field(default_factory=dict)
    ended: dict[BookId, BookSessionResult] = field(default_factory=dict)
    silent: bool = False
    """The engine runs, but no worker takes anything up."""
    steps: dict[str, tuple[StepUnderWay, ...]] = field(default_factory=dict)
    """By workflow id, what it waits for."""
    chattering: set[BookId] = field(default_factory=set)
    """Books whose writer gives replies without prose."""

    async def start(self, given: BookSessionInput) -> None:
        self._refuse_if_held(given.book_id)
        self._run(given, BookSessionState())

    async def open(self, given: BookSessionInput) -> Opened:
        if given.book_id in self.held:
            running, state = self.held[given.book_id]
            assert state.opened is not None
            request = OpenRequest(opener=given.opener, place=rules.place_of(given).name)
            answer = rules.answer_to_open(running, state, request)
            assert answer is not None
            return answer
        state = self._run(given, BookSessionState())
        assert state.opened is not None
        return state.opened.model_copy(update={"session": given.session})

    async def close(self, book_id: BookId, delivery: DeliverProse) -> Closed:
        given, state = self._called(book_id, delivery.session, delivery.place)
        denials = state.denials
        state = self._run(given, transitions.delivered(state, delivery))
        if state.denials > denials and state.denial is not None:
            raise Refused(state.denial.code, state.denial.message, **state.denial.details)
        if state.asked is not None and state.decision is None:
            raise EngineUnavailable(NO_ANSWER, "rehearsed: a person is asked, and this call would wait")
        if state.closed is None:
            cause = rules.ending(given, state)
            raise error_of(cause.family, cause.code, cause.message, cause.details)
        report = status.result(given, state).report
        return state.closed.model_copy(update={"report": report})

    async def advance(self, book_id: BookId, session: str = "", *, place: str = "") -> Advanced | None:
        if book_id not in self.held:
            return None
        given, state = self._called(book_id, session, place)
        return self._run(given, transitions.message_taken(state, AdvanceRequest())).advances[-1]

    async def select(self, book_id: BookId, intent: str, session: str = "", *, place: str = "") -> Selected:
        given, state = self._called(book_id, session, place, writes=False)
        order = SelectIntent(subject=book_id, workspace=given.workspace, intent=intent)
        selected = self.activities.select_intent(order)
        self.held[book_id] = (given, outside.selected(state, selected.pin))
        return selected

    async def session_view(self, book_id: BookId, session: str) -> SessionView | None:
        if book_id not in self.held:
            return None
        given, state = self.held[book_id]
        return outside.view(given, state, status.progress(given, state), session, self.clock.now())

    def _called(
        self, book_id: BookId, session: str, place: str, *, writes: bool = True
    ) -> tuple[BookSessionInput, BookSessionState]:
        if book_id not in self.held:
            raise Refused("no-active-session", "no active session")
        given, state = self.held[book_id]
        here = rules.place_of(given).name
        if refusal := outside.refusal(
            given, state, session, waits=False, writes=writes, here=here, place=place
        ):
            raise Refused(*refusal)
        return self.held[book_id]

    async def errand(self, given: BookErrandInput) -> BookErrandResult:
        self._refuse_if_held(given.book_id)
        effect = self._effect(given.book_id, given.session, 0)
        fields = request_fields(given, effect)
        match given.kind:
            case "advance":
                moved = self.activities.advance_chapter(AdvanceChapter(**fields))
                return BookErrandResult(advance=moved.report)
            case "complete":
                sealed = self.activities.complete_book(
                    CompleteBook(**fields, early=given.early, by_agent=given.by_agent)
                )
                return BookErrandResult(completion=sealed.report)
            case "rollback" | "undo" | "reset" | "accept-remote" | "restore-session":
                restore = RestoreBook(**fields, kind=given.kind, target=given.target, listed=given.listed)
                return BookErrandResult(restore=self.activities.restore_book(restore))
            case "edit":
                edit = EditBook(**fields, edits=given.edits, who=given.who)
                return BookErrandResult(edit=self.activities.edit_book(edit))
            case _:
                assert_never(given.kind)

    async def progress(self, name: str) -> Progress | None:
        if self.silent:
            raise EngineUnavailable(NO_ANSWER, "the engine runs, but no worker answered")
        return status.progress(*self.held[BookId(name)]) if name in self.held else None

    async def running(self) -> Mapping[str, Progress]:
        return {book_id: status.progress(*held) for book_id, held in self.held.items()}

    async def result(self, book_id: BookId) -> BookSessionResult:
        return self.ended[book_id]

    async def pending(self, book_id: BookId) -> ApprovalRequest | None:
        if book_id not in self.held or not is_waiting(self.held[book_id][1]):
            return None
        return self.held[book_id][1].asked

    async def under_way(self, workflow_id: str) -> tuple[StepUnderWay, ...]:
        return self.steps.get(workflow_id, ())

    async def decide(self, book_id: BookId, decision: ApprovalDecision) -> None:
        given, state = self.held[book_id]
        if refusal := unanswerable(state, decision, self.clock.now()):
            raise Refused(*refusal)
        self._run(given, approvals.decided(state, decision))

    async def signal(self, name: str, message: Message) -> Acknowledgement:
        if name not in self.held:
            return Acknowledgement(found="nothing")
        book_id = BookId(name)
        given, state = self.held[book_id]
        if isinstance(message, KillRequest):
            self._run(given, approvals.answered(control.stopped(state, message)))
        elif message == "pause":
            self.held[book_id] = (given, control.paused(state))
        else:
            self.held[book_id] = (given, control.resumed(state))
        return Acknowledgement(found="session", heard=True)

    def _run(self, given: BookSessionInput, state: BookSessionState) -> BookSessionState:
        """Take steps until the session ends or waits for its agent."""
        while step := rules.next_step(
            given, state, self._effect(given.book_id, given.session, state.control.effects)
        ):
            if isinstance(step, outside.AwaitAgent | approvals.AwaitDecision):
                self.held[given.book_id] = (given, state)
                return state
            try:
                state = self._take(given, state, step)
            except PenwrightError as error:
                cause = Cause(code=error.code, message=error.message, details=dict(error.details))
                state = transitions.failed(given, state, step, cause)
        self.held.pop(given.book_id, None)
        self.ended[given.book_id] = status.result(given, state)
        return state

    def _take(self, given: BookSessionInput, state: BookSessionState, step: rules.Step) -> BookSessionState:
        match step:
            case OpenSession():
                return transitions.opened(state, self.activities.open_session(step), self.clock.now())
            case AdvanceChapter():
                return transitions.advanced(state, self.activities.advance_chapter(step))
            case PlanChapter():
                outline = f"# Chapter {step.chapter}\n\n## Beats\n\n1. The tide turns.\n2. She stays.\n"
                kept = self.activities.blobs.put(outline.encode())
                return transitions.planned(
                    state, ChapterPlan(chapter=step.chapter, outline=kept, model="rehearsed")
                )
            case SaveOutline():
                return transitions.outline_saved(state, self.activities.save_outline(step))
            case WriteProse() if given.book_id in self.chattering:
                return transitions.unwritten(given, state, step, _NO_PROSE)
            case WriteProse():
                return transitions.written(state, self._write(state))
            case EditProse():
                return transitions.edited(state, step.written, step.written)
            case CloseSession():
                closed = self.activities.close_session(step)
                return transitions.closed(given, state, step, closed, self.clock.now())
            case AnnounceApproval():
                return approvals.announced(state, step.decision)
            case ReleaseBook():
                return transitions.released(state, self.activities.release_book(step))
            case PushBook():
                return transitions.pushed(state, self.activities.push_book(step))
            case CompleteBook():
                return transitions.completed(
                    state, step, self.activities.complete_book(step), self.clock.now()
                )
            case EndSession():
                BookRunLog(self.activities.records).ended(step)
                return transitions.ended(state)
            case outside.AwaitAgent() | approvals.AwaitDecision():
                raise AssertionError("the turn of another process is not a step to take")
            case _:
                assert_never(step)

    def _write(self, state: BookSessionState) -> SessionProse:
        rewrite = state.opened.rewrite if state.opened else None
        if rewrite is not None:
            old = self.activities.blobs.get(rewrite.passage).decode()
            block = rework_block(rewrite.instruction, f"{REWRITTEN} {old}", old)
            kept = self.activities.blobs.put(block.encode())
            return SessionProse(prose=kept, words=8, summary="She is left-handed.", model="rehearsed")
        words = state.opened.words_wanted if state.opened else 0
        prose = "The tide went out. " * (words // 4)
        kept = self.activities.blobs.put(prose.encode())
        return SessionProse(prose=kept, words=words, summary="The tide goes out.", model="rehearsed")

    def _effect(self, book_id: BookId, session: str, number: int) -> Effect:
        return Effect(op_id=OpId(f"book/{book_id}#{session}:{number}"), issued_at=self.clock.now())

    def _refuse_if_held(self, book_id: BookId) -> None:
        if book_id in self.held:
            raise Refused("already-running", f"a session or another change holds {book_id!r}")


@dataclass
class RehearsedTrials:
    """The trial's own activity over the demo model, without Temporal."""

    orders: list[ModelTrialOrder] = field(default_factory=list)

    async def tried(self, order: ModelTrialOrder) -> ProbeReport:
        self.orders.append(order)
        probes = CatalogProbes(ModelCatalog(models=(DEMO,), default=DEMO.name), {})
        return await ModelTrialActivities(probes).try_model(order)


@dataclass
class RehearsedEditors:
    """The editing's own rules and activities, order after order, without Temporal between them."""

    activities: ManuscriptTextActivities
    clock: StageClock
    answers: dict[str, TextSaved | TextRestored] = field(default_factory=dict)
    states: dict[str, EditingState] = field(default_factory=dict)
    """With the sessions of outside agents, by scene."""

    async def save(self, given: EditingInput, order: SaveOrder, key: str) -> TextSaved:
        answer = self._carried_out(given, order, key)
        assert isinstance(answer, TextSaved)
        return answer

    async def restore(self, given: EditingInput, order: RestoreOrder, key: str) -> TextRestored:
        answer = self._carried_out(given, order, key)
        assert isinstance(answer, TextRestored)
        return answer

    async def select(self, given: EditingInput, order: SelectOrder) -> Selected:
        queued, step = self._taken(given, order)
        assert isinstance(step, SelectSceneIntent)
        answer = self.activities.select_scene_intent(step)
        self.states[given.scene] = editing.answered(queued, answer)
        return answer

    async def edit(self, given: EditingInput, order: OperationsOrder) -> OperationsApplied:
        queued, step = self._taken(given, order)
        assert isinstance(step, ApplyOperations)
        answer = self.activities.apply_operations(step)
        self.states[given.scene] = editing.answered(queued, answer)
        return answer

    def _taken(
        self, given: EditingInput, order: SelectOrder | OperationsOrder
    ) -> tuple[EditingState, editing.Step | None]:
        """As the workflow's validators and its queue take it; other agents' sessions are known."""
        state = self.states.get(given.scene, EditingState())
        if denial := editing.refusal(given, state) or editing.denial(state, order):
            raise Refused(*denial)
        queued = editing.queued(state, order)
        op_id = OpId(f"editing/{given.novel_id}/{given.scene}#{given.session}:{state.served}")
        return queued, editing.next_step(given, queued, Effect(op_id=op_id, issued_at=self.clock.now()))

    def _carried_out(self, given: EditingInput, order: EditOrder, key: str) -> TextSaved | TextRestored:
        state = editing.queued(EditingState(), order)
        effect = Effect(op_id=OpId(f"editing/{given.novel_id}/{key}"), issued_at=self.clock.now())
        step = editing.next_step(given, state, effect)
        if key not in self.answers:
            if isinstance(step, SaveText):
                self.answers[key] = self.activities.save_text(step)
            elif isinstance(step, RestoreText):
                self.answers[key] = self.activities.restore_text(step)
        return self.answers[key]


@dataclass
class RehearsedApprovals:
    """Scenes whose run waits for a person, and what the person said."""

    asked: dict[tuple[str, str], ApprovalRequest] = field(default_factory=dict)
    """By novel and scene."""
    decided: list[tuple[str, str, ApprovalDecision]] = field(default_factory=list)

    async def waiting(self, novel: BookId) -> Mapping[str, ApprovalRequest]:
        return {scene: asked for (of, scene), asked in self.asked.items() if of == novel}

    async def decide(self, novel: BookId, scene: str, decision: ApprovalDecision) -> None:
        del self.asked[novel, scene]
        self.decided.append((novel, scene, decision))


@dataclass
class RehearsedRuns:
    """Which manuscript runs, or scans, are at work; here a run has ended at once, and no scan starts."""

    at_work: dict[str, Progress] = field(default_factory=dict)
    """By ``<novel>/<scene>``."""
    ended: dict[str, ManuscriptResult] = field(default_factory=dict)
    """As ``at_work``."""

    async def start(self, given: ManuscriptInput | CitationScanInput) -> bool:
        if not isinstance(given, ManuscriptInput):
            raise _no_manuscripts()
        named = {"novel": given.novel, "scene": given.scene, "session": given.session}
        self.ended[f"{given.novel}/{given.scene}"] = ManuscriptResult(
            outcome="finished", stop="finished", **named
        )
        return True

    async def result(self, name: str) -> ManuscriptResult:
        if name not in self.ended:
            raise Refused("nothing-runs", "nothing runs on this manuscript")
        return self.ended[name]

    async def signal(self, name: str, message: Message) -> Acknowledgement:
        return Acknowledgement("session" if name in self.at_work else "nothing", heard=True)

    async def running(self) -> Mapping[str, Progress]:
        return self.at_work

    async def progress(self, name: str) -> Progress | None:
        return self.at_work.get(name)

    def __getattr__(self, name: str) -> NoReturn:
        raise _no_manuscripts()


def _no_manuscripts() -> EngineUnavailable:
    return EngineUnavailable("no-manuscripts", "no manuscript is written on this stage")


SideGiven = TypeVar("SideGiven", bound=SideRunInput)
SideResult = TypeVar("SideResult", bound=SideRunResult)


class RehearsedSideRuns(Generic[SideGiven, SideResult]):
    """Readings or plannings that end at once."""

    def __init__(self, ends: Callable[[BookId], SideResult]) -> None:
        """``ends``: makes the result of a run on a book."""
        self._ends = ends
        self.started: list[SideGiven] = []
        self.wanted: list[SideGiven] = []
        self.trouble: PenwrightError | None = None
        self.reads: dict[str, Progress] = {}
        """Those that go on, by book."""

    async def start(self, given: SideGiven) -> bool:
        if given.book_id in self.reads:
            return False
        self.started.append(given)
        return True

    async def want(self, given: SideGiven) -> None:
        if self.trouble is not None:
            raise self.trouble
        self.wanted.append(given)

    async def progress(self, name: str) -> Progress | None:
        return self.reads.get(name)

    async def running(self) -> Mapping[str, Progress]:
        return self.reads

    async def result(self, name: str) -> SideResult | None:
        return self._ends(BookId(name))

    async def signal(self, name: str, message: Message) -> Acknowledgement:
        if name not in self.reads:
            return Acknowledgement(found="nothing")
        del self.reads[name]
        return Acknowledgement(found="session", heard=True)


def _as_read(book: BookId) -> ContinuityResult:
    return ContinuityResult(outcome="completed", book_id=book, session="s", words=12, passages=1, stated=2)


@dataclass
class RehearsedSchedules:
    """Timetables in memory; every run is imagined an hour apart."""

    kept: dict[str, tuple[Timetable, bool]] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)

    async def put(
        self, given: BookSessionInput, timetable: Timetable, *, paused: bool | None = None
    ) -> Scheduled:
        _, before = self.kept.get(given.book_id, (timetable, False))
        self.kept[given.book_id] = (timetable, before if paused is None else paused)
        return self._shown(given.book_id)

    async def remove(self, subject: str) -> None:
        if self.kept.pop(subject, None) is None:
            raise Refused("not-scheduled", f"{subject!r} has no schedule")

    async def move(self, subject: str, workspace: Workspace) -> bool:
        self.places[subject] = workspace.path
        return subject in self.kept

    async def pause(self, subject: str, *, paused: bool, note: str) -> Scheduled:
        if subject not in self.kept:
            raise Refused("not-scheduled", f"{subject!r} has no schedule")
        self.kept[subject] = (self.kept[subject][0], paused)
        return self._shown(subject)

    async def find(self, subject: str) -> Scheduled | None:
        return self._shown(subject) if subject in self.kept else None

    async def all(self) -> tuple[Scheduled, ...]:
        return tuple(self._shown(subject) for subject in sorted(self.kept))

    async def upcoming(self) -> Mapping[str, Timetabled]:
        return {
            subject: Timetabled(next_run=None if paused else NOW + timedelta(hours=1), paused=paused)
            for subject, (_, paused) in self.kept.items()
        }

    def _shown(self, subject: str) -> Scheduled:
        timetable, paused = self.kept[subject]
        return Scheduled(
            subject=subject,
            rhythm=f"cron {timetable.cron}" if timetable.cron else f"every {timetable.every}",
            time_zone=timetable.time_zone,
            paused=paused,
            note="",
            next_runs=tuple(NOW + timedelta(hours=hour) for hour in range(1, 6)),
            last_result="closed",
            last_run=NOW,
            runs=(
                ScheduledRun(NOW, "written", ""),
                ScheduledRun(NOW - timedelta(hours=1), "refused", "config-missing"),
            ),
            pause_on_failure=timetable.pause_on_failure,
        )


@dataclass(frozen=True, slots=True)
class StageEngine:
    """A connection to an engine of doubles."""

    pipelines: Pipelines
    schedules: Schedules
    readings: SideRuns[ContinuityInput, ContinuityResult]
    plannings: SideRuns[PlanningInput, PlanningResult]
    manuscripts: Manuscripts
    scans: Scans
    audits: Audits
    approvals: SceneApprovals
    editors: Editors
    rounds: Rounds
    memory_runs: Runs
    trials: Trials
    agents: Any

    @property
    def agent_runs(self) -> AgentRuns:
        if self.agents is None:
            raise EngineUnavailable("no-agents", "no agent runs on this stage")
        return cast(AgentRuns, self.agents)


class StageServices:
    """Services to a stage on which everything is real but Temporal and PostgreSQL."""

    def __init__(self) -> None:
        self.clock = StageClock()
        self.store = memory_store(clock=self.clock)
        self.environment = plain_environment()
        self.drafts = Path("drafts")
        self.works = Path("works")
        self.settings: dict[str, str] = {"PENWRIGHT_HOME": "/nowhere/penwright"}
        """Variables that the settings are read from."""
        self.own_caps = Caps()
        self.findings: tuple[Finding, ...] = (Finding("git", "ok", "2.40 at /usr/bin/git"),)
        self.override_files = MemoryOverrideFiles()
        self.runs = True
        """False: the engine is down."""
        self.stdin: bytes | None = None
        self.git = self._workspaces("book")
        self.novels = self._workspaces("novel")
        self.pipelines = RehearsedPipelines(
            BookActivities(
                self.git,
                self.store.blobs,
                self.store.records,
                owner="stage",
                trace=self.store.trace,
                lore=WorkLore(self.store.worlds),
            ),
            self.clock,
        )
        self.schedules = RehearsedSchedules()
        self.manuscript_runs, self.scans = RehearsedRuns(), RehearsedRuns()
        self.audits = RehearsedAudits(self.store, self.novels)
        self.approvals = RehearsedApprovals()
        self.agents: RehearsedAgents | None = RehearsedAgents()
        self.image_model = ""
        self.rounds, self.rehearsed_deltas = RehearsedRounds(self), RehearsedDeltas()
        self.rehearsed_trials = RehearsedTrials()
        self.readings = RehearsedSideRuns[ContinuityInput, ContinuityResult](_as_read)
        self.memory_runs = RehearsedSideRuns[ContinuityInput, ContinuityResult](_as_read)
        self.plannings = RehearsedSideRuns[PlanningInput, PlanningResult](
            lambda book: PlanningResult(outcome="completed", book_id=book, session="s")
        )
        self.writing = self.manuscript_runs.at_work
        """Runs of the manuscript loop, by novel and scene."""
        self.rehearsed_editors = RehearsedEditors(
            ManuscriptTextActivities(self.novels, self.store.blobs, self.store.trace), self.clock
        )

    def defaults(self) -> PipelineDefaults:
        return PipelineDefaults(
            repo_queue="penwright-repo",
            model_queue="penwright-models",
            branch="main",
            remote="origin",
            environment=self.environment,
            drafts=self.drafts,
            works=self.works,
            image_model=self.image_model,
        )

    def workspaces(self, kind: WorkspaceKind = "book") -> Workspaces:
        return self.git if kind == "book" else self.novels

    def history(self) -> History:
        return GitHistory(self.environment)

    def documents(self) -> Documents:
        return PandocDocuments()

    def library(self, store: CommandStore) -> OwnSources:
        return own_sources(self.novels, store.passages)

    @contextmanager
    def open_store(self) -> Iterator[CommandStore]:
        self._refuse_when_down()
        yield self.store

    @asynccontextmanager
    async def engine(self) -> AsyncIterator[Engine]:
        self._refuse_when_down()
        yield self.connected()

    def connected(self) -> StageEngine:
        """The connection to the engine that does not run."""
        return StageEngine(
            pipelines=self.pipelines,
            schedules=self.schedules,
            readings=self.readings,
            plannings=self.plannings,
            manuscripts=cast(Manuscripts, self.manuscript_runs),
            scans=cast(Scans, self.scans),
            audits=self.audits,
            approvals=self.approvals,
            editors=self.rehearsed_editors,
            rounds=self.rounds,
            memory_runs=self.memory_runs,
            trials=self.rehearsed_trials,
            agents=self.agents,
        )

    @asynccontextmanager
    async def deltas(self) -> AsyncIterator[DeltaFeed]:
        self._refuse_when_down()
        yield self.rehearsed_deltas

    def register_agents(self) -> None:
        """The built-in agents only."""

    def overrides(self) -> OverrideFiles:
        return self.override_files

    def disclosure(self) -> Disclosure:
        return Disclosure({}, frozenset())

    def engine_status(self) -> Mapping[str, Any]:
        return {
            "running": True,
            "namespace": "default",
            "ui": "http://127.0.0.1:8233",
            "children": {},
            "silent": [],
        }

    def loaded(self) -> Loaded:
        return load({"PENWRIGHT_CONFIG": "", **self.settings})

    def caps(self) -> Caps:
        return self.own_caps

    def examination(self) -> Sequence[Finding]:
        return self.findings

    def incoming(self) -> BinaryIO | None:
        return None if self.stdin is None else io.BytesIO(self.stdin)

    def now(self) -> datetime:
        return self.clock.now()

    def person(self) -> str:
        return "ada"

    def web_address(self, waiting: Waiting = nullcontext) -> str:
        self._refuse_when_down()
        with waiting():
            pass
        return "http://127.0.0.1:7280"

    def book(self, path: Path) -> books.Book:
        """The book at ``path``."""
        return books.at(self, path)

    def _workspaces(self, kind: WorkspaceKind) -> GitWorkspaces:
        profile = profile_of(kind)
        return GitWorkspaces(
            clock=self.clock,
            gate=IntentGate(profile),
            recorder=LedgerRecorder("test", profile),
            profile=profile,
            registered=is_registered,
        )

    def _refuse_when_down(self) -> None:
        if not self.runs:
            hint = "run `penwright up --detach`"
            raise EngineUnavailable("engine-not-running", "no engine runs here", hint=hint)


Run = Callable[..., tuple[int, str, str]]
"""Arguments of a command line -> exit code, stdout, stderr."""


def git_in(folder: Path, *arguments: str) -> str:
    """The output of git in ``folder``."""
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()
