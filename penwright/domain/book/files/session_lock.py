"""``.ink-running``: shows that a session has the book. The real lock is the workflow id."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from penwright.domain.book.files.layout import LOCK

_UNREADABLE = "The lock file has no valid time"


@dataclass(frozen=True, slots=True)
class Lock:
    """Content of a lock file."""

    since: datetime
    session: str = ""
    owner: str = ""
    """The engine that locked the book; empty if another program wrote the file."""
    place: str = ""
    """Machine and folder of the session, as ``host:/folder``; empty if unknown."""


@dataclass(frozen=True, slots=True)
class LockVerdict:
    """Whether the book may be locked, and how old the present lock is."""

    kind: Literal["free", "ours", "stale", "active"]
    age: timedelta = timedelta()
    warning: str = ""


def write_lock(lock: Lock) -> str:
    """Return the content of a lock file."""
    since = lock.since.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    place = f"place: {lock.place}\n" if lock.place else ""
    return f"{since}\nsession: {lock.session}\nowner: {lock.owner}\n{place}"


def read_lock(text: str) -> Lock | None:
    """Parse a lock file, ours or one with a time only; None if the time is invalid."""
    lines = [line.strip() for line in text.strip().splitlines()]
    since = _time(lines[0]) if lines else None
    if since is None:
        return None
    fields = dict(line.split(": ", 1) for line in lines[1:] if ": " in line)
    return Lock(since, fields.get("session", ""), fields.get("owner", ""), fields.get("place", ""))


def judge_lock(
    text: str | None,
    *,
    session: str,
    owner: str,
    now: datetime,
    timeout_minutes: int,
    committed: datetime | None = None,
) -> LockVerdict:
    """Decide whether the book may be locked.

    Ages are whole minutes, rounded down; a session exactly at the timeout still holds the book. Another
    session of the same owner is dead, or Temporal would not have started this one. A future time is clock
    skew, accepted up to one timeout. A lock without a valid time is as old as its commit; while that is
    unknown, it holds the book.

    Args:
        committed: when the lock file was committed; needed only if it has no valid time.
    """
    if text is None:
        return LockVerdict("free")
    timeout, lock = timedelta(minutes=timeout_minutes), read_lock(text)
    if lock is None:
        return _judge_unreadable(committed, now, timeout)
    age = now - lock.since
    if session and lock.session == session:
        return LockVerdict("ours", age)
    if owner and lock.owner == owner:
        return LockVerdict("stale", age)
    if age < -timeout:
        return LockVerdict(
            "stale", age, "The lock file's time is far in the future; it was treated as stale."
        )
    return LockVerdict(_by_age(age, timeout), age)


def _judge_unreadable(committed: datetime | None, now: datetime, timeout: timedelta) -> LockVerdict:
    if committed is None:
        return LockVerdict("active", warning=f"{_UNREADABLE}, and its age is unknown; it was left alone.")
    age = now - committed
    kind = _by_age(age, timeout)
    done = "it was treated as stale" if kind == "stale" else "it was left alone"
    return LockVerdict(kind, age, f"{_UNREADABLE}; it was committed at {committed:%H:%M} UTC, {done}.")


def _by_age(age: timedelta, timeout: timedelta) -> Literal["active", "stale"]:
    return "active" if age < timeout + timedelta(minutes=1) else "stale"


def held_by(text: str, verdict: LockVerdict, *, timeout_minutes: int) -> str:
    """Return who holds a book whose lock is active, until when, and what a person can do about it."""
    lock = read_lock(text)
    minutes = max(0, int(verdict.age.total_seconds() // 60))
    if lock is None:
        who = f"the lock file {LOCK!r} has no valid time"
    else:
        place = f" in {lock.place}" if lock.place else f" of engine {lock.owner}" if lock.owner else ""
        who = f"session {lock.session or 'without a name'}{place} holds this book for {minutes} minutes"
    return (
        f"{who}; it is taken over after {timeout_minutes} minutes. Close or kill it there; "
        f"if it is gone for good, delete {LOCK!r} in the book's folder (if it is not there, `git pull` "
        "brings it) and open again"
    )


def _time(text: str) -> datetime | None:
    """Parse RFC 3339, with any number of digits after the second; None if it is invalid."""
    whole, dot, rest = text.partition(".")
    digits = len(rest) - len(rest.lstrip("0123456789"))
    fraction = f".{rest[: min(digits, 6)]:0<6}" if dot and digits else ""
    try:
        parsed = datetime.fromisoformat(whole + fraction + (rest[digits:] if dot else ""))
    except ValueError:
        return None
    if parsed.tzinfo is None:
        return parsed.replace(tzinfo=UTC)
    try:
        return parsed.astimezone(UTC)
    except OverflowError:
        return None
