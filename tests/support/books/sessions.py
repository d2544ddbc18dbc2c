"""The smallest valid values of a book session."""

from datetime import UTC, datetime

from penwright.roles.ink_session_editor.answer import EditingTask, EditorOutput
from penwright.roles.ink_writer.answer import SessionOutput
from schemas.agent_run import ChainHead, ModelAnswered
from schemas.base import BlobRef, BookId, CommitSha, Effect, OpId
from schemas.book import AdvanceReport, ClosedReport, CompleteReport
from schemas.book_errand import RestoreReport
from schemas.book_session import (
    Advanced,
    BookSessionInput,
    BookSessionState,
    Brief,
    Closed,
    Completed,
    Opened,
)
from schemas.intents import ApprovalNeed, IntentPin, Selected
from schemas.outside_session import SessionProse
from schemas.prose import CraftReport
from schemas.workspace import Pushed, Workspace

NOON = datetime(2026, 2, 22, 12, 0, tzinfo=UTC)
EFFECT = Effect(op_id=OpId("book/b#s:0"), issued_at=NOON)
PAYLOAD = BlobRef(sha256="a" * 64, size=10)
PROSE = BlobRef(sha256="b" * 64, size=10)
EDITED = BlobRef(sha256="f" * 64, size=10)


def given(**changes: object) -> BookSessionInput:
    start = BookSessionInput(book_id=BookId("b"), workspace=Workspace(path="/books/b"), session="s")
    return start.model_copy(update=changes)


def an_opening(**changes: object) -> Opened:
    opened = Opened(
        verdict="open",
        tip=CommitSha("t0"),
        payload=PAYLOAD,
        snapshot_tag="ink-2026-02-22-12-00",
        words_wanted=1500,
    )
    return opened.model_copy(update=changes)


def some_prose(**changes: object) -> SessionProse:
    return SessionProse(prose=PROSE, words=1500, summary="They met.").model_copy(update=changes)


def a_brief() -> Brief:
    task = {"language": "English", "words_wanted": 1500}
    return Brief(task=PAYLOAD, params={"SessionTask": task}, turn_tokens=4000)


def an_editors_brief() -> Brief:
    kept = {"payload": PAYLOAD, "index": PAYLOAD, "written": PROSE}
    task = EditingTask(language="English", edits=5, **kept).model_dump(mode="json")
    return Brief(task=PAYLOAD, params={"EditingTask": task}, turn_tokens=2000)


def an_edit(**changes: object) -> ModelAnswered:
    """A turn of the editor's model that changes the draft."""
    output = EditorOutput(prose=EDITED, words=1490, craft=CraftReport(), model="sharp")
    answer = output.model_copy(update=changes).model_dump(mode="json")
    return ModelAnswered(head=ChainHead(digest="sha256:e", count=2), text_at=EDITED, answer=answer)


def a_reply(**changes: object) -> ModelAnswered:
    """A turn of the writer's model that delivers."""
    output = SessionOutput(
        prose=PROSE,
        said=PROSE,
        words=1500,
        new_words=1500,
        words_wanted=1500,
        summary="They met.",
        instructions_answered=0,
        arcs_closed=False,
    )
    answer = output.model_copy(update=changes).model_dump(mode="json")
    return ModelAnswered(head=ChainHead(digest="sha256:a", count=2), text_at=PROSE, answer=answer)


def a_close(**changes: object) -> Closed:
    report = ClosedReport(
        session_word_count=1500,
        total_word_count=3000,
        target_length=90_000,
        current_chapter_word_count=1500,
        completion_ready=False,
    )
    return Closed(commit=CommitSha("c1"), report=report.model_copy(update=changes))


def a_need(**changes: object) -> ApprovalNeed:
    need = ApprovalNeed(
        plan_digest=f"sha256:{'c' * 64}",
        intent_id="INT-001",
        codes=("SCOPE_VIOLATION",),
        reasons=("'INT-001' does not own 'Soul.md'",),
        hint="keep to its scope",
        paths=("Soul.md",),
    )
    return need.model_copy(update=changes)


def a_denied_close(**changes: object) -> Closed:
    """A close that a person must allow."""
    return a_close().model_copy(update={"asks": a_need(**changes)})


def a_selection(intent: str) -> Selected:
    return Selected(pin=IntentPin(intent_id=intent, digest="sha256:now"), context="<intent_context/>")


def a_move(**changes: object) -> Advanced:
    report = AdvanceReport(status="advanced", new_chapter=2)
    return Advanced(report=report, commit=CommitSha("a1")).model_copy(update=changes)


def a_seal(status: str = "complete") -> Completed:
    report = CompleteReport.model_validate({"status": status, "total_word_count": 90_000})
    return Completed(report=report, commit=CommitSha("k1") if status == "complete" else None)


def a_restore() -> RestoreReport:
    return RestoreReport(
        status="rolled_back",
        target="ink-2026-02-22-12-00",
        archive="refs/penwright/archive/x",
        discarded_commits=2,
        commit=CommitSha("t0"),
    )


def a_push(outcome: str = "pushed") -> Pushed:
    return Pushed.model_validate({"outcome": outcome})


def state(**changes: object) -> BookSessionState:
    return BookSessionState().model_copy(update=changes)
