"""A process killed at any instant: the next attempt continues, takes effect once, and loses nothing."""

import os
import random
import signal
import threading
import time
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from penwright.ports.workspaces import GateCase
from schemas.base import Effect, OpId
from schemas.workspace import Append, Create, Denial, Modify, MutationPlan
from tests.support.books.repos import (
    ENGINE,
    KNOWN,
    Book,
    add_remote,
    clone,
    commit_all,
    git,
    make_repository,
    plan_of,
    write,
)
from tests.support.crash.system_calls import in_a_child, killed_at

LONG = os.environ.get("PENWRIGHT_SWEEP") == "long"
STRIDE = 1 if LONG else 6
KILLS = 300 if LONG else 15

pytestmark = pytest.mark.crash


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return Book(make_repository(tmp_path / "book"))


def growing(book: Book, number: int) -> MutationPlan:
    return plan_of(
        book.workspace,
        Append(path="Book.md", tail=f"\nParagraph {number}.\n", base=book.blob("Book.md")),
        Modify(path="notes.md", content=f"Note {number}.\n", base=book.blob("notes.md")),
        Create(path=f"log/{number}.md", content=f"{number}\n"),
        tag="ink-2026-03-01-08-00",
    )


def assert_sound(book: Book, effects: list[Effect]) -> None:
    trailers = git(book.folder, "log", "--format=%(trailers:key=Penwright-Op,valueonly,separator=)").split()
    assert sorted(trailers) == sorted(effect.op_id for effect in effects)
    assert book.status() == ""
    assert git(book.folder, "fsck", "--strict", "--no-dangling") == ""
    assert len(git(book.folder, "tag").split()) == len(effects)
    assert git(book.folder, "log", "--format=%s", "--grep=author's edits") == ""


def test_a_publish_killed_at_any_call_is_done_once_by_the_next(book: Book) -> None:
    effects: list[Effect] = []
    for number in count(0, STRIDE):
        effect = book.effect(f"op-{number}")
        plan = growing(book, number)
        killed = killed_at(number, partial(book.port.publish, plan, effect))
        if number % 2:
            # A sync in between must not take the half-finished worktree for a person's edit.
            book.port.sync(book.workspace, book.effect(), known=KNOWN, engine=())
        assert book.port.publish(plan, effect).outcome == "published"
        effects.append(effect)
        assert book.status() == "", number
        if not killed:
            break

    assert_sound(book, effects)
    for number in range(0, len(effects) * STRIDE, STRIDE):
        assert book.read("Book.md").count(f"Paragraph {number}.\n") == 1


def test_a_claim_killed_at_any_call_is_at_the_remote_once_by_the_next(book: Book, tmp_path: Path) -> None:
    add_remote(book.folder, tmp_path / "remote.git")
    for number in count(0, STRIDE):
        effect = book.effect(f"op-{number}")
        lock = Create(path=f"locks/{number}", content=f"{number}\n")
        book.port.publish(plan_of(book.workspace, lock, tag=f"ink-{number}"), effect)
        killed = killed_at(number, partial(book.port.claim, book.workspace, effect))
        assert book.port.claim(book.workspace, effect).outcome == "held"
        assert git(tmp_path / "remote.git", "rev-parse", "main") == book.tip()
        assert f"ink-{number}" in git(tmp_path / "remote.git", "tag")
        assert book.status() == "", number
        if not killed:
            break


@pytest.mark.long
def test_a_late_claim_killed_at_any_call_is_taken_back_by_the_next(book: Book, tmp_path: Path) -> None:
    elsewhere = clone(add_remote(book.folder, tmp_path / "remote.git"), tmp_path / "elsewhere")
    for number in count(0, STRIDE):
        effect = book.effect(f"op-{number}")
        lock = Create(path=".ink-running", content="ours\n")
        book.port.publish(plan_of(book.workspace, lock, tag=f"ink-{number}"), effect)
        write(elsewhere, {"notes.md": f"Theirs {number}.\n"})
        commit_all(elsewhere)
        git(elsewhere, "push", "-q", "origin", "main")
        killed = killed_at(number, partial(book.port.claim, book.workspace, effect))
        if book.port.find(book.workspace, effect) is not None:
            assert book.port.claim(book.workspace, effect).outcome == "lost"
        book.port.sync(book.workspace, book.effect(), known=KNOWN, engine=ENGINE)
        assert book.tip() == git(elsewhere, "rev-parse", "main"), number
        assert book.read("notes.md") == f"Theirs {number}.\n"
        assert git(book.folder, "tag") == book.status() == "", number
        if not killed:
            break


@pytest.mark.long
def test_saving_edits_killed_at_any_call_keeps_the_edit_once(book: Book) -> None:
    for number in count(0, STRIDE):
        effect = book.effect(f"save-{number}")
        write(book.folder, {"notes.md": book.read("notes.md") + f"\nBy hand {number}.\n"})
        save = partial(book.port.save_human_edits, book.workspace, effect, known=KNOWN, engine=ENGINE)
        killed = killed_at(number, save)
        book.port.save_human_edits(book.workspace, book.effect(), known=KNOWN, engine=ENGINE)
        assert book.text("notes.md").count(f"By hand {number}.") == 1
        assert book.status() == "", number
        if not killed:
            break

    assert git(book.folder, "fsck", "--strict", "--no-dangling") == ""


