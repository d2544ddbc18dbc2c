"""Reports of the pipelines in words."""

from collections.abc import Sequence
from datetime import datetime
from shlex import quote

from gateway.cli.live import describe, money
from gateway.cli.times import minute
from gateway.cli.writers import model_lines
from gateway.desk.book.session_log import LogEntry
from gateway.desk.works.books import Book
from penwright.domain.book.beats import MOST_OPEN
from penwright.domain.book.board import last_run, state_now
from penwright.domain.book.files.changelog import EDITED, FOUND, MENDED, editing_lines, mending_lines
from penwright.domain.book.files.layout import FULL_BOOK, REVIEW
from penwright.domain.prose.rule_texts import described
from penwright.domain.refused_pushes import what_it_needs
from penwright.domain.text.counted import counted
from penwright.domain.text.words import told_length
from schemas.base import LengthUnit, Progress
from schemas.board import Timetabled
from schemas.book import AdvanceReport, BookStatus, ClosedReport, CompleteReport
from schemas.book_errand import RestoreReport
from schemas.book_session import BookSessionResult
from schemas.prose import CraftReport

_CHANGES = frozenset(
    {"advanced", "advance refused", "complete", "rolled_back", "restored", "reset", "saved", "merged"}
)
"""Outcomes by which the log tells other changes from a session."""

_MOST_FINDINGS = 5


def ending_lines(ending: BookSessionResult, folder: str) -> list[str]:
    """Lines on the end of a session; refused and failed ones are errors, told by ``told_beside`` alone."""
    if ending.outcome == "stopped":
        # A kill file and the end of the time name no one.
        by = f" by {ending.stopped_by}" if ending.stopped_by else ""
        return [f"Stopped{by}: {ending.message or 'no reason given'}.", *told_beside(ending, folder)]
    sealed = ending.completion if ending.outcome == "completed" else None
    lines = closed_lines(ending.book_id, ending.report, ending.completion) if ending.report else []
    if ending.rewritten_chapter:
        lines = [f"The new passage of chapter {ending.rewritten_chapter} is in the book."]
    if sealed:
        lines.append(complete_line(sealed))
    facts = (
        f"from tag {ending.snapshot_tag}" if ending.snapshot_tag else "",
        f"commit {ending.commit[:10]}" if ending.commit else "",
        "pushed" if ending.push == "pushed" else "",
        _cost(ending),
    )
    lines += [
        ", ".join(fact for fact in facts if fact),
        f"Read it in {folder}/{FULL_BOOK if sealed or ending.rewritten_chapter else REVIEW}.",
    ]
    if ending.rewritten_chapter and ending.commit:
        look = f"penwright book continuity {ending.book_id} --changed-by {ending.commit[:10]}"
        lines.append(f"next: `{look}` lists later passages that rest on what it changed")
    return [*lines, *told_beside(ending, folder)]


def told_beside(ending: BookSessionResult, folder: str) -> list[str]:
    """Lines about any ending: prose that was set aside, the warnings, and who wrote.

    A warning that says what the ending says itself is left out.
    """
    kept = [f"Its prose is kept in {folder}/{ending.recovered}."] if ending.recovered else []
    warnings = [each for each in ending.warnings if each != ending.message]
    return [*kept, *warning_lines(warnings), *model_lines(ending.model)]


def warning_lines(warnings: Sequence[str]) -> list[str]:
    """One line for each warning."""
    return [f"warning: {warning}" for warning in warnings]


def _cost(ending: BookSessionResult) -> str:
    """The known cost; an unknown price is not zero."""
    if not ending.cost_micros and not ending.unknown_prices:
        return ""
    return f"cost {money(ending.cost_micros, ending.unknown_prices)}"


def closed_lines(book_id: str, report: ClosedReport, completion: CompleteReport | None = None) -> list[str]:
    """Lines on a close; ``completion``: the result of the same session's attempt to seal the book."""
    asked = report.words_wanted or report.expected_words_per_session
    wanted = f" of {asked:,} wanted" if asked else ""
    # Reworked passages count as written, but are no part of what was wanted.
    wanted += ", reworked passages included" if report.instructions_answered else ""
    has = f"{report.total_word_count:,} of {report.target_length:,}{waiting(report.waiting_word_count)}, "
    has += f"this chapter {report.current_chapter_word_count:,}"
    if completion and completion.status == "complete":  # what waited is in the book now
        has = f"{completion.total_word_count:,} of {report.target_length:,}"
    lines = [f"{told_length(report.session_word_count, report.unit)} written{wanted}; the book has {has}."]
    if report.instructions_answered or report.instructions_open:
        lines.append(
            f"Instructions: {report.instructions_answered} answered, {report.instructions_open} still open."
        )
    lines += findings_lines(report.craft, book_id)
    if report.completion_ready and completion is None:
        lines.append(f"The book has reached its length; `penwright book complete {book_id}` seals it.")
    return lines


