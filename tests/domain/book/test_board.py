"""The board: the state of a book from what the store and the engine know, and what waits for a person."""

from datetime import UTC, datetime, timedelta

from penwright.domain.book.board import board_line, last_run
from penwright.domain.book.files.layout import REVIEW
from penwright.domain.book.review.closing import held_warnings
from penwright.domain.book.review.waiting_prose import read_waiting
from penwright.domain.text.conflict_notes import conflict_warning, standing_warning
from schemas.base import DISK_LOW, BookId, Progress
from schemas.board import BoardCase, Timetabled
from schemas.records import BoardEntry, BoardRow, BookRow
from tests.support.each import for_each

NOON = datetime(2026, 2, 22, 12, tzinfo=UTC)
BOOK = BookId("tide")
FROZEN = "Review/current.md line 1: close the comment. The prose from there on waits until you do."


def ending(outcome: str, code: str = "", **detail: object) -> BoardEntry:
    said = {"session": "s1", "outcome": outcome, "code": code, "message": "so it is", **detail}
    state = f"{outcome} {code}".strip()
    return BoardEntry(book_id=BOOK, about="ending", state=state, at=NOON, since=NOON, detail=said)


def push(state: str, *, hours: int = 0) -> BoardEntry:
    at = NOON + timedelta(hours=hours)
    detail = {"reason": "no route" if state == "pending" else ""}
    return BoardEntry(book_id=BOOK, about="push", state=state, at=at, since=NOON, detail=detail)


def text(*, sealed: bool = False) -> BoardEntry:
    detail = {"words": 100, "waiting": 50, "target": 900, "sealed": sealed}
    return BoardEntry(book_id=BOOK, about="text", state="open", at=NOON, since=NOON, detail=detail)


def case(*entries: BoardEntry, **known: object) -> BoardCase:
    row = BoardRow(book=BookRow(book_id=BOOK, path="/books/tide", title="Low Tide"), entries=entries)
    return BoardCase.model_validate({"row": row, **known})


def running(stage: str, *, paused: bool = False, writer: str = "built-in", detail: str = "") -> Progress:
    return Progress(
        pipeline="book-session", subject=BOOK, stage=stage, paused=paused, writer=writer, detail=detail
    )


@for_each(
    "known, state",
    [
        (case(), "idle"),
        (case(text(), ending("closed")), "idle"),
        (case(running=running("open")), "open"),
        (case(running=running("write")), "writing"),
        (case(running=running("write", writer="outside")), "open"),
        (case(running=running("push")), "writing"),
        (case(running=running("paused", paused=True)), "paused"),
        (case(running=running("approval")), "waits for approval"),
        (case(running=running("stuck")), "stuck"),
        (case(ending("refused", "config-invalid")), "refused"),
        (case(ending("failed", "model-final")), "failed"),
        (case(ending("stopped", "killed")), "killed"),
        (case(ending("stopped", "session-timeout")), "failed"),
        (case(text(sealed=True), ending("completed")), "sealed"),
        (case(text(sealed=True), ending("refused", "sealed")), "sealed"),
        (case(text(), ending("refused", "sealed")), "idle"),
        (case(text(), ending("refused", "x"), folder="gone"), "gone"),
        (case(unreadable="no commits"), "unreadable"),
        (case(ending("refused", "config-invalid"), unreadable="bad config"), "refused"),
        (case(ending("failed", "x"), running=running("write")), "writing"),
    ],
)
def test_the_state_of_a_book(known: BoardCase, state: str) -> None:
    assert board_line(known).state == state


@for_each(
    "known",
    [
        case(),
        case(text(), ending("closed"), push("pushed")),
        case(text(), ending("stopped", "killed"), push("local")),
        case(text(sealed=True), ending("completed"), push("pushed")),
        case(text(), ending("refused", "sealed")),
        case(text(), ending("closed", warnings=("left alone, not part of the book: a.pdf",))),
        case(running=running("write")),
        case(schedule=Timetabled(paused=True, note="by hand")),
        case(folder="elsewhere"),
        case(ending("failed", "x"), running=running("write")),
    ],
)
def test_a_book_that_goes_on_by_itself_needs_no_person(known: BoardCase) -> None:
    assert board_line(known).attention == ()


