"""Sticky, cooldown and delay, counted in messages."""

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from penwright.domain.lore.index import BookIndex
from penwright.domain.text.counted import counted
from schemas.lore import LoreEntry, LoreTimer


class Timing(NamedTuple):
    """State of an entry by the clock of messages: it stays, it may not fire, or neither."""

    stays: bool = False
    outcome: Literal["", "delay", "cooldown"] = ""
    why: str = ""


def timing(entry: LoreEntry, timer: LoreTimer | None, now: int) -> Timing:
    """Ask the clock. A timer of this message or a later one counts for nothing: the same scan is made again.

    An entry with both is sticky first, then rests. Being sticky is not renewed by another key.
    """
    if now < entry.delay:
        return Timing(outcome="delay", why=f"It waits for message {entry.delay}; this is message {now}")
    since = now - timer.message if timer else 0
    if since <= 0 or since > entry.sticky + entry.cooldown:
        return Timing()
    fired = f"It fired {_messages(since)} ago"
    if since <= entry.sticky:
        return Timing(stays=True, why=f"{fired} and stays for {_messages(entry.sticky)}")
    after = f" after the {entry.sticky} for which it stayed" if entry.sticky else ""
    return Timing(outcome="cooldown", why=f"{fired} and rests for {_messages(entry.cooldown)}{after}")


def _messages(number: int) -> str:
    return counted(number, "message")


def timers_after(
    now: int,
    before: Iterable[LoreTimer],
    inserted: Iterable[tuple[str, LoreEntry]],
    indexes: Mapping[str, BookIndex],
) -> tuple[LoreTimer, ...]:
    """The timers that count from now on, by book and uid.

    Those of books that are not in the case are kept; they may come back.
    """
    after = {(each.book, each.uid): each for each in before if _counts(each, now, indexes.get(each.book))}
    for book, entry in inserted:
        if (entry.sticky or entry.cooldown) and (book, entry.uid) not in after:
            after[book, entry.uid] = LoreTimer(book=book, uid=entry.uid, message=now)
    return tuple(after[key] for key in sorted(after))


def _counts(timer: LoreTimer, now: int, index: BookIndex | None) -> bool:
    if index is None:
        return timer.message <= now
    entries = [index.entries[place] for place in index.by_uid.get(timer.uid, ())]
    return any(0 <= now - timer.message <= entry.sticky + entry.cooldown for entry in entries)
