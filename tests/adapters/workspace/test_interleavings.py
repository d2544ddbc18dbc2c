"""Random interleavings of people, sessions, pushes and crashes: every paragraph is there, none twice."""

import os
import tempfile
from collections import Counter
from collections.abc import Callable
from itertools import count
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from penwright.domain.text.merging.reconcile import split
from schemas.base import Effect
from schemas.workspace import Append, Modify, MutationPlan
from tests.support.books.repos import (
    ENGINE,
    KNOWN,
    Book,
    add_remote,
    clone,
    git,
    make_repository,
    plan_of,
    write,
)
from tests.support.crash.system_calls import Bomb, Crash, raise_crash

LONG = os.environ.get("PENWRIGHT_SWEEP") == "long"
FILES = ("Book.md", "notes.md")
BEGIN = "First.\n\nSecond.\n\nThird.\n"

paths = st.sampled_from(FILES)
places = st.integers(0, 4)


def with_paragraph(text: str, place: int, paragraph: str) -> str:
    """The text with one paragraph more."""
    paragraphs = [block.text for block in split(text) if block.text]
    return "\n\n".join([*paragraphs[:place], paragraph, *paragraphs[place:]]) + "\n"


class Interleavings(RuleBasedStateMachine):
    """A model of a repository: a list of the paragraphs that people and the engine have written."""

    @initialize()
    def begin(self) -> None:
        self.root = tempfile.TemporaryDirectory()
        folder = Path(self.root.name)
        self.book = Book(make_repository(folder / "book", dict.fromkeys(FILES, BEGIN)))
        add_remote(self.book.folder, folder / "remote.git")
        self.elsewhere = clone(folder / "remote.git", folder / "elsewhere")
        self.numbers = count()
        self.written: dict[str, list[str]] = {path: [] for path in FILES}
        self.unfinished: list[tuple[MutationPlan, Effect, str, str]] = []
        self.stale = {path: (BEGIN, self.book.blob(path)) for path in FILES}

    def paragraph(self, path: str, who: str) -> str:
        text = f"{who} paragraph {next(self.numbers)}."
        self.written[path].append(text)
        return text

    @rule(path=paths, place=places)
    def a_person_edits(self, path: str, place: int) -> None:
        text = with_paragraph(self.book.read(path), place, self.paragraph(path, "Unsaved"))
        write(self.book.folder, {path: text})

    @rule()
    def a_person_commits_everything(self) -> None:
        # A person removes the lock of a killed process, as git advises.
        (self.book.folder / ".git/index.lock").unlink(missing_ok=True)
        git(self.book.folder, "commit", "-q", "--allow-empty", "-am", "By hand")

    @rule(path=paths, place=places)
    def a_person_pushes_from_elsewhere(self, path: str, place: int) -> None:
        git(self.elsewhere, "pull", "-q", "--ff-only")
        text = (self.elsewhere / path).read_text()
        write(self.elsewhere, {path: with_paragraph(text, place, self.paragraph(path, "Remote"))})
        git(self.elsewhere, "commit", "-q", "-am", "Elsewhere")
        git(self.elsewhere, "push", "-q", "origin", "main")

    @rule(path=paths)
    def the_engine_reads(self, path: str) -> None:
        file = self.book.port.snapshot(self.book.workspace, [path]).files[path]
        self.stale[path] = (file.text, file.blob)

    @rule(path=paths, place=places, append=st.booleans(), crash=st.none() | st.integers(0, 60))
    def the_engine_publishes(self, path: str, place: int, append: bool, crash: int | None) -> None:
        text, base = self.stale[path]
        paragraph = self.paragraph(path, "Engine")
        operation = (
            Append(path=path, tail=f"\n{paragraph}\n", base=base)
            if append
            else Modify(path=path, content=with_paragraph(text, place, paragraph), base=base)
        )
        self.attempt(plan_of(self.book.workspace, operation), self.book.effect(), path, paragraph, crash)

    def attempt(
        self, plan: MutationPlan, effect: Effect, path: str, paragraph: str, crash: int | None
    ) -> None:
        try:
            with Bomb(10_000 if crash is None else crash, raise_crash):
                published = self.book.port.publish(plan, effect)
        except Crash:
            self.unfinished.append((plan, effect, path, paragraph))
            return
        assert published.outcome in ("published", "conflict")
        if published.outcome == "conflict":
            self.written[path].remove(paragraph)

    @rule()
    def retries_finish(self) -> None:
        for plan, effect, path, paragraph in self.unfinished:
            self.attempt(plan, effect, path, paragraph, None)
        self.unfinished = []

    @rule(crash=st.none() | st.integers(0, 60))
    def a_session_syncs(self, crash: int | None) -> None:
        self.crashing(
            crash,
            lambda: self.book.port.sync(self.book.workspace, self.book.effect(), known=KNOWN, engine=ENGINE),
        )

    @rule(crash=st.none() | st.integers(0, 60))
    def a_session_pushes(self, crash: int | None) -> None:
        self.crashing(crash, lambda: self.book.port.push(self.book.workspace, self.book.effect()))

    def crashing(self, crash: int | None, work: Callable[[], object]) -> None:
        try:
            with Bomb(10_000 if crash is None else crash, raise_crash):
                work()
        except Crash:
            return

    @invariant()
    def no_paragraph_stands_twice(self) -> None:
        if hasattr(self, "book"):
            for path in FILES:
                doubled = {text: n for text, n in self.paragraphs(path).items() if n > 1}
                assert not doubled, (path, doubled)

    def paragraphs(self, path: str) -> Counter[str]:
        return Counter(block.text for block in split(self.book.text(path) + "\n") if block.text)

    def teardown(self) -> None:
        if not hasattr(self, "book"):
            return
        self.retries_finish()
        for _ in range(2):
            self.a_session_syncs(None)
            self.a_session_pushes(None)
        for path in FILES:
            assert set(self.written[path]) <= self.paragraphs(path).keys(), path
        self.no_paragraph_stands_twice()
        assert self.book.status() == ""
        assert git(self.book.folder, "rev-parse", "origin/main") == self.book.tip()
        assert git(self.book.folder, "fsck", "--strict", "--no-dangling") == ""
        self.root.cleanup()


Interleavings.TestCase.settings = settings(
    max_examples=400 if LONG else 8,
    stateful_step_count=40 if LONG else 14,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestInterleavings = Interleavings.TestCase
