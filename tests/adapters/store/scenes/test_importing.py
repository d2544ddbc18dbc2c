"""A long chat is imported by portions: it goes on after each kill, says how far it is, and blocks nobody."""

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event, text

from gateway.desk.scene import board, changes, creating, exports, finding, imports, orders
from gateway.desk.scene.creating import NewScene
from gateway.desk.scene.exports import Form
from gateway.desk.scene.orders import RoundOptions
from penwright.adapters.store import Store, open_store
from penwright.adapters.store.scenes import adding
from penwright.errors import NotFound, PenwrightError, Refused, StoreUnavailable
from schemas.director import CastMember
from schemas.worlds import Character, Persona, Scene, World
from tests.adapters.store.builders import SetClock
from tests.adapters.store.scenes.builders import a_scene, a_turn, an_end, an_order
from tests.support.gateway.services import StageServices

pytestmark = pytest.mark.server

WISH = NewScene(title="Quay", world="skerrow")
PORTION = 3


def chat_of(rounds: int) -> bytes:
    lines: list[dict[str, Any]] = [{"user_name": "Ada", "character_name": "Ann"}]
    for number in range(1, rounds + 1):
        lines.append({"name": "Ada", "is_user": True, "mes": f"Question {number}?"})
        answer = {"name": "Ann", "is_user": False, "mes": f"Answer {number}."}
        swipes = {"swipes": [f"Answer {number}.", f"Other answer {number}."], "swipe_id": 0}
        lines.append(answer | (swipes if number % 2 else {}))
    return "\n".join(json.dumps(each) for each in lines).encode()


