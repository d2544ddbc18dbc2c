"""The map against the text: after any edits and moves, its sums equal the blocks present."""

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from hypothesis import given, settings
from hypothesis import strategies as st

from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.text.blocks import blocks_of
from penwright.domain.trace.intent_map.mapping import render
from penwright.domain.trace.intent_map.tallies import map_state
from penwright.domain.trace.layout import LEDGER, MAP
from penwright.domain.trace.recorder.commit_context import CommitContext, RecordCase, TextChange
from penwright.domain.trace.recorder.recording import LedgerRecorder
from schemas.base import Effect, OpId
from schemas.intents import IntentPin
from schemas.workspace import Contributor
from tests.support.sweeps import examples

BOOK, REVIEW = "Current version/Full_Book.md", "Review/current.md"
WORDS = ("tide", "harbour", "lantern", "quay", "slow", "gull", "rope", "fog", "mira", "coast", "bell", "boat")
START = datetime(2026, 3, 1, tzinfo=UTC)


def id_of(content: bytes | None) -> str | None:
    return None if content is None else hashlib.sha1(content).hexdigest()


@dataclass
class Shelf:
    """A tree in memory, the blocks of its two texts, and the recorder of all its commits."""

    files: dict[str, bytes] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=lambda: {BOOK: ["# Tide"], REVIEW: []})
    written: int = 0
    recorder: LedgerRecorder = field(default_factory=lambda: LedgerRecorder("test", BOOK_PROFILE))

    def kind(self, path: str) -> Literal["file"] | None:
        return "file" if path in self.files else None

    def content(self, path: str) -> bytes | None:
        return self.files.get(path)

    def blob(self, path: str) -> str:
        return id_of(self.files.get(path)) or ""

    def names(self, folder: str) -> tuple[str, ...]:
        start = f"{folder}/"
        return tuple({path.removeprefix(start) for path in self.files if path.startswith(start)})

    def new(self, seed: int, count: int) -> str:
        """A paragraph that occurs nowhere else."""
        self.written += 1
        return f"{self.written}. " + " ".join(WORDS[(seed * at + at * at) % 12] for at in range(1, count))

    def commit(self, by: Contributor, number: int) -> None:
        """Record the differences from the files and apply them."""
        wanted = {path: "\n\n".join(text).encode() if text else None for path, text in self.texts.items()}
        changes = {
            path: TextChange(self.files.get(path), new, id_of(self.files.get(path)), id_of(new))
            for path, new in wanted.items()
            if new != self.files.get(path)
        }
        pin = IntentPin(intent_id="INT-001", digest="") if by is Contributor.MODEL else None
        effect = Effect(op_id=OpId(f"run:{number}"), issued_at=START)
        case = RecordCase(
            context=CommitContext(effect, by, "book.close", pin=pin),
            tip=self,
            parent="0" * 40,
            branch="main",
            changes=changes,
            at=START,
        )
        recorded = self.recorder.record(case)
        assert not recorded.damage
        self.files |= recorded.files
        for path, new in wanted.items():
            self.files.pop(path, None)
            if new is not None:
                self.files[path] = new


EDITS = st.tuples(
    st.sampled_from(["write", "edit", "remove", "promote", "head", "reverse"]),
    st.sampled_from([BOOK, REVIEW]),
    st.integers(0, 30),
)
COMMITS = st.lists(
    st.tuples(st.sampled_from([Contributor.HUMAN, Contributor.MODEL]), st.lists(EDITS, max_size=3)),
    max_size=8,
)


def edit(shelf: Shelf, verb: str, path: str, at: int) -> None:
    text = shelf.texts[path]
    place = at % len(text) if text else 0
    match verb:
        case "write":
            text.insert(place, shelf.new(at, 6 + at % 9))
        case "head":
            shelf.written += 1
            text.insert(place, f"## Chapter {shelf.written}")
        case "reverse":
            text.reverse()
        case "remove" if text:
            text.pop(place)
        case "promote" if text:
            shelf.texts[BOOK].append(text.pop(place))
        case "edit" if text:
            text[place] += f" {WORDS[at % 12]}"


@settings(max_examples=examples(40))
@given(COMMITS)
def test_the_sums_of_the_map_are_the_blocks_of_the_text(
    commits: list[tuple[Contributor, list[tuple[str, str, int]]]],
) -> None:
    shelf = Shelf()
    shelf.commit(Contributor.HUMAN, 0)
    for number, (by, edits) in enumerate(commits, start=1):
        for verb, path, at in edits:
            edit(shelf, verb, path, at)
        shelf.commit(by, number)

    tallies = map_state([shelf.files[LEDGER]]).tallies()
    assert shelf.files[MAP].decode() == render(tallies, names={})
    counted: Counter[str] = Counter()
    for place, tally in tallies.items():
        counted[place.path] += tally.blocks
    standing = {path: len(blocks_of(shelf.files.get(path, b"").decode())) for path in (BOOK, REVIEW)}
    assert {path: counted[path] for path in standing} == standing


def test_a_recorder_that_starts_later_counts_what_the_first_one_counted() -> None:
    shelf = Shelf()
    shelf.texts[BOOK] += [shelf.new(3, 9), shelf.new(5, 9)]
    shelf.commit(Contributor.MODEL, 0)
    shelf.recorder = LedgerRecorder("test", BOOK_PROFILE)
    shelf.texts[BOOK].pop()
    shelf.commit(Contributor.HUMAN, 1)
    assert shelf.files[MAP].decode() == render(map_state([shelf.files[LEDGER]]).tallies(), names={})


def test_a_commit_that_lost_a_race_counts_nothing() -> None:
    shelf = Shelf()
    shelf.commit(Contributor.HUMAN, 0)
    before = dict(shelf.files)
    shelf.texts[BOOK].append(shelf.new(3, 9))
    shelf.commit(Contributor.MODEL, 1)
    won = shelf.files[MAP]

    shelf.files = dict(before)
    shelf.commit(Contributor.MODEL, 1)

    assert shelf.files[MAP] == won
