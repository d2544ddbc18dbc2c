"""An intent's history over a real repository, as a book goes on, is changed by hand and rolled back."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.trace.intent_history.history import history_from_ledger
from penwright.domain.trace.recorder.recording import LedgerRecorder
from schemas.intents import IntentPin
from schemas.workspace import Append, Contributor, Modify, Operation
from tests.support.books.desks import Desk
from tests.support.books.repos import ENGINE, KNOWN, plan_of


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path, recorder=LedgerRecorder("test", BOOK_PROFILE))


def publish(desk: Desk, operation: Operation, *, intent: str = "INT-003", tag: str | None = None) -> None:
    """One commit by a model, recorded under an intent."""
    pin = IntentPin(intent_id=intent, digest="sha256:0")
    plan = plan_of(desk.workspace, operation, tag=tag)
    made = plan.model_copy(update={"contributor": Contributor.MODEL, "tool": "book.close", "pin": pin})
    assert desk.port.publish(made, desk.effect()).outcome == "published"


def blob(desk: Desk) -> str:
    return desk.book.blob("notes.md")


def told(desk: Desk, intent: str = "INT-003") -> list[tuple[str | None, ...]]:
    """Block, author and state of each node."""
    with desk.port.trace(desk.workspace) as source:
        history = history_from_ledger(source, intent)
    nodes = ElementTree.fromstring(history).iter("node")
    return [(node.get("block"), node.get("by"), node.get("state")) for node in nodes]


def test_a_history_follows_the_text(desk: Desk) -> None:
    publish(desk, Append(path="notes.md", tail="\nFour stands here.\n\nFive stands here.\n", base=blob(desk)))
    publish(desk, Append(path="notes.md", tail="\nSix stands here.\n", base=blob(desk)), intent="INT-004")
    first = told(desk)
    desk.edit("notes.md", desk.book.text("notes.md").replace("Five stands here.", "A fifth one, by hand."))
    desk.port.save_human_edits(desk.workspace, desk.effect(), known=KNOWN, engine=ENGINE)

    assert first == [("p4", "ai", "present"), ("p5", "ai", "present")]
    assert told(desk) == [("p4", "ai", "present"), ("p5", "ai", "superseded")]


def test_text_that_vanished_without_a_record_is_lost(desk: Desk) -> None:
    publish(desk, Append(path="notes.md", tail="\nFour stands here.\n", base=blob(desk)))
    desk.commit("notes.md", "One.\n")

    assert told(desk) == [("p4", "ai", "lost")]


def test_text_moved_by_a_person_is_reported_as_moved(desk: Desk) -> None:
    publish(desk, Append(path="notes.md", tail="\nFour stands here.\n", base=blob(desk)))
    desk.commit("notes.md", "One.\n")
    desk.commit("Book.md", "Once.\n\nFour\nstands here.\n")

    assert told(desk) == [("p4", "ai", "moved")]


def test_a_rollback_takes_the_history_back(desk: Desk) -> None:
    publish(desk, Append(path="notes.md", tail="\nFour stands here.\n", base=blob(desk)))
    # The tag precedes the commits of the session.
    publish(desk, Modify(path="notes.md", content="Other.\n", base=blob(desk)), tag="ink-2026-03-01-0800")
    before = told(desk)
    desk.port.restore(desk.workspace, desk.effect(), target=None, undo=False)

    assert len(before) == 4
    assert told(desk) == [("p4", "ai", "present")]


def test_what_an_older_commit_brought_in_is_found_where_it_stood(desk: Desk) -> None:
    publish(desk, Append(path="notes.md", tail="\nFour stands here.\n\nFive stands here.\n", base=blob(desk)))
    publish(
        desk, Append(path="notes.md", tail="\nSix stands here.\n\nSeven stands.\n\nEight.\n", base=blob(desk))
    )
    desk.commit("notes.md", desk.book.text("notes.md").replace("Six stands here.\n\n", ""))
    desk.commit("Book.md", "Once.\n\nSix stands here.\n")
    publish(desk, Append(path="notes.md", tail="\n\nNine.\n", base=blob(desk)), intent="INT-004")

    assert told(desk) == [
        ("p6", "ai", "moved"),
        ("p7", "ai", "present"),
        ("p8", "ai", "present"),
        ("p4", "ai", "present"),
        ("p5", "ai", "present"),
    ]
