"""What a round asks of the database does not grow with the scene."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from threading import get_ident
from typing import Any

import pytest
from sqlalchemy import Engine, event

from penwright.adapters.store import open_store
from penwright.domain.scene.numbering import Numbering
from schemas.lore import Attachment, Lorebook, LoreEntry
from schemas.memory import MemoryQuery
from schemas.worlds import Scene
from tests.adapters.store.builders import AnyStore, SetClock
from tests.adapters.store.scenes.builders import a_memory, a_scene, play

pytestmark = pytest.mark.server
_SHOWN = 20
"""Messages that a prompt looks at."""


@dataclass
class Asked:
    """What this thread asked of the database; the bell of events rings in one of its own, now and then."""

    statements: int = 0
    rows: int = 0


@contextmanager
def counting() -> Iterator[Asked]:
    asked, here = Asked(), get_ident()

    def executed(connection: Any, cursor: Any, *_: Any) -> None:
        if get_ident() != here:
            return
        asked.statements += 1
        asked.rows += max(cursor.rowcount, 0)

    event.listen(Engine, "after_cursor_execute", executed)
    try:
        yield asked
    finally:
        event.remove(Engine, "after_cursor_execute", executed)


@pytest.fixture
def store(database_url: str) -> Iterator[AnyStore]:
    with closing(open_store(database_url, clock=SetClock())) as store:
        yield store


def a_round(store: AnyStore, scene: Scene, number: int) -> Asked:
    """Play a round, and read what its prompts are made of."""
    with counting() as asked:
        play(store, scene.id, f"Hello {number}.")
        store.memories.remember([a_memory(scene.id, f"Hello {number}.", round=number)], None)
        store.worlds.locate(scene.id)
        store.scenes.state(scene.id)
        store.scenes.messages(scene.id, newest=_SHOWN)
        store.scenes.round(scene.id, number)
        store.worlds.active_books(scene.id)
        query = {"scene": scene.id, "world": "coast", "character": "mira", "text": "Hello"}
        store.memories.recall(MemoryQuery.model_validate(query | {"limit": 4, "now_round": number}), None)
    return asked


@pytest.mark.long
def test_a_late_round_asks_for_as_many_statements_as_an_early_one(store: AnyStore) -> None:
    scene = a_scene(store)
    asked = [a_round(store, scene, number) for number in range(1, 61)]

    assert asked[11].statements == asked[59].statements


def test_of_messages_states_and_lore_a_late_round_reads_as_many_rows(store: AnyStore) -> None:
    scene = a_scene(store)
    for number in range(1, 61):
        with counting() as asked:
            play(store, scene.id, f"Hello {number}.")
            store.scenes.messages(scene.id, newest=_SHOWN)
            store.worlds.active_books(scene.id)
        if number == 12:
            early = asked.rows
    assert asked.rows == early


def test_numbers_of_a_late_round_read_as_many_rows_as_of_an_early_one(store: AnyStore) -> None:
    scene = a_scene(store)
    read = []
    for number in range(1, 31):
        play(store, scene.id, f"Hello {number}.")
        with counting() as asked:
            assert Numbering(store.scenes.takes(scene.id)).newest == number
        read.append(asked.rows)
    assert read[29] == read[4]


def test_the_entries_of_a_book_are_read_once_for_each_version_of_it(store: AnyStore) -> None:
    scene = a_scene(store)
    entries = tuple(LoreEntry(uid=str(each), content=f"Fact {each}.") for each in range(500))
    book = store.worlds.create(Lorebook(id="", name="Facts", entries=entries))
    store.worlds.attach(Attachment(book=book.id, level="scene", at=scene.id))
    first = store.worlds.active_books(scene.id)
    assert first == (book,)

    with counting() as asked:
        assert store.worlds.active_books(scene.id) == first
    assert asked.rows < 10

    changed = store.worlds.change(book.model_copy(update={"entries": entries[:3]}))
    assert store.worlds.active_books(scene.id) == (changed,)


def test_a_book_made_anew_under_the_same_id_is_read_anew(store: AnyStore) -> None:
    scene = a_scene(store)
    for content in ("Old.", "New."):
        book = store.worlds.create(
            Lorebook(id="facts", name="Facts", entries=(LoreEntry(uid="1", content=content),))
        )
        store.worlds.attach(Attachment(book=book.id, level="scene", at=scene.id))
        (found,) = store.worlds.active_books(scene.id)
        assert found.entries[0].content == content
        store.worlds.remove(Lorebook, book.id)
