"""The sessions of a book, from its commits and from what the store remembers."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import TypedDict

from gateway.desk.book.books import Book
from penwright.adapters.scaffold.repository_folder import git
from penwright.domain.book.files.layout import CHANGELOG_FOLDER, LOCK, REVIEW, REVIEW_FOLDER, STATE
from penwright.domain.book.files.yaml_files import read_state
from penwright.domain.book.releasing import RELEASED
from penwright.domain.book.review.waiting_prose import read_waiting
from penwright.domain.text.words import count_words
from penwright.domain.trailers import MODEL, SESSION, STEP
from penwright.errors import BrokenBook
from schemas.records import RunRow

_FORMAT = "%x1e%H%x1f%cI%x1f%s%x1f" + "%x1f".join(
    f"%(trailers:key={name},valueonly,separator=%x2C)" for name in (STEP, SESSION, MODEL)
)


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
    """Why it ended; of a killed session, what was said with the kill."""
    stopped_by: str
    """Who killed it."""
    recovered: str
    """File under ``Review/`` with its prose, if that could not be closed."""


def session_log(found: Book, runs: Sequence[RunRow], limit: int) -> list[LogEntry]:
    """The last ``limit`` sessions, newest first: those that committed text, and those the store knows."""
    entries = {entry["session"]: entry for entry in _committed(found, limit)}
    for run in runs:
        session = run.run.rpartition("#")[2]
        entries[session] = _joined(entries.get(session), run, session)
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


def last_model(found: Book) -> str:
    """The model of the newest session that committed text; empty for an outside agent's, or if none did."""
    newest = ("log", "--max-count=1", f"--grep=^{STEP}: close", f"--format=%(trailers:key={MODEL},valueonly)")
    branch = f"refs/heads/{found.workspace.branch}"
    return git(Path(found.workspace.path), *newest, branch, "--", check=False).strip()


def _committed(found: Book, limit: int) -> list[LogEntry]:
    """Sessions that closed or released the book in a commit, newest first."""
    said = git(
        Path(found.workspace.path),
        "log",
        f"--max-count={limit}",
        f"--grep=^{STEP}: close",
        f"--grep=^{STEP}: release",
        "--name-status",
        "--no-renames",
        f"--format={_FORMAT}",
        f"refs/heads/{found.workspace.branch}",
        "--",
        CHANGELOG_FOLDER,
        REVIEW_FOLDER,
        LOCK,
    )
    return [_entry(record, Path(found.workspace.path)) for record in said.split("\x1e")[1:]]


def _entry(record: str, top: Path) -> LogEntry:
    facts, _, changes = record.partition("\n")
    commit, at, subject, step, session, model = facts.split("\x1f")
    entry = LogEntry(
        session=session or commit[:10],
        at=datetime.fromisoformat(at).astimezone(UTC).isoformat(),
        outcome="closed" if step == "close" else "released",
        words=None,
        total=None,
        commit=commit,
        tag=None,
        model=model,
        cost_micros=None,
        code="",
        message="" if step == "close" else subject.removeprefix(RELEASED),
        stopped_by="",
        recovered="",
    )
    added = [line[2:] for line in changes.splitlines() if line.startswith("A\t")]
    if step != "close":
        kept = next((path for path in added if path.startswith(f"{REVIEW_FOLDER}/")), "")
        return {**entry, "recovered": kept}
    path = next((path for path in added if path.startswith(f"{CHANGELOG_FOLDER}/")), "")
    changelog = git(top, "show", f"{commit}:{path}", check=False) if path else ""
    words = re.search(r"^\*\*Words written:\*\* (\d+)", changelog, re.MULTILINE)
    tag = re.search(r"^\*\*Snapshot tag:\*\* (\S+)", changelog, re.MULTILINE)
    return {
        **entry,
        "words": int(words[1]) if words else None,
        "total": _total(top, commit),
        "tag": tag[1] if tag else None,
    }


def _total(top: Path, commit: str) -> int | None:
    """Words of the book at a close, as its state counts them, and those of the review file."""
    try:
        counted = read_state(git(top, "show", f"{commit}:{STATE}", check=False)).counted_words
    except BrokenBook:
        return None
    return counted + count_words(read_waiting(git(top, "show", f"{commit}:{REVIEW}", check=False)).text)


def _joined(known: LogEntry | None, run: RunRow, session: str) -> LogEntry:
    """What the commit says, and beside it what only the store knows."""
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
        "message": str(told.get("message", entry["message"])),
        "stopped_by": str(told.get("stopped_by", "")),
        "recovered": str(told.get("recovered", "") or entry["recovered"]),
    }
