"""``.ink-running``: the visible sign that a session has the book. The workflow id is the real lock."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal


@dataclass(frozen=True, slots=True)
class Lock:
    """What a lock file says."""

    since: datetime
    session: str = ""
    owner: str = ""
    """The engine that took the book; empty when another program wrote the file."""


@dataclass(frozen=True, slots=True)
class LockVerdict:
    """Whether the book may be taken."""

    kind: Literal["free", "ours", "stale", "active"]
    age: timedelta = timedelta()
    warning: str = ""


def write_lock(lock: Lock) -> str:
    """The file's content."""
    since = lock.since.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return f"{since}\nsession: {lock.session}\nowner: {lock.owner}\n"


def read_lock(text: str) -> Lock | None:
    """Parse a lock file, ours or one that holds a time only; None when its time cannot be read."""
    lines = [line.strip() for line in text.strip().splitlines()]
    since = _time(lines[0]) if lines else None
    if since is None:
        return None
    said = dict(line.split(": ", 1) for line in lines[1:] if ": " in line)
    return Lock(since, said.get("session", ""), said.get("owner", ""))


def judge_lock(
    text: str | None, *, session: str, owner: str, now: datetime, timeout_minutes: int
) -> LockVerdict:
    """Whose the book is.

    Ages count in whole minutes, truncated; a session as old as the timeout still has the book. Another
    session of the same owner is dead, or Temporal would not have let this one begin. A time in the future is
    a clock that runs ahead: believed for as long as one timeout.
    """
    if text is None:
        return LockVerdict("free")
    lock = read_lock(text)
    if lock is None:
        return LockVerdict("stale", warning="The lock file held no time; it was taken for a stale one.")
    age = now - lock.since
    if session and lock.session == session:
        return LockVerdict("ours", age)
    if owner and lock.owner == owner:
        return LockVerdict("stale", age)
    timeout = timedelta(minutes=timeout_minutes)
    if age < -timeout:
        return LockVerdict(
            "stale", age, "The lock file's time was far in the future; it was taken for stale."
        )
    return LockVerdict("active" if age < timeout + timedelta(minutes=1) else "stale", age)


def _time(text: str) -> datetime | None:
    """RFC 3339, any number of digits behind the second."""
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
