"""``.ink-running``: shows that a session has the book. The real lock is the workflow id."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal


@dataclass(frozen=True, slots=True)
class Lock:
    """Content of a lock file."""

    since: datetime
    session: str = ""
    owner: str = ""
    """The engine that locked the book; empty if another program wrote the file."""


@dataclass(frozen=True, slots=True)
class LockVerdict:
    """Whether the book may be locked, and how old the present lock is."""

    kind: Literal["free", "ours", "stale", "active"]
    age: timedelta = timedelta()
    warning: str = ""


def write_lock(lock: Lock) -> str:
    """Return the content of a lock file."""
    since = lock.since.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return f"{since}\nsession: {lock.session}\nowner: {lock.owner}\n"


def read_lock(text: str) -> Lock | None:
    """Parse a lock file, ours or one with a time only; None if the time is invalid."""
    lines = [line.strip() for line in text.strip().splitlines()]
    since = _time(lines[0]) if lines else None
    if since is None:
        return None
    fields = dict(line.split(": ", 1) for line in lines[1:] if ": " in line)
    return Lock(since, fields.get("session", ""), fields.get("owner", ""))


def judge_lock(
    text: str | None, *, session: str, owner: str, now: datetime, timeout_minutes: int
) -> LockVerdict:
    """Decide whether the book may be locked.

    Ages are whole minutes, rounded down; a session exactly at the timeout still holds the book. Another
    session of the same owner is dead, or Temporal would not have started this one. A future time is clock
    skew, accepted up to one timeout.
    """
    if text is None:
        return LockVerdict("free")
    lock = read_lock(text)
    if lock is None:
        return LockVerdict("stale", warning="The lock file has no valid time; it was treated as stale.")
    age = now - lock.since
    if session and lock.session == session:
        return LockVerdict("ours", age)
    if owner and lock.owner == owner:
        return LockVerdict("stale", age)
    timeout = timedelta(minutes=timeout_minutes)
    if age < -timeout:
        return LockVerdict(
            "stale", age, "The lock file's time is far in the future; it was treated as stale."
        )
    return LockVerdict("active" if age < timeout + timedelta(minutes=1) else "stale", age)


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