@for_each(
    "known, reason, command",
    [
        (
            case(running=running("paused", paused=True, detail="Paused: by a person")),
            "Paused: by a person",
            "penwright book resume tide",
        ),
        (
            case(running=running("stuck", detail="its task fails; `temporal workflow terminate …` ends it")),
            "`temporal workflow terminate …` ends it",
            "penwright logs workflows",
        ),
        (
            case(
                running=running("stuck", detail="Waits for free space").model_copy(update={"code": DISK_LOW})
            ),
            "Waits for free space",
            "penwright doctor",
        ),
        (
            case(running=running("approval", detail="Waiting for approval until 12:30 UTC: x. `…`")),
            "Waiting for approval until 12:30 UTC: x",
            "penwright intent pending tide",
        ),
        (
            case(ending("refused", "config-invalid")),
            "last session was refused 2026-02-22 12:00 UTC: so it is; "
            "`penwright book session tide` tries again",
            "penwright book doctor tide",
        ),
        (
            case(ending("refused", "no-writable-intent")),
            "`penwright book session tide` tries again",
            "penwright intent list tide",
        ),
        (
            case(ending("failed", "disk-full", recovered="Review/recovered-1.md")),
            "failed 2026-02-22 12:00 UTC: so it is; its prose is in Review/recovered-1.md",
            "penwright book log tide",
        ),
        (
            case(ending("stopped", "killed", recovered="Review/recovered-1.md")),
            "its prose is in Review/recovered-1.md",
            "penwright book log tide",
        ),
        (case(ending("closed", warnings=(FROZEN,))), FROZEN, "penwright book status tide"),
        (
            case(text(sealed=True), ending("completed", warnings=("The last 9 words were sealed.",))),
            "The last 9 words were sealed.",
            "penwright book complete tide --reviewed",
        ),
        (
            case(ending("closed"), push("pending", hours=9)),
            "not on the remote since 2026-02-22 12:00 UTC: no route",
            "penwright book doctor tide",
        ),
        (case(folder="gone"), "/books/tide is not there", "penwright book move tide NEW_FOLDER"),
        (case(config_deleted=True), "Config.yml was deleted", "penwright book restore tide"),
        (
            case(schedule=Timetabled(paused=True, note="paused after a failure")),
            "its schedule is paused: paused after a failure",
            "penwright book schedule tide --resume",
        ),
        (
            case(text(sealed=True), schedule=Timetabled(next_run=NOON)),
            "still has a schedule",
            "penwright book unschedule tide",
        ),
        (case(unreadable="no commits"), "no commits", "penwright book doctor tide"),
    ],
)
def test_what_waits_for_a_person_has_a_reason_and_a_command(
    known: BoardCase, reason: str, command: str
) -> None:
    (one,) = board_line(known).attention

    assert reason in one.reason
    assert one.command == command


def test_a_book_whose_folder_is_gone_may_be_moved_or_forgotten() -> None:
    move, forget = "penwright book move tide NEW_FOLDER", "penwright book forget tide"

    (gone,) = board_line(case(folder="gone")).attention
    (replaced,) = board_line(case(folder="gone", replaced_by="ebb-1")).attention

    assert (gone.command, gone.also) == (move, forget)
    assert (replaced.command, replaced.also) == (forget, move)
    assert replaced.reason == "its folder /books/tide holds the book ebb-1 now"


def test_a_state_that_lasts_says_since_when() -> None:
    refused = ending("refused", "config-invalid").model_copy(update={"at": NOON + timedelta(days=2)})

    (one,) = board_line(case(refused)).attention

    assert one.reason.startswith("last session was refused since 2026-02-22 12:00 UTC")


def test_a_line_has_words_cost_push_and_the_next_run() -> None:
    known = case(text(), push("pushed"), schedule=Timetabled(next_run=NOON))
    known = known.model_copy(update={"row": known.row.model_copy(update={"cost_micros": 7})})

    line = board_line(known)

    assert (line.words, line.waiting, line.target) == (100, 50, 900)
    assert (line.cost_micros, line.push, line.next_run, line.schedule) == (7, "pushed", NOON, "on")


def test_several_faulty_notes_and_a_conflict_of_one_book_are_said_once_each() -> None:
    waiting = read_waiting("One.\n\n<!-- INK: shorter ->\n\nTwo three.\n\n<!-- INK: longer ->\n\nFour.\n")
    notes = held_warnings(waiting)
    stands = f"{standing_warning(REVIEW, 11)} The prose from there on waits until you do."

    said = (conflict_warning(REVIEW), *notes, stands)
    reasons = [one.reason for one in board_line(case(ending("closed", warnings=said))).attention]

    assert reasons == [
        "2 notes in Review/current.md hold back 4 words (lines 3, 7); "
        "correct them in /books/tide/Review/current.md",
        stands,
    ]


def test_the_last_session_by_the_schedule_is_so_many_runs_away() -> None:
    nightly = Timetabled(next_run=NOON, every=timedelta(days=1))

    assert last_run(nightly, 3) == NOON + timedelta(days=2)
    assert [
        last_run(None, 3),
        last_run(nightly, 0),
        last_run(nightly.model_copy(update={"next_run": None}), 3),
    ] == [None] * 3
