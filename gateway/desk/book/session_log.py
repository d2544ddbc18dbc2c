"""The sessions of a book, from its commits and from what the store remembers."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import TypedDict

from gateway.desk.services import Services
from gateway.desk.works.books import Book
from penwright.domain.book.files.layout import CHANGELOG_FOLDER, LOCK, REVIEW, REVIEW_FOLDER, STATE
from penwright.domain.book.files.yaml_files import read_state
from penwright.domain.book.releasing import RELEASED
from penwright.domain.book.review.waiting_prose import read_waiting
from penwright.domain.trailers import MODEL, SESSION, STEP
from penwright.errors import BrokenBook
from penwright.ports.history import Commit
from schemas.records import RunRow

_TAKEN_OUT = "taken out of the book since; git keeps it"


class LogEntry(TypedDict):
    """One session."""

    session: str
    at: str
    """ISO time at which it ended, or began if it has not."""
    outcome: str
    words: int | None
    """Written by it: new ones, and those of passages that it reworked."""
    total: int | None
    """Words of the whole text after it, those that waited for review included; None without a close."""
    commit: str | None
    tag: str | None
    model: str
    cost_micros: int | None
    code: str
    """Code of what ended it, such as ``killed``; empty for a session that went well."""
    message: str
    """Reason why it ended; of a killed session, what was said with the kill."""
    stopped_by: str
    """Person who killed it."""
    recovered: str
    """File under ``Review/`` with its prose, if that could not be closed."""


def session_log(services: Services, found: Book, runs: Sequence[RunRow], limit: int) -> list[LogEntry]:
    """The last ``limit`` sessions, newest first: those that committed text, and those the store knows."""
    entries = {entry["session"]: entry for entry in _committed(services, found, limit)}
    known = {run.run.rpartition("#")[2]: run for run in runs}
    gone: dict[str, LogEntry] = {}
    if known.keys() - entries.keys():
        archived = _committed(services, found, limit, archived=True)
        gone = {entry["session"]: {**entry, "message": _TAKEN_OUT} for entry in archived}
    for session, run in known.items():
        entries[session] = _joined(entries.get(session) or gone.get(session), run, session)
    return sorted(entries.values(), key=lambda entry: entry["at"], reverse=True)[:limit]


def written_sessions(log: Sequence[LogEntry], zone: tzinfo | None = UTC) -> list[tuple[str, int]]:
    """When each session that wrote something ended, and its words; the oldest first.

    ``zone``: of the times; None: the time zone of this process.
    """
    return [(_shown(each, zone), each["words"]) for each in reversed(log) if each["words"]]


def grown_text(log: Sequence[LogEntry], zone: tzinfo | None = UTC) -> list[tuple[str, int]]:
    """When each session closed, and the words that the text had then; the oldest first."""
    return [(_shown(each, zone), each["total"]) for each in reversed(log) if each["total"] is not None]


def _shown(entry: LogEntry, zone: tzinfo | None) -> str:
    return f"{datetime.fromisoformat(entry['at']).astimezone(zone):%Y-%m-%d %H:%M}"


def last_model(services: Services, found: Book) -> str:
    """The model of the newest session that committed text; empty for an outside agent's, or if none did."""
    newest = services.history().log(found.workspace, 1, steps=("close",))
    return newest[0].trailers.get(MODEL, "") if newest else ""


def _committed(services: Services, found: Book, limit: int, *, archived: bool = False) -> list[LogEntry]:
    """Sessions that closed or released the book in a commit, newest first."""
    history, paths = services.history(), (CHANGELOG_FOLDER, REVIEW_FOLDER, LOCK)
    commits = history.log(found.workspace, limit, steps=("close", "release"), paths=paths, archived=archived)
    entries = [_entry(each) for each in commits]
    names = [f"{entry['commit']}:{path}" for entry, file in entries for path in (file, STATE, REVIEW)]
    read = history.at(found.workspace, names)
    return [_counted(entry, *read[3 * at : 3 * at + 3]) for at, (entry, _) in enumerate(entries)]


def _entry(commit: Commit) -> tuple[LogEntry, str]:
    """A session, and the file that its last commit added: its Changelog, or what it recovered."""
    closed = commit.trailers.get(STEP) == "close"
    folder = CHANGELOG_FOLDER if closed else REVIEW_FOLDER
    file = next((path for path in commit.added if path.startswith(f"{folder}/")), "")
    entry = LogEntry(
        session=commit.trailers.get(SESSION) or commit.sha[:10],
        at=commit.at.isoformat(),
        outcome="closed" if closed else "released",
        words=None,
        total=None,
        commit=commit.sha,
        tag=None,
        model=commit.trailers.get(MODEL, ""),
        cost_micros=None,
        code="",
        message="" if closed else commit.subject.removeprefix(RELEASED),
        stopped_by="",
        recovered="" if closed else file,
    )
    return entry, file


def _counted(entry: LogEntry, changelog: str | None, state: str | None, review: str | None) -> LogEntry:
    """Add what the files of a close say."""
    if entry["outcome"] != "closed":
        return entry
    words = re.search(r"^\*\*Words written:\*\* (\d+)", changelog or "", re.MULTILINE)
    tag = re.search(r"^\*\*Snapshot tag:\*\* (\S+)", changelog or "", re.MULTILINE)
    return {
        **entry,
        "words": int(words[1]) if words else None,
        "total": _total(state or "", review or ""),
        "tag": tag[1] if tag else None,
    }


def _total(state: str, review: str) -> int | None:
    """Words of the book as its state counts them, and those of the review file; None: the state is broken."""
    try:
        counted = read_state(state).counted_words
    except BrokenBook:
        return None
    return counted + read_waiting(review).words


def _joined(known: LogEntry | None, run: RunRow, session: str) -> LogEntry:
    """Join what the commit says with what only the store knows."""
    at = run.ended_at or run.started_at
    entry = known or LogEntry(
        session=session,
        at=at.astimezone(UTC).isoformat() if at else "",
        outcome=run.stage,
        words=run.words or None,
        total=None,
        commit=None,
        tag=None,
        model="",
        cost_micros=None,
        code="",
        message="",
        stopped_by="",
        recovered="",
    )
    told = run.detail
    return {
        **entry,
        "outcome": run.outcome or entry["outcome"],
        "cost_micros": run.cost_micros,
        "code": str(told.get("code", "")),
        "message": str(told.get("message") or entry["message"] or _set_aside(told)),
        "stopped_by": str(told.get("stopped_by", "")),
        "recovered": str(told.get("recovered", "") or entry["recovered"]),
    }


def _set_aside(told: Mapping[str, object]) -> str:
    """The goal of a rollback, its undo or a reset, and the archive of the text from before; else empty."""
    if not told.get("archive"):
        return ""
    to = f"back to {told['target']}, " if told.get("target") else ""
    return f"{to}what was set aside is in {told['archive']}"