def findings_lines(craft: CraftReport, book_id: str) -> list[str]:
    """Lines on what a session's writer mended, on its editor's edits, and on what is left to find."""
    edits = [f"{MENDED}: {each}." for each in mending_lines(craft)]
    edits += [f"{EDITED}: {each}." for each in editing_lines(craft)]
    if not craft.findings:
        return [*edits, "In the new prose nothing is left to find."] if craft.mended else edits
    shown = [f"  {described(each)}" for each in craft.findings[:_MOST_FINDINGS]]
    found = f"{FOUND}, without reworked passages: {counted(len(craft.findings), 'finding')}:"
    more = len(craft.findings) - len(shown)
    rest = [f"  and {more} more: `penwright book findings {book_id}` lists them"] if more else []
    return [*edits, found, *shown, *rest]


def push_lines(since: datetime, reason: str, *, held: bool = False, told: bool = False) -> list[str]:
    """Since when the remote lacks something, why, and what helps.

    Args:
        held: a person must decide first.
        told: the reason stands elsewhere already.
    """
    why = f" ({reason})" if reason and not told else ""
    goes_on = "nothing is pushed until you decide" if held else what_it_needs(reason)
    return [f"Not on the remote since {minute(since)}{why}; {goes_on}."]


def waiting(words: int) -> str:
    """The words that are not in the book yet, to stand after those that are; empty if there are none."""
    return f" (+{words:,} waiting for your review)" if words else ""


def advance_line(report: AdvanceReport) -> str:
    if report.message:
        return report.message
    if report.status == "advanced":
        return f"Chapter {report.new_chapter} begins; its outline is {report.chapter_file}."
    if report.status == "needs_chapter_outline":
        return f"Chapter {report.chapter} has no outline yet; write {report.chapter_file} first."
    return (
        f"The chapter has {report.current_word_count} of {report.target_word_count} {report.unit}; "
        f"it may be left from {report.min_words_to_advance}."
    )


def why_not_advanced(report: AdvanceReport, book: str) -> tuple[str, str] | None:
    """Code of the refusal and what to do; None if the book advanced."""
    match report.status:
        case "advanced":
            return None
        case "needs_chapter_outline":
            return "needs-chapter-outline", f"write {report.chapter_file!r} and run the command again"
        case "chapter_not_ready":
            return "chapter-not-ready", f"`penwright book session {book}` writes on"
        case "error":
            return (
                "last-chapter",
                f"`penwright book complete {book}` seals the book when it is long enough",
            )


def why_not_complete(report: CompleteReport, book: str) -> tuple[str, str] | None:
    """Code of the refusal and what to do; None if the book is sealed."""
    match report.status:
        case "complete":
            return None
        case "needs_revision" if not (report.current_review and report.current_review.instructions):
            return "needs-revision", "see to it in Review/current.md, then run the command again"
        case "needs_revision":
            return (
                "needs-revision",
                f"`penwright book session {book}` answers instructions; to do without, delete them in "
                "Review/current.md",
            )
        case "not_ready":
            return "not-ready", f"`penwright book session {book}` writes on, `--early` seals it as it is"


def complete_line(report: CompleteReport) -> str:
    if report.status == "complete":
        return f"The book is sealed at {told_length(report.total_word_count, report.unit)}."
    if report.status == "needs_revision":
        count = len(report.current_review.instructions) if report.current_review else 0
        return report.message or f"Open: {counted(count, 'instruction')}; the next session answers them."
    return report.message or "The book is too short to be sealed; `--early` seals it all the same."


def restore_lines(report: RestoreReport, book: str) -> list[str]:
    """Lines on a rollback, its undo or a reset, and how to take it back."""
    done = {
        "rolled_back": f"Rolled back to {report.target}",
        "restored": f"Brought back {report.target}",
        "reset": "Emptied the book",
        "accepted": f"Went on from {report.target} without what it lost",
        "published": f"What {report.target} lost is published again",
    }
    # Publishing merges what the remote has besides, and so moves on from the commit of the report.
    now = "" if report.status == "published" else f"; it is now at {report.commit[:10]}"
    lines = [f"{done[report.status]}{now}."]
    if report.discarded_commits:
        lines.append(f"{counted(report.discarded_commits, 'commit')} set aside.")
    if report.kept_commits:
        lines.append(f"On top, as they were made since: {counted(report.kept_commits, 'commit')}.")
    if report.gone_with:
        files = ", ".join(report.gone_with)
        lines.append(f"Passages that the session wrote and people changed went with it: {files}.")
    if report.saved_unsaved:
        lines.append(f"The archive has unsaved edits as they were: {', '.join(report.saved_unsaved)}.")
    if report.archive:
        lines.append(f"Archive: {report.archive}")
    if report.archive and report.status != "restored":
        lines.append(f"`penwright book rollback {quote(book)} --undo` brings it back.")
    if report.status == "reset":
        lines.append(f"`penwright book init {quote(book)}` lays the book out again.")
    return lines


