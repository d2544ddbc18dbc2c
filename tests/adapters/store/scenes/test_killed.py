"""A process that dies in the middle of a change leaves nothing of it."""

import json
from contextlib import closing
from typing import Any

import pytest
from sqlalchemy import Connection, text

from gateway.desk.scene import creating, imports
from gateway.desk.scene.creating import NewScene
from penwright.adapters.store import open_store
from penwright.adapters.store.scenes import adding
from penwright.adapters.store.scenes.setting import placing
from penwright.errors import StoreUnavailable
from schemas.lore import Attachment, Lorebook, LoreEntry
from schemas.worlds import Campaign, Character, Persona, Scene, World
from tests.adapters.store.builders import SetClock
from tests.support.gateway.services import StageServices

pytestmark = pytest.mark.server


def test_an_import_that_dies_before_its_end_leaves_no_character_and_no_book(
    database_url: str, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    mira = Character(id="", name="Mira")
    tides = Lorebook(id="", name="Tides", entries=(LoreEntry(uid="a", content="Salt."),))
    stored: list[tuple[int, ...]] = []

    def die(connection: Connection, _: Attachment) -> None:
        counted = "select (select count(*) from characters), (select count(*) from lore_entries)"
        stored.append(tuple(connection.execute(text(counted)).one()))
        connection.execute(text("select pg_terminate_backend(pg_backend_pid())"))

    with closing(open_store(database_url, clock=clock)) as store:
        with monkeypatch.context() as dying:
            dying.setattr(placing, "attach", die)
            with pytest.raises(StoreUnavailable):
                store.worlds.create_with_lore(mira, tides)
        left = (store.worlds.list(Character), store.worlds.list(Lorebook))
        made, book = store.worlds.create_with_lore(mira, tides)

    assert stored == [(1, 1)]
    assert left == ((), ())
    assert (made.id, book.id) == ("mira", "tides")


def test_a_scene_that_dies_before_its_opening_is_told_is_not_there(
    database_url: str, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = Character(id="", name="Ann", first_message="Evening.", alternate_greetings=("Morning.",))
    wish = NewScene(title="Quay", world="skerrow", cast=("Ann",))

    def die(connection: Connection, *_: object) -> None:
        connection.execute(text("select pg_terminate_backend(pg_backend_pid())"))

    with closing(open_store(database_url, clock=clock)) as store:
        services = StageServices()
        monkeypatch.setattr(services, "store", store)
        store.worlds.create(World(id="", name="Skerrow"))
        store.worlds.create(ann)
        with monkeypatch.context() as dying:
            dying.setattr(adding, "add_rounds", die)
            with pytest.raises(StoreUnavailable):
                creating.create(services, wish)
        left = (store.worlds.list(Scene), store.worlds.list(Campaign))
        made = creating.create(services, wish)
        said = store.scenes.messages(made.scene.id)

    assert left == ((), ())
    assert (made.scene.id, made.opened_by) == ("quay", "Ann")
    assert [[one.text for one in each.alternatives] for each in said] == [["Evening.", "Morning."]]


CHAT = "\n".join(
    json.dumps(line)
    for line in (
        {"user_name": "Ada", "character_name": "Ann"},
        {"name": "Ada", "is_user": True, "mes": "Good evening."},
        {"name": "Ann", "is_user": False, "mes": "Evening."},
        {"name": "Ada", "is_user": True, "mes": "Cold, is it not?"},
        {"name": "Ann", "is_user": False, "mes": "It is."},
    )
)


def test_an_import_of_a_chat_that_dies_with_its_rounds_leaves_nothing(
    database_url: str, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    wish, add = NewScene(title="Quay", world="skerrow"), adding.add_rounds
    stored: list[int] = []

    def die_after_them(connection: Connection, *request: Any) -> Any:
        done = add(connection, *request)
        stored.append(connection.execute(text("select count(*) from scene_messages")).scalar_one())
        connection.execute(text("select pg_terminate_backend(pg_backend_pid())"))
        return done

    with closing(open_store(database_url, clock=clock)) as store:
        services = StageServices()
        monkeypatch.setattr(services, "store", store)
        store.worlds.create(World(id="", name="Skerrow"))
        with monkeypatch.context() as dying:
            dying.setattr(adding, "add_rounds", die_after_them)
            with pytest.raises(StoreUnavailable):
                imports.import_chat(services, CHAT.encode(), wish)
        people = (*store.worlds.list(Character), *store.worlds.list(Persona))
        left = (*store.worlds.list(Scene), *store.worlds.list(Campaign), *people)
        made = imports.import_chat(services, CHAT.encode(), wish)

    assert stored == [4]
    assert left == ()
    assert (made.scene.id, made.rounds, made.messages) == ("quay", 2, 4)
