"""Choosing lore from 10,000 entries for 20 KB of messages."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from penwright.domain.lore.index import LoreIndexes
from penwright.domain.lore.scanning import scan
from penwright.domain.models.token_estimate import estimate_tokens
from schemas.lore import Lorebook, LoreCase, LoreEntry
from tests.bench.report import Row, row_of, say, timed

ENTRIES, SIZE, ROUNDS = 10_000, 20_000, 30
_LOOPS = 2
"""Runs of the loop, which takes seconds."""
BUDGET_MS = 5.0
_FIRING = 100
"""Entries with a key in the messages."""
_MESSAGES = 4
_SIGNS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Pattern:
    """One entry as a loop of regular expressions has it."""

    uid: str
    keys: "re.Pattern[str]"


def run(entries: int = ENTRIES, size: int = SIZE, rounds: int = ROUNDS) -> list[Row]:
    """Scan with a kept index, and ask each entry's regular expression in turn.

    Raises:
        RuntimeError: the two found different entries.
    """
    say(f"lore: {entries:,} entries, {size:,} characters")
    case = made(entries, size)
    indexes, loop = LoreIndexes(), patterns(case.books[0])
    expected = looped(loop, case)
    costs, plain = [], []
    for number in range(rounds + 1):
        cost, found = timed(lambda: scan(case, estimate_tokens, indexes=indexes))
        if {each.uid for each in found.verdicts} != expected:
            raise RuntimeError("the scan and the loop found different entries")
        costs.extend([cost] if number else [])
        plain.extend([timed(lambda: looped(loop, case))[0]] if number < _LOOPS else [])
    label = f"scan, {entries:,} entries, {size // 1000} KB, {len(expected)} fire; a regular expression each"
    return [row_of("lore", label, costs, plain, BUDGET_MS)]


def made(entries: int, size: int) -> LoreCase:
    """A book of names, some of which stand in messages of common words."""
    chance = Random(entries)
    names = [_word(chance, 7, 12).capitalize() for _ in range(2 * entries)]
    book = Lorebook(id="land", name="Land", entries=tuple(_entry(chance, at, names) for at in range(entries)))
    common = [_word(chance, 2, 6) for _ in range(2_000)]
    words = chance.choices(common, k=size // 5)
    for at in range(min(_FIRING, entries)):
        words[at * len(words) // _FIRING] = names[2 * at * entries // _FIRING]
    text = " ".join(words)[:size]
    step = -(-len(text) // _MESSAGES)
    messages = tuple(text[start : start + step] for start in range(0, len(text), step))
    return LoreCase(books=(book,), messages=messages, message_number=_MESSAGES, seed="bench/1")


def _word(chance: Random, least: int, most: int) -> str:
    return "".join(chance.choices(_SIGNS, k=chance.randint(least, most)))


def _entry(chance: Random, at: int, names: Sequence[str]) -> LoreEntry:
    return LoreEntry(
        uid=str(at),
        title=names[2 * at],
        content=" ".join(chance.choices(names, k=40)),
        keys=(names[2 * at], f"{names[2 * at + 1]} {_word(chance, 3, 6)}"),
        order=chance.randint(0, 200),
    )


def patterns(book: Lorebook) -> list[Pattern]:
    """The keys of each entry as one expression, compiled before the clock runs."""
    return [
        Pattern(each.uid, re.compile(rf"\b(?:{'|'.join(map(re.escape, each.keys))})\b", re.IGNORECASE))
        for each in book.entries
    ]


def looped(loop: Sequence[Pattern], case: LoreCase) -> set[str]:
    """The entries whose expression matches the messages."""
    text = "\n".join(case.messages)
    return {each.uid for each in loop if each.keys.search(text)}
