"""One line of the board: the state of a book, and what in it waits for a person."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from penwright.domain.book.files.layout import outlined
from penwright.domain.book.refusal_steps import command_after
from penwright.domain.book.session_warnings import by_cause, needs_person
from penwright.domain.text.placeholders import with_names
from penwright.domain.text.words import told_length
from schemas.base import DISK_LOW, Progress
from schemas.board import Attention, BoardCase, BoardLine, BoardState, LastSession, Timetabled
from schemas.book import BookFigures
from schemas.records import BoardEntry

BY_HAND = "by hand"
"""Note of a schedule that a person paused: it waits for nothing."""

_STATES: dict[str, BoardState] = {"refused": "refused", "failed": "failed", "stopped": "killed"}


def shown_time(at: datetime) -> str:
    """Format a time for people, in UTC."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def board_line(case: BoardCase, shown: Callable[[datetime], str] = shown_time) -> BoardLine:
    """Return a book's line; nothing is read but ``case``.

    ``shown``: how a time is written in reasons.
    """
    row, last, figures = case.row, _last(case), _figures(case)
    push = row.entry("push")
    line = BoardLine(
        book_id=row.book.book_id,
        title=row.book.title,
        path=row.book.path,
        state=_state(case, last, sealed=figures.sealed),
        detail=_detail(case, last),
        words=figures.words,
        unit=figures.unit,
        waiting=figures.waiting,
        target=figures.target,
        last=last,
        next_run=case.schedule.next_run if case.schedule else None,
        sessions_left=figures.sessions_left,
        last_run=last_run(case.schedule, figures.sessions_left),
        schedule="none" if case.schedule is None else "paused" if case.schedule.paused else "on",
        cost_micros=row.cost_micros,
        unknown_prices=row.unknown_prices,
        push=push.state if push else "",
        push_since=push.since if push else None,
        push_reason=str(push.detail.get("reason", "")) if push and push.state == "pending" else "",
    )
    return line.model_copy(update={"attention": tuple(_attention(case, line, shown))})


def waiting_words(line: BoardLine) -> str:
    """Say how much waits for the author's review."""
    wait = "waits" if line.waiting == 1 else "wait"
    return f"{told_length(line.waiting, line.unit)} {wait} for your review"


def last_run(schedule: Timetabled | None, sessions: int | None) -> datetime | None:
    """When a schedule starts the last of so many sessions, about; None if it does not, or it is not known."""
    if schedule is None or schedule.next_run is None or schedule.every is None or not sessions:
        return None
    try:
        return schedule.next_run + (sessions - 1) * schedule.every
    except OverflowError:
        return None


def _last(case: BoardCase) -> LastSession | None:
    entry = case.row.entry("ending")
    if entry is None:
        return None
    return LastSession.model_validate({**entry.detail, "at": entry.at, "since": entry.since or entry.at})


def _figures(case: BoardCase) -> BookFigures:
    entry = case.row.entry("text")
    return BookFigures.model_validate(entry.detail) if entry else BookFigures(words=0)


def _state(case: BoardCase, last: LastSession | None, *, sealed: bool) -> BoardState:
    if case.running is not None:
        return state_now(case.running)
    if case.folder == "gone":
        return "gone"
    if case.unreadable and last is None:
        return "unreadable"
    if sealed:
        return "sealed"
    if last is None or _found_a_seal(last):
        return "idle"
    if last.code == "session-timeout":
        return "failed"
    return _STATES.get(last.outcome, "idle")


def _found_a_seal(last: LastSession) -> bool:
    """Whether a session was refused because the book was sealed; once it is not, that is settled."""
    return last.outcome == "refused" and last.code == "sealed"


def state_now(running: Progress) -> BoardState:
    """The state of a book that a session or another change holds."""
    if running.paused:
        return "paused"
    if running.stage == "approval":
        return "waits for approval"
    if running.stage == "stuck":
        return "stuck"
    waits_for_agent = running.stage == "write" and running.writer != "built-in"
    return "open" if waits_for_agent or running.stage in ("open", "advance") else "writing"


def _detail(case: BoardCase, last: LastSession | None) -> str:
    if case.running is not None:
        return case.running.detail
    if case.replaced_by:
        return f"its folder {case.row.book.path} holds the book {case.replaced_by} now"
    if case.folder == "gone":
        return f"its folder {case.row.book.path} is not there"
    return last.message if last else case.unreadable