@pytest.fixture
def store(database_url: str, clock: SetClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setattr(imports, "PORTION", PORTION)
    with closing(open_store(database_url, clock=clock)) as store:
        store.worlds.create(World(id="", name="Skerrow"))
        yield store


@pytest.fixture
def services(store: Store, monkeypatch: pytest.MonkeyPatch) -> StageServices:
    services = StageServices()
    monkeypatch.setattr(services, "store", store)
    return services


def texts(store: Store, scene: str) -> list[list[str]]:
    said = store.scenes.messages(scene, newest=10_000)
    return [[one.text for one in each.alternatives] for each in said]


def broken_off(services: StageServices, monkeypatch: pytest.MonkeyPatch, at: int, rounds: int = 8) -> None:
    """An import that is killed while it stores this portion."""
    stored, add = [0], adding.add_rounds

    def dying(connection: Connection, *request: Any) -> Any:
        done = add(connection, *request)
        stored[0] += 1
        if stored[0] == at:
            connection.execute(text("select pg_terminate_backend(pg_backend_pid())"))
        return done

    with monkeypatch.context() as patched:
        patched.setattr(adding, "add_rounds", dying)
        with pytest.raises(StoreUnavailable):
            imports.import_chat(services, chat_of(rounds), WISH)


@pytest.mark.parametrize(("at", "stored"), [(1, 0), (2, 3), (3, 6)])
def test_the_same_import_goes_on_after_a_kill_at_any_portion_and_doubles_nothing(
    services: StageServices, store: Store, monkeypatch: pytest.MonkeyPatch, at: int, stored: int
) -> None:
    broken_off(services, monkeypatch, at)
    (left,) = store.worlds.list(Scene)
    told: list[tuple[int, int]] = []

    done = imports.import_chat(services, chat_of(8), WISH, told=lambda *now: told.append(now))

    assert left.importing is not None
    assert (left.rounds, left.importing.rounds) == (stored, 8)
    assert told == [(number, 8) for number in range(stored, 8, PORTION)]
    assert [each.id for each in store.worlds.list(Scene)] == ["quay"]
    assert [each.name for each in store.worlds.list(Character)] == ["Ann"]
    assert (done.scene.importing, done.scene.rounds, done.rounds, done.messages) == (None, 8, 8, 16)
    assert done.made == ("campaign 'skerrow'", "arc 'skerrow'", "Ann", "Ada")
    assert texts(store, "quay") == [
        words
        for number in range(1, 9)
        for words in (
            [f"Question {number}?"],
            [f"Answer {number}.", *([f"Other answer {number}."] if number % 2 else [])],
        )
    ]


def test_an_unfinished_import_is_listed_as_such_and_nothing_is_played_or_changed_in_it(
    services: StageServices, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken_off(services, monkeypatch, at=2)

    (listed,) = asyncio.run(board.board(services)).lines
    (resting,) = board.resting(store, ())
    refused = []
    for change in (
        lambda: orders.order_of(services, "quay", RoundOptions(text="Hello?")),
        lambda: changes.undo(services, "quay"),
        lambda: changes.edit(services, "quay", "1", "Another question?"),
        lambda: changes.branch(services, "quay", 1, "Elsewhere"),
        lambda: exports.written(services, "quay", "markdown"),
    ):
        with pytest.raises(Refused) as error:
            change()
        refused.append((error.value.code, error.value.details.get("hint", "")))

    assert (listed.state, listed.rounds) == ("importing", 3)
    assert listed.detail == "3 of 8 rounds of an imported chat are stored"
    assert [each.also for each in resting.attention] == ["penwright scene remove quay"]
    assert {code for code, _ in refused} == {"import-unfinished"}


def test_another_import_of_the_file_is_a_scene_of_its_own_and_leaves_the_unfinished_one(
    services: StageServices, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken_off(services, monkeypatch, at=2)

    other = imports.import_chat(services, chat_of(8), NewScene(title="Pier", world="skerrow"))

    assert (other.scene.id, other.scene.rounds) == ("pier", 8)
    assert [(each.id, each.rounds) for each in store.worlds.list(Scene)] == [("quay", 3), ("pier", 8)]


def test_an_unfinished_import_is_taken_back_and_may_begin_anew(
    services: StageServices, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken_off(services, monkeypatch, at=2)

    creating.remove(services, "quay")
    anew = imports.import_chat(services, chat_of(8), WISH)

    assert (anew.scene.id, anew.scene.rounds, len(texts(store, "quay"))) == ("quay", 8, 16)


def test_an_import_whose_scene_is_removed_meanwhile_says_so(services: StageServices, store: Store) -> None:
    def taken_back(stored: int, _: int) -> None:
        if stored:
            store.worlds.remove(Scene, "quay")

    with pytest.raises(NotFound, match="was removed while the chat was imported"):
        imports.import_chat(services, chat_of(8), WISH, told=taken_back)


def test_two_who_go_on_with_one_import_at_once_store_it_once(
    services: StageServices, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken_off(services, monkeypatch, at=2, rounds=40)
    failed: list[PenwrightError] = []

    def go_on() -> None:
        try:
            imports.import_chat(services, chat_of(40), WISH)
        except PenwrightError as error:
            failed.append(error)

    both = [threading.Thread(target=go_on) for _ in range(2)]
    for each in both:
        each.start()
    for each in both:
        each.join()

    # The later one may find nothing that is unfinished, and make a scene of its own.
    scene, *others = store.worlds.list(Scene)
    assert failed == []
    assert (scene.rounds, scene.importing, len(texts(store, scene.id))) == (40, None, 80)
    assert [each.rounds for each in others] in ([], [40])


@pytest.mark.parametrize("form", ["json", "silly-tavern"])
@pytest.mark.parametrize("known", [True, False])
def test_an_exported_scene_comes_back_with_all_who_spoke_and_heard(
    services: StageServices, store: Store, form: Form, known: bool
) -> None:
    scene = a_scene(store, "Mira", "Bo", "Cleo", persona="Ada")
    voices = [None, CastMember(id="bo", name="Bo"), CastMember(id="mira", name="Mira")]
    for voice in voices:
        order = an_order(scene.id, f"Words of {voice.name if voice else 'Ada'}.")
        opened = store.scenes.open_round(order.model_copy(update={"voice": voice}))
        hearers = ["mira", "ada"] if voice is None else ["mira", "bo"]
        store.scenes.keep_turn(a_turn(store, scene.id, opened.number, "mira", "Yes.", witnesses=hearers))
        store.scenes.close_round(an_end(scene.id, opened.number, store.scenes.state(scene.id)))
        store.worlds.change(finding.scene(store, scene.id).model_copy(update={"roster": ("mira", "bo")}))
    before, file = heard(store, scene.id), exports.written(services, scene.id, form)
    if not known:
        store.worlds.remove(Scene, scene.id)
        for id in scene.roster:
            store.worlds.remove(Character, id)
        store.worlds.remove(Persona, "ada")

    done = imports.import_chat(services, file.content, NewScene(title="Again", world="skerrow"))

    after = heard(store, done.scene.id)
    assert [each[:3] for each in after] == [each[:3] for each in before]
    assert [each[1] for each in after] == ["Ada", "Mira", "Bo", "Mira", "Mira", "Mira"]
    assert form != "json" or after == before
    assert [each.name for each in store.worlds.list(Persona)] == ["Ada"]
    names = sorted(each.name for each in store.worlds.list(Character))
    assert names == (["Bo", "Cleo", "Mira"] if known or form == "json" else ["Bo", "Mira"])


def test_a_portion_is_stored_with_few_statements(services: StageServices) -> None:
    asked: list[str] = []

    def heard(connection: object, cursor: object, statement: str, *_: object) -> None:
        asked.append(statement)

    event.listen(Engine, "before_cursor_execute", heard)
    try:
        imports.import_chat(services, chat_of(20 * PORTION), WISH)
    finally:
        event.remove(Engine, "before_cursor_execute", heard)

    assert len(asked) / 20 < 30, "whatever rounds and messages a portion has"


def heard(store: Store, scene: str) -> list[tuple[str, str, str, set[str]]]:
    """The speakers with their kind, the words, and the names of all who were present."""
    names = {each.id: each.name for each in store.worlds.list(Character)}
    names |= {each.id: each.name for each in store.worlds.list(Persona)}
    return [
        (each.speaker, names[each.speaker_id], each.text, {names[id] for id in each.witnesses})
        for each in store.scenes.messages(scene, newest=100)
    ]


def test_each_user_of_a_chat_keeps_its_words(services: StageServices, store: Store) -> None:
    lines: list[dict[str, Any]] = [{"user_name": "Ada", "character_name": "Ann"}]
    lines += [{"name": name, "is_user": True, "mes": f"I am {name}."} for name in ("Zoe", "Ada", "Zoe")]
    content = "\n".join(json.dumps(each) for each in lines).encode()

    done = imports.import_chat(services, content, WISH)

    said = store.scenes.messages(done.scene.id, newest=10)
    assert [(each.name, each.speaker_id) for each in said] == [("Zoe", "zoe"), ("Ada", "ada"), ("Zoe", "zoe")]
    assert done.scene.persona == "ada"


@pytest.mark.long
@pytest.mark.timeout(1_800)
def test_nobody_waits_a_second_beside_the_import_of_2000_rounds(
    database_url: str, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    with closing(open_store(database_url, clock=clock)) as store, ThreadPoolExecutor(1) as pool:
        services = StageServices()
        monkeypatch.setattr(services, "store", store)
        store.worlds.create(World(id="", name="Skerrow"))
        began = time.monotonic()
        importing = pool.submit(imports.import_chat, services, chat_of(2_000), WISH)
        while not importing.done():
            asked = time.monotonic()
            store.worlds.create(Character(id="", name=f"Cleo {len(waits)}"))
            waits.append(time.monotonic() - asked)
            time.sleep(0.05)
        took, done = time.monotonic() - began, importing.result()

    print(f"import: {took:.1f} s; {len(waits)} characters, longest wait {max(waits):.3f} s")
    assert (done.scene.rounds, done.scene.importing) == (2_000, None)
    assert len(waits) > 20
    assert max(waits) < 1.0