@pytest.mark.long
def test_a_rollback_killed_at_any_call_is_done_once_by_the_next(book: Book) -> None:
    for number in count(0, STRIDE):
        book.port.publish(growing(book, number), book.effect(f"op-{number}"))
        tip = book.tip()
        write(book.folder, {"notes.md": f"Unsaved {number}.\n"})
        effect = book.effect(f"back-{number}")
        back = partial(book.port.restore, book.workspace, effect, target=None, undo=False)
        killed = killed_at(number, back)
        restored = back()

        assert git(book.folder, "rev-parse", f"{restored.archive}^1") == tip
        assert book.text("notes.md", restored.archive) == f"Unsaved {number}.\n".rstrip()
        assert (book.tip(), book.status()) == (restored.tip, ""), number
        if not killed:
            break


def test_a_publisher_killed_at_random_instants_publishes_once(book: Book) -> None:
    chance = random.Random(7)
    effects = []
    for number in range(KILLS):
        effect, plan = book.effect(f"op-{number}"), growing(book, number)
        child = in_a_child(partial(book.port.publish, plan, effect))
        time.sleep(chance.uniform(0, 0.08))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        assert book.port.publish(plan, effect).outcome == "published"
        effects.append(effect)

    assert_sound(book, effects)


def _nothing() -> None:
    return


class Interrupting:
    """A gate during which another process acts, once."""

    def __init__(self) -> None:
        self.meanwhile: Callable[[], None] = _nothing

    def judge(self, case: GateCase) -> Denial | None:
        todo, self.meanwhile = self.meanwhile, _nothing
        todo()
        return None


def test_a_person_who_commits_between_reading_and_moving_loses_nothing(tmp_path: Path) -> None:
    gate = Interrupting()
    book = Book(make_repository(tmp_path / "book"), gate=gate)

    def commit_by_hand() -> None:
        write(book.folder, {"notes.md": "One.\n\nTwo.\n\nThree, by hand.\n"})
        git(book.folder, "commit", "-q", "-am", "By hand")

    gate.meanwhile = commit_by_hand
    plan = plan_of(
        book.workspace,
        Modify(path="notes.md", content="One!\n\nTwo.\n\nThree.\n", base=book.blob("notes.md")),
    )

    published = book.port.publish(plan, book.effect())

    assert published.reconciled
    assert book.read("notes.md") == "One!\n\nTwo.\n\nThree, by hand.\n"
    assert book.status() == ""


def test_a_zombie_attempt_that_wakes_after_its_retry_changes_nothing(tmp_path: Path) -> None:
    gate = Interrupting()
    book = Book(make_repository(tmp_path / "book"), gate=gate)
    effect, plan = book.effect("once"), growing(book, 1)
    retried = []

    def retry_without_the_lock() -> None:
        # As on a file system whose locks do not hold: the retry gets through while the zombie sleeps.
        (book.folder / ".git/penwright/lock").unlink()
        retried.append(book.port.publish(plan, effect))
        write(book.folder, {"notes.md": "A person goes on.\n"})
        git(book.folder, "commit", "-q", "-am", "By hand")

    gate.meanwhile = retry_without_the_lock

    zombie = book.port.publish(plan, effect)

    assert zombie.repeated
    assert zombie.commit == retried[0].commit
    assert book.read("notes.md") == "A person goes on.\n"
    assert book.read("Book.md").count("Paragraph 1.") == 1
    assert book.status() == ""


def test_publishers_in_parallel_take_turns(book: Book) -> None:
    def publish(number: int) -> None:
        effect = Effect(op_id=OpId(f"op-{number}"), issued_at=book.clock.present)
        book.port.publish(plan_of(book.workspace, Create(path=f"{number}.md", content="x\n")), effect)

    threads = [threading.Thread(target=publish, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert sorted(git(book.folder, "ls-files").split()) == sorted(
        [*(f"{number}.md" for number in range(6)), "Book.md", "notes.md"]
    )
    assert book.status() == ""


def test_a_persons_commit_over_a_half_seen_change_does_not_take_it_back(book: Book) -> None:
    write(book.folder, {"notes.md": "One.\n\nTwo.\n\nThree, unsaved.\n"})
    book.port.publish(
        plan_of(
            book.workspace,
            Modify(path="notes.md", content="One!\n\nTwo.\n\nThree.\n", base=book.blob("notes.md")),
        ),
        book.effect(),
    )
    git(book.folder, "commit", "-q", "-am", "By hand, without having seen the engine's change")

    book.port.sync(book.workspace, book.effect(), known=KNOWN, engine=ENGINE)

    assert book.read("notes.md") == "One!\n\nTwo.\n\nThree, unsaved.\n"
    assert book.status() == ""


def test_a_change_taken_back_unseen_survives_further_publishing(book: Book) -> None:
    base = book.blob("notes.md")
    write(book.folder, {"notes.md": "One.\n\nTwo.\n\nThree, unsaved.\n"})
    for text in ("First.\n\nOne.\n\nTwo.\n\nThree.\n", "One.\n\nTwo.\n\nSecond.\n\nThree.\n"):
        plan = plan_of(book.workspace, Modify(path="notes.md", content=text, base=base))
        assert book.port.publish(plan, book.effect()).outcome == "published"
        git(book.folder, "commit", "-q", "--allow-empty", "-am", "By hand, without having seen it")

    book.port.sync(book.workspace, book.effect(), known=KNOWN, engine=ENGINE)

    assert book.read("notes.md") == "First.\n\nOne.\n\nTwo.\n\nSecond.\n\nThree, unsaved.\n"
    assert book.status() == ""
