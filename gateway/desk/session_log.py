"""The sessions of a book, from its commits and from what the store remembers."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TypedDict

from gateway.desk.books import Book
from penwright.adapters.scaffold.repository_folder import git
from penwright.domain.book.files.layout import CHANGELOG_FOLDER
from penwright.domain.trailers import MODEL, SESSION, STEP
from schemas.records import RunRow

_FORMAT = "%x1e%H%x1f%cI%x1f" + "%x1f".join(
    f"%(trailers:key={name},valueonly,separator=%x2C)" for name in (SESSION, MODEL)
)


class LogEntry(TypedDict):
    """One session."""

    session: str
    at: str
    """ISO time at which it ended, or began if it has not."""
    outcome: str
    words: int | None
    commit: str | None
    tag: str | None
    model: str
    cost_micros: int | None


def session_log(found: Book, runs: Sequence[RunRow], limit: int) -> list[LogEntry]:
    """The last ``limit`` sessions, newest first: those that committed text, and those the store knows."""
    entries = {entry["session"]: entry for entry in _committed(found, limit)}
    for run in runs:
        session = run.run.rpartition("#")[2]
        entries[session] = _joined(entries.get(session), run, session)
    return sorted(entries.values(), key=lambda entry: entry["at"], reverse=True)[:limit]


def last_model(found: Book) -> str:
    """The model of the newest session that committed text; empty for an outside agent's, or if none did."""
    newest = ("log", "--max-count=1", f"--grep=^{STEP}: close", f"--format=%(trailers:key={MODEL},valueonly)")
    branch = f"refs/heads/{found.workspace.branch}"
    return git(Path(found.workspace.path), *newest, branch, "--", check=False).strip()


def _committed(found: Book, limit: int) -> list[LogEntry]:
    said = git(
        Path(found.workspace.path),
        "log",
        f"--max-count={limit}",
        f"--grep=^{STEP}: close",
        "--name-only",
        "--diff-filter=A",
        f"--format={_FORMAT}",
        f"refs/heads/{found.workspace.branch}",
        "--",
        CHANGELOG_FOLDER,
    )
    return [_entry(record, Path(found.workspace.path)) for record in said.split("\x1e")[1:]]


def _entry(record: str, top: Path) -> LogEntry:
    facts, _, paths = record.partition("\n")
    commit, at, session, model = facts.split("\x1f")
    path = next((line for line in paths.splitlines() if line), "")
    changelog = git(top, "show", f"{commit}:{path}", check=False) if path else ""
    words = re.search(r"^\*\*Words written:\*\* (\d+)", changelog, re.MULTILINE)
    tag = re.search(r"^\*\*Snapshot tag:\*\* (\S+)", changelog, re.MULTILINE)
    return LogEntry(
        session=session or commit[:10],
        at=datetime.fromisoformat(at).astimezone(UTC).isoformat(),
        outcome="closed",
        words=int(words[1]) if words else None,
        commit=commit,
        tag=tag[1] if tag else None,
        model=model,
        cost_micros=None,
    )


def _joined(known: LogEntry | None, run: RunRow, session: str) -> LogEntry:
    """What the commit says, and beside it what only the store knows."""
    at = run.ended_at or run.started_at
    entry = known or LogEntry(
        session=session,
        at=at.astimezone(UTC).isoformat() if at else "",
        outcome=run.stage,
        words=run.words or None,
        commit=None,
        tag=None,
        model="",
        cost_micros=None,
    )
    return {**entry, "outcome": run.outcome or entry["outcome"], "cost_micros": run.cost_micros}