def _attention(case: BoardCase, line: BoardLine, shown: Callable[[datetime], str]) -> Iterator[Attention]:
    """Collect what waits for a person, the most urgent first."""
    book = line.book_id
    yield from _now(case, line)
    if case.folder == "gone":
        yield _of_a_gone_book(case, line)
    elif line.state == "unreadable":
        yield Attention(reason=line.detail, command=f"penwright book doctor {book}")
    elif _was_emptied(case):
        init, undo = f"penwright book init {line.path!r}", f"penwright book rollback {book} --undo"
        yield Attention(reason="it was emptied by a reset", command=init, also=undo)
    elif case.config_deleted:
        reason = "its Config.yml was deleted; the last committed one is in force"
        yield Attention(reason=reason, command=f"penwright book restore {book}")
    for chapter in _figures(case).outlines_proposed:
        reason = f"an outline of {outlined(chapter)} is proposed"
        yield Attention(reason=reason, command=f"penwright book plan {book}")
    if case.folder != "gone":
        yield from _of_the_last(line, shown, busy=case.running is not None)
    if line.push == "pending" and line.push_since is not None:
        why = f": {with_names(line.push_reason, {'BOOK': book})}" if line.push_reason else ""
        reason = f"not on the remote since {shown(line.push_since)}{why}"
        yield Attention(reason=reason, command=f"penwright book doctor {book}")
    if trouble := reading_trouble(case.row.entry("reading")):
        yield Attention(reason=trouble, command=f"penwright book read {book} --again")
    yield from _of_the_schedule(case, line)


def reading_trouble(entry: BoardEntry | None) -> str:
    """Fault in the clerk's last run; empty: none, or a person has ended it."""
    if entry is None or entry.state not in ("failed", "weak"):
        return ""
    told = [str(entry.detail.get("message", "")), *map(str, entry.detail.get("warnings", ()))]
    why = next(filter(None, told), "").partition("; `")[0].rstrip(".")
    return f"the clerk failed: {why}" if entry.state == "failed" else f"the clerk reads badly: {why}"


def _was_emptied(case: BoardCase) -> bool:
    """Whether the book has no settings: one that was laid out has a length to reach."""
    return case.config_deleted and case.row.entry("text") is not None and not _figures(case).target


def _of_a_gone_book(case: BoardCase, line: BoardLine) -> Attention:
    """A folder in which another book lies now was not moved by its user."""
    move, forget = f"penwright book move {line.book_id} NEW_FOLDER", f"penwright book forget {line.book_id}"
    first, second = (forget, move) if case.replaced_by else (move, forget)
    return Attention(reason=line.detail, command=first, also=second)


def _now(case: BoardCase, line: BoardLine) -> Iterator[Attention]:
    if line.state == "paused":
        yield Attention(reason=line.detail, command=f"penwright book resume {line.book_id}")
    if line.state == "waits for approval":
        reason = line.detail.partition(". ")[0]
        yield Attention(reason=reason, command=f"penwright intent pending {line.book_id}")
    if line.state == "stuck":
        low = case.running is not None and case.running.code == DISK_LOW
        yield Attention(reason=line.detail, command="penwright doctor" if low else "penwright logs workflows")


def _of_the_last(line: BoardLine, shown: Callable[[datetime], str], *, busy: bool) -> Iterator[Attention]:
    """Collect what the newest session left behind; its end counts no more once the next one runs."""
    last, book = line.last, line.book_id
    if last is None:
        return
    kept = f"; its prose is in {last.recovered}" if last.recovered else ""
    settled = line.state == "sealed" or _found_a_seal(last)
    if last.outcome in ("refused", "failed") and not settled and not busy:
        again = f" since {shown(last.since)}" if last.since < last.at else f" {shown(last.at)}"
        refused = last.outcome == "refused"
        command = command_after(last.code, book) if refused else f"penwright book log {book}"
        retry = f"; `penwright book session {book}` tries again" if refused else ""
        ended = "was refused" if refused else "failed"
        why = (last.message or last.code).rstrip(".")
        yield Attention(reason=f"last session {ended}{again}: {why}{kept}{retry}", command=command)
    elif kept:
        reason = f"session {last.session} ended {shown(last.at)} without a close{kept}"
        yield Attention(reason=reason, command=f"penwright book log {book}")
    # Of a sealed book no later session takes them away.
    seen = "complete {} --reviewed" if line.state == "sealed" else "status {}"
    for warning in by_cause(filter(needs_person, last.warnings), line.path):
        yield Attention(reason=warning, command=f"penwright book {seen.format(book)}")


def _of_the_schedule(case: BoardCase, line: BoardLine) -> Iterator[Attention]:
    schedule, book = case.schedule, line.book_id
    if schedule is None:
        return
    if line.state == "sealed":
        reason = "it is sealed, but still has a schedule"
        yield Attention(reason=reason, command=f"penwright book unschedule {book}")
    elif schedule.paused and schedule.note != BY_HAND:
        why = f": {schedule.note}" if schedule.note else ""
        yield Attention(
            reason=f"its schedule is paused{why}", command=f"penwright book schedule {book} --resume"
        )
