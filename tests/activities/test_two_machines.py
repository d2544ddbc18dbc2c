"""Two machines with engines of their own, and one book at one remote."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier

import pytest

from activities.book_session import BookActivities
from penwright.adapters.clock import SystemClock
from penwright.adapters.workspace import GitWorkspaces
from penwright.domain.book.files.layout import FULL_BOOK, LOCK
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.intents.gate import IntentGate
from penwright.domain.intents.registry import FIRST
from penwright.domain.trace.recorder.recording import LedgerRecorder
from penwright.errors import Refused
from penwright.ports.blobs import Blobs
from schemas.base import Effect, OpId
from schemas.book import SessionPayload
from schemas.book_session import CloseSession, Opened, OpenSession, PushBook, ReleaseBook
from schemas.outside_session import SessionProse
from schemas.workspace import Claimed, Workspace
from tests.support.books.repos import clone, commit_all, git, write
from tests.support.books.running_books import RunningBook, lay_out, prose_of
from tests.support.doubles.store import memory_store

ROUNDS = 20 if os.environ.get("PENWRIGHT_CRASH") == "long" else 3


@dataclass(frozen=True)
class Machine:
    """One machine: its clone of the book, its engine and its store."""

    name: str
    book: RunningBook
    blobs: Blobs
    activities: BookActivities

    def request(self, session: str, number: int, **more: object) -> dict[str, object]:
        now = datetime.now(UTC)
        return {
            "effect": Effect(op_id=OpId(f"book/{self.book.book_id}#{session}:{number}"), issued_at=now),
            "subject": self.book.book_id,
            "workspace": self.book.workspace,
            "session": session,
            **more,
        }

    def asks_to_open(self, session: str) -> OpenSession:
        return OpenSession.model_validate(self.request(session, 0, writer="built-in"))

    def opens(self, session: str) -> Opened:
        return self.activities.open_session(self.asks_to_open(session))

    def closes(self, session: str, opened: Opened) -> None:
        prose = self.blobs.put(prose_of(session).encode())
        request = self.request(
            session, 1, written=SessionProse(prose=prose), snapshot_tag=opened.snapshot_tag, pin=opened.pin
        )
        self.activities.close_session(CloseSession.model_validate(request))
        self.pushes(session)

    def releases(self, session: str) -> None:
        self.activities.release_book(ReleaseBook.model_validate(self.request(session, 1, reason="killed")))
        self.pushes(session)

    def pushes(self, session: str) -> None:
        self.activities.push_book(PushBook.model_validate(self.request(session, 2)))

    def warnings(self, opened: Opened) -> tuple[str, ...]:
        assert opened.payload is not None
        payload = SessionPayload.model_validate_json(self.blobs.get(opened.payload))
        assert payload.warnings == opened.warnings
        return payload.warnings


def machine(name: str, book: RunningBook) -> Machine:
    store = memory_store(clock=SystemClock())
    workspaces = GitWorkspaces(
        SystemClock(), IntentGate(BOOK_PROFILE), LedgerRecorder("test", BOOK_PROFILE), profile=BOOK_PROFILE
    )
    activities = BookActivities(workspaces, store.blobs, store.records, f"engine of {name}", host=name)
    return Machine(name, book, store.blobs, activities)


@pytest.fixture
def machines(tmp_path: Path) -> tuple[Machine, Machine]:
    registry = {".orchestration/active_intents.yaml": FIRST}
    book = lay_out(tmp_path / "desk", "tide", target=100_000, files=registry)
    folder = clone(book.remote, tmp_path / "laptop" / "book")
    return machine("desk", book), machine("laptop", RunningBook(folder, book.book_id))


def at_remote(machines: tuple[Machine, Machine], *what: str) -> str:
    return git(machines[0].book.remote, *what)


def test_of_two_engines_that_open_one_remote_at_once_one_has_the_book(
    machines: tuple[Machine, Machine],
) -> None:
    start = Barrier(2)

    def race(each: Machine, session: str) -> Opened:
        start.wait()
        return each.opens(session)

    with ThreadPoolExecutor(2) as both:
        for number in range(ROUNDS):
            sessions = [f"{each.name}-{number}" for each in machines]
            verdicts = list(both.map(race, machines, sessions))
            assert sorted(v.verdict for v in verdicts) == ["already-running", "open"]

            (won,) = [n for n, v in enumerate(verdicts) if v.verdict == "open"]
            winner, loser = machines[won], machines[1 - won]
            assert f"session: {sessions[won]}" in at_remote(machines, "show", f"main:{LOCK}")
            assert verdicts[won].snapshot_tag in at_remote(machines, "tag", "--list")
            assert f"{winner.name}:{winner.book.folder}" in verdicts[1 - won].message
            assert sessions[1 - won] not in loser.book.git("log", "--format=%B", "main")
            assert loser.book.git("status", "--porcelain") == ""
            winner.closes(sessions[won], verdicts[won])

    assert at_remote(machines, "log", "--format=%s", "main").count("Open session") == ROUNDS
    assert len(at_remote(machines, "tag", "--list", "ink-*").split()) == ROUNDS


def test_a_lock_is_at_the_remote_before_the_book_is_open(machines: tuple[Machine, Machine]) -> None:
    desk, laptop = machines
    opened = desk.opens("s1")

    assert opened.verdict == "open"
    assert desk.book.remote_tip == desk.book.tip
    assert laptop.opens("s2").verdict == "already-running"
    desk.closes("s1", opened)
    assert laptop.opens("s3").verdict == "open"


def test_an_opening_reads_the_voice_of_the_validated_book(tmp_path: Path) -> None:
    told = "She walked along the pier and counted the boats that were in.\n\n" * 60
    registry = {".orchestration/active_intents.yaml": FIRST, FULL_BOOK: told}
    desk = machine("desk", lay_out(tmp_path / "desk", "tide", target=100_000, files=registry))

    opened = desk.opens("s1")

    assert opened.payload is not None
    voice = SessionPayload.model_validate_json(desk.blobs.get(opened.payload)).voice
    assert voice is not None
    assert voice.sentence_words == 12
    assert set(voice.sample.split("\n\n")) == {told.split("\n\n")[0]}


def test_a_released_book_is_free_for_the_other_machine(machines: tuple[Machine, Machine]) -> None:
    desk, laptop = machines
    desk.opens("s1")
    desk.releases("s1")

    assert laptop.opens("s2").verdict == "open"


def test_an_author_who_pushed_during_the_opening_is_no_rival(machines: tuple[Machine, Machine]) -> None:
    desk, laptop = machines

    class Interrupted(GitWorkspaces):
        def claim(self, workspace: Workspace, effect: Effect) -> Claimed:
            if not (laptop.book.folder / "Global Material/Lore.md").exists():
                write(laptop.book.folder, {"Global Material/Lore.md": "# Lore\n\nSalt.\n"})
                commit_all(laptop.book.folder)
                laptop.book.git("push", "-q", "origin", "main")
            return super().claim(workspace, effect)

    workspaces = Interrupted(
        SystemClock(), IntentGate(BOOK_PROFILE), LedgerRecorder("test", BOOK_PROFILE), profile=BOOK_PROFILE
    )
    opened = replace(desk.activities, workspaces=workspaces).open_session(desk.asks_to_open("s1"))

    assert opened.verdict == "open"
    assert opened.payload is not None
    payload = SessionPayload.model_validate_json(desk.blobs.get(opened.payload))
    assert "Lore.md" in [file.filename for file in payload.global_material]
    assert desk.book.remote_tip == desk.book.tip
    assert desk.book.steps().count("open") == 1


@pytest.mark.parametrize("dies", ["before the push", "after the push"])
def test_an_opener_killed_around_its_push_opens_once(machines: tuple[Machine, Machine], dies: str) -> None:
    desk, laptop = machines

    class Killed(GitWorkspaces):
        def claim(self, workspace: Workspace, effect: Effect) -> Claimed:
            if dies == "after the push":
                super().claim(workspace, effect)
            raise KeyboardInterrupt

    request = desk.asks_to_open("s1")
    killed = Killed(
        SystemClock(), IntentGate(BOOK_PROFILE), LedgerRecorder("test", BOOK_PROFILE), profile=BOOK_PROFILE
    )
    with pytest.raises(KeyboardInterrupt):
        replace(desk.activities, workspaces=killed).open_session(request)

    opened = desk.activities.open_session(request)

    assert opened.verdict == "open"
    assert desk.book.steps().count("open") == len(desk.book.tags) == 1
    assert desk.book.remote_tip == desk.book.tip
    assert laptop.opens("s2").verdict == "already-running"


def test_a_killed_opener_whose_remote_moved_meanwhile_loses_the_race(
    machines: tuple[Machine, Machine],
) -> None:
    desk, laptop = machines

    class Killed(GitWorkspaces):
        def claim(self, workspace: Workspace, effect: Effect) -> Claimed:
            raise KeyboardInterrupt

    request = desk.asks_to_open("s1")
    killed = Killed(SystemClock(), IntentGate(BOOK_PROFILE), profile=BOOK_PROFILE)
    with pytest.raises(KeyboardInterrupt):
        replace(desk.activities, workspaces=killed).open_session(request)
    assert laptop.opens("s2").verdict == "open"

    assert desk.activities.open_session(request).verdict == "already-running"
    assert not (desk.book.folder / LOCK).exists()
    assert desk.book.steps() == []


def test_a_lock_that_a_person_deletes_frees_the_book_by_force(machines: tuple[Machine, Machine]) -> None:
    desk, laptop = machines
    opened = desk.opens("s1")
    assert laptop.opens("s2").verdict == "already-running"

    laptop.book.git("pull", "-q", "--rebase", "origin", "main")
    (laptop.book.folder / LOCK).unlink()

    assert laptop.opens("s3").verdict == "open"
    desk.pushes("s1")
    with pytest.raises(Refused, match="no active session"):
        desk.closes("s1", opened)


def test_a_dead_engine_keeps_the_book_until_its_lock_is_old(machines: tuple[Machine, Machine]) -> None:
    desk, laptop = machines
    desk.opens("s1")
    now = datetime.now(UTC)

    def later(minutes: int) -> Opened:
        request = laptop.asks_to_open(f"after-{minutes}")
        effect = request.effect.model_copy(update={"issued_at": now + timedelta(minutes=minutes)})
        return laptop.activities.open_session(request.model_copy(update={"effect": effect}))

    assert later(59).verdict == "already-running"
    assert later(62).verdict == "open"


@pytest.fixture
def hook(machines: tuple[Machine, Machine]) -> Path:
    file = machines[0].book.remote / "hooks" / "pre-receive"
    file.write_text("#!/bin/sh\necho no sessions on Sundays >&2; exit 1\n")
    file.chmod(0o755)
    return file


def test_a_remote_that_refuses_the_lock_opens_the_book_with_a_warning(
    machines: tuple[Machine, Machine], hook: Path
) -> None:
    desk, _ = machines
    opened = desk.opens("s1")

    assert opened.verdict == "open"
    (warning,) = [each for each in desk.warnings(opened) if "lock" in each]
    assert "no sessions on Sundays" in warning
    assert "another machine could open the book" in warning


def test_a_remote_that_does_not_answer_opens_the_book_with_a_warning(
    machines: tuple[Machine, Machine],
) -> None:
    desk, laptop = machines
    desk.book.remote.rename(desk.book.remote.with_name("gone.git"))
    opened = desk.opens("s1")

    assert opened.verdict == "open"
    assert any("another machine could open the book" in each for each in desk.warnings(opened))
    assert laptop.opens("s2").verdict == "open"
