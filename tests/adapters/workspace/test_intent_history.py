"""An intent's history over a real repository and each index, as a book goes on, is rolled back and merged."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.trace.intent_history.history import history_from_index, history_from_ledger
from penwright.domain.trace.recorder.recording import LedgerRecorder
from schemas.intents import IntentPin
from schemas.workspace import Append, Contributor, Modify, Operation
from tests.adapters.store.builders import AnyStore
from tests.support.books.desks import GitDesk
from tests.support.books.repos import ENGINE, KNOWN, plan_of

BOOK = "lamp"


@pytest.fixture
def desk(tmp_path: Path) -> GitDesk:
    return GitDesk(tmp_path, recorder=LedgerRecorder("test", BOOK_PROFILE))


def publish(desk: GitDesk, operation: Operation, *, intent: str = "INT-003", tag: str | None = None) -> None:
    """One commit by a model, recorded under an intent."""
    pin = IntentPin(intent_id=intent, digest="sha256:0")
    plan = plan_of(desk.workspace, operation, tag=tag)
    made = plan.model_copy(update={"contributor": Contributor.MODEL, "tool": "book.close", "pin": pin})
    assert desk.port.publish(made, desk.effect()).outcome == "published"


def blob(desk: GitDesk) -> str:
    return desk.book.blob("notes.md")


def told(desk: GitDesk, store: AnyStore, intent: str = "INT-003") -> list[tuple[str | None, ...]]:
    """Block and state of each node; the index, the ledger and a rebuilt index say the same."""
    with desk.port.trace(desk.workspace) as source:
        by_index = history_from_index(source, store.trace, BOOK, intent)
        store.trace.forget(BOOK)
        assert by_index == history_from_ledger(source, intent)
        assert by_index == history_from_index(source, store.trace, BOOK, intent)
    nodes = ElementTree.fromstring(by_index).iter("node")
    return [(node.get("block"), node.get("by"), node.get("state")) for node in nodes]


def test_a_history_follows_the_text(desk: GitDesk, store: AnyStore) -> None:
    publish(desk, Append(path="notes.md", tail="\nFour stands here.\n\nFive stands here.\n", base=blob(desk)))
    publish(desk, Append(path="notes.md", tail="\nSix stands here.\n", base=blob(desk)), intent="INT-004")
    first = told(desk, store)
    desk.edit("notes.md", desk.book.text("notes.md").replace("Five stands here.", "A fifth one, by hand."))
    desk.port.save_human_edits(desk.workspace, desk.effect(), known=KNOWN, engine=ENGINE)

    assert first == [("p4", "ai", "present"), ("p5", "ai", "present")]
    assert told(desk, store) == [("p4", "ai", "present"), ("p5", "ai", "superseded")]


def test_text_that_vanished_without_a_record_is_lost(desk: GitDesk, store: AnyStore) -> None:
    publish(desk, Append(path="notes.md", tail="\nFour stands here.\n", base=blob(desk)))
    desk.commit("notes.md", "One.\n")

    assert told(desk, store) == [("p4", "ai", "lost")]


def test_text_moved_by_a_person_is_reported_as_moved(desk: GitDesk, store: AnyStore) -> None:
    publish(desk, Append(path="notes.md", tail="\nFour stands here.\n", base=blob(desk)))
    desk.commit("notes.md", "One.\n")
    desk.commit("Book.md", "Once.\n\nFour\nstands here.\n")

    assert told(desk, store) == [("p4", "ai", "moved")]


def test_a_rollback_takes_the_history_back(desk: GitDesk, store: AnyStore) -> None:
    publish(desk, Append(path="notes.md", tail="\nFour stands here.\n", base=blob(desk)))
    # The tag precedes the commits of the session.
    publish(desk, Modify(path="notes.md", content="Other.\n", base=blob(desk)), tag="ink-2026-03-01-0800")
    before = told(desk, store)
    desk.port.restore(desk.workspace, desk.effect(), target=None, undo=False)

    assert len(before) == 4
    assert told(desk, store) == [("p4", "ai", "present")]