def status_lines(
    stands: BookStatus,
    book: Book,
    progress: Progress | None,
    trouble: str,
    *,
    schedule: Timetabled | None = None,
) -> list[str]:
    """The status of a book.

    Args:
        trouble: why its session is unknown.
        schedule: that of the book; None if it has none, or if it is not known.
    """
    held = "a session holds it" if stands.session_active else "idle"
    state = state_now(progress) if progress else "complete" if stands.complete else held
    share = 100 * stands.total_word_count // max(1, stands.target_length)
    lines = [
        f"{book.title} ({stands.book_id}): {state}",
        f"  {stands.total_word_count:,} of {stands.target_length:,} {stands.unit} ({share} %)"
        f"{waiting(stands.waiting_word_count)}",
        f"  chapter {stands.current_chapter}: {stands.current_chapter_word_count:,} of "
        f"{stands.chapter_length:,} {stands.unit}{_moving_on(stands, book.words)}",
    ]
    if stands.beats_open:
        more = " or more" if len(stands.beats_open) == MOST_OPEN else ""
        lines.append(f"  open in its outline: {counted(len(stands.beats_open), 'beat')}{more}")
    if not stands.complete:
        lines.append(f"  {_sessions_left(stands, schedule)}")
    if schedule and schedule.paused:
        lines.append(f"  its schedule is paused{_because(schedule)}; {_resumed(stands.book_id)}")
    if stands.completion_ready and not stands.complete:
        lines.append("  long enough: the next session may seal it; a larger target_length prevents that")
    if stands.open_instructions:
        lines.append(f"  for the next session: {counted(stands.open_instructions, 'instruction')}")
    if stands.edited:
        lines.append(
            f"  read as edited in the folder, which the next session saves: {', '.join(stands.edited)}"
        )
    if stands.last_tag:
        lines.append(f"  last session began at {stands.last_tag}")
    if stands.push_pending and stands.push_since:
        lines += [
            f"  {line}"
            for line in push_lines(stands.push_since, stands.push_reason, held=bool(stands.remote_lost))
        ]
    if progress is not None:
        resumes = f"penwright book resume {stands.book_id}"
        lines.append(f"  now: {describe(progress, resumes=resumes)}")
    elif trouble:
        lines.append(f"  {trouble}")
    return lines + [f"  {line}" for line in (*warning_lines(stands.warnings), *model_lines(stands.model))]


def _sessions_left(stands: BookStatus, schedule: Timetabled | None) -> str:
    if stands.sessions_left is None:
        return "how many sessions are left is not known: it has over 110 % of its target_length"
    last = last_run(schedule, stands.sessions_left)
    by = f"; by the schedule the last one is about {minute(last)[:10]}" if last else ""
    return f"{counted(stands.sessions_left, 'session')} left{by}"


def _because(schedule: Timetabled) -> str:
    return f" ({schedule.note})" if schedule.note else ""


def _resumed(book_id: str) -> str:
    return f"`penwright book schedule {book_id} --resume` starts it again"


def _moving_on(stands: BookStatus, book: str) -> str:
    """Say how to leave a chapter that is long enough, to stand after its words."""
    if not stands.chapter_close_suggested or stands.complete:
        return ""
    if not stands.next_outline:
        return "; it is the last one"
    way = (
        f"`penwright book plan {book} --accept`"
        if stands.outlines_proposed
        else f"write {stands.next_outline!r}"
    )
    first = f"{way}, then " if stands.next_outline_missing else ""
    return f"; {first}`penwright book advance {book}` moves on"


def log_lines(book: str, entries: Sequence[LogEntry], unit: LengthUnit) -> list[str]:
    """One line per session, and a second one for what ended it or where its prose lies."""
    if not entries:
        return [f"No session yet; `penwright book session {book}` writes the first."]
    return [line for entry in entries for line in (_log_line(entry, unit), *_log_reason(entry))]


def _log_reason(entry: LogEntry) -> list[str]:
    who = f"by {entry['stopped_by']}" if entry["stopped_by"] else ""
    why = ": ".join(part for part in (who, entry["message"]) if part)
    kept = f"its prose is in {entry['recovered']}" if entry["recovered"] else ""
    said = "; ".join(part for part in (why, kept) if part)
    return [f"    {said}"] if said else []


def _log_line(entry: LogEntry, unit: LengthUnit) -> str:
    # Such a change writes nothing, so its words are not missing.
    nothing = "" if entry["outcome"] in _CHANGES else "no text"
    words = told_length(entry["words"], unit) if entry["words"] is not None else nothing
    cost = money(entry["cost_micros"]) if entry["cost_micros"] else ""
    at = minute(entry["at"]) if entry["at"] else ""
    facts = (
        f"{at:20}  {entry['outcome'].replace('_', ' '):11}  {words:>13}",
        (entry["commit"] or "")[:10],
        entry["tag"] or "",
        entry["model"],
        cost,
    )
    return "  ".join(fact for fact in facts if fact).rstrip()
