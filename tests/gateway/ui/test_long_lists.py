"""Pages of long lists show a part, read no more than it, and lead to the rest."""

import asyncio
from pathlib import Path

import pytest
from nicegui import ui
from nicegui.testing import User
from nicegui.testing.user_interaction import UserInteraction

from gateway.desk.principals import Principal
from gateway.desk.scene import creating
from gateway.desk.scene.creating import NewScene
from gateway.desk.works import books
from gateway.ui.parts.portion import SHOWN
from gateway.ui.parts.scene.playing import FEW
from gateway.ui.parts.shared.choosing import OFFERED
from penwright.ports.scenes import Kept
from schemas.lore import Lorebook
from schemas.records import BookRow
from schemas.worlds import Character, Persona, Scene, World
from tests.support.each import for_each
from tests.support.gateway.services import StageServices

MANY = SHOWN + 50


def cards_on(user: User) -> int:
    assert user.client
    return sum("card" in each.classes for each in user.client.elements.values() if each.tag == "li")


@pytest.fixture
def scenes(services: StageServices) -> list[str]:
    """Ids of more scenes than a page shows."""
    services.store.worlds.create(World(id="", name="Skerrow"))
    wishes = [NewScene(title=f"Scene {number}", world="Skerrow") for number in range(MANY)]
    return [creating.create(services, wish).scene.id for wish in wishes]


@pytest.fixture
def people(services: StageServices) -> list[str]:
    """Ids of more characters than a page shows."""
    made = [Character(id="", name=f"Keeper {number}") for number in range(MANY)]
    return [services.store.worlds.create(each).id for each in made]


@pytest.mark.parametrize(("page", "things"), [("/scenes", "scenes"), ("/worlds", "people")])
async def test_a_page_shows_the_first_of_many_and_leads_to_the_rest(
    user: User, page: str, things: str, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue(things)

    await user.open(page)

    assert cards_on(user) == SHOWN
    await user.should_see(f"1 to {SHOWN} of {MANY}")
    (more,) = user.find("Show more").elements
    await user.open(str(more.props["href"]).removeprefix("/ui"))
    assert cards_on(user) == MANY - SHOWN
    await user.should_see("Those before")
    await user.should_not_see("Show more")


async def test_a_new_scene_offers_a_few_of_many_and_finds_the_others_by_name(
    user: User, people: list[str]
) -> None:
    await user.open("/scenes/new")
    (cast,) = [each for each in user.find(ui.select).elements if each.props["label"] == "Cast"]
    last = f"Keeper {MANY - 1}"
    assert len(cast.options) == OFFERED
    assert cast.props["hint"].startswith(f"{MANY:,} in all")

    cast.value = [people[0]]
    UserInteraction(user, {cast}, None).trigger("inputValue", last)
    await until_offered(cast, last)

    assert cast.options == {people[-1]: last, people[0]: "Keeper 0"}
    assert cast.value == [people[0]]


async def test_write_offers_a_few_of_many_lorebooks_and_shows_the_one_that_was_kept(
    user: User, services: StageServices, book: Path
) -> None:
    kept = [services.store.worlds.create(Lorebook(id="", name=f"Tides {each}")).id for each in range(MANY)]
    await user.open(f"/books/{books.at(services, book).book_id}/write")
    await user.should_see("Save as my commit")
    (field,) = [each for each in user.find(ui.select).elements if each.props["label"] == "Lore"]
    await until_offered(field, "Tides 0")
    assert len(field.options) == OFFERED
    assert user.client
    (place,) = [each for each in user.client.elements.values() if "penwright-lore" in str(each.props)]

    UserInteraction(user, {place}, None).trigger("kept", "none-of-them")
    UserInteraction(user, {place}, None).trigger("kept", kept[-1])

    await until_offered(field, f"Tides {MANY - 1}")
    assert field.value == kept[-1]


async def until_offered(field: ui.select, name: str) -> None:
    for _ in range(100):
        if name in dict(field.options).values():
            return
        await asyncio.sleep(0.02)
    raise AssertionError(f"{name} was not offered")


@for_each("page", ["/", "/scenes", "/worlds", "/scenes/new"])
async def test_no_page_reads_the_whole_list(
    user: User, services: StageServices, scenes: list[str], page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed: list[str] = []
    listing = services.store.worlds.list

    def noted(kind: type[Kept], *, below: str = "") -> tuple[Kept, ...]:
        listed.append(kind.__name__)
        return listing(kind, below=below)

    monkeypatch.setattr(services.store.worlds, "list", noted)

    await user.open(page)
    await user.should_see("nothing waits", retries=20)

    assert listed == []


@for_each("page", ["/scenes?", "/worlds?kind=characters&"])
async def test_a_search_shows_what_has_the_name(
    user: User, page: str, scenes: list[str], people: list[str]
) -> None:
    await user.open(f"{page}named=249")

    assert cards_on(user) == 1
    await user.should_see("Search by name")

    await user.open(f"{page}named=nowhere%00")
    await user.should_see("Nothing here is called “nowhere”")


async def test_the_field_searches_and_keeps_the_kind(user: User, people: list[str]) -> None:
    await user.open("/worlds?kind=characters")

    user.find("Search by name").type("249").trigger("keydown.enter")

    await user.should_see("Keeper 249", retries=20)
    await user.should_not_see("Keeper 100")


@for_each("skip", ["-1", "x", "²", "9" * 40])
async def test_a_place_in_the_list_that_is_none_is_the_beginning(
    user: User, scenes: list[str], skip: str
) -> None:
    await user.open(f"/scenes?skip={skip}")

    assert cards_on(user) == SHOWN


async def test_a_place_behind_the_end_leads_back(user: User, people: list[str]) -> None:
    await user.open("/worlds?skip=9000")

    await user.should_see(f"None of {MANY}")
    await user.should_see("Those before")
    await user.should_not_see("There are no characters yet.")


async def test_a_short_list_has_neither_search_nor_links(user: User, services: StageServices) -> None:
    services.store.worlds.create(Persona(id="", name="Mira"))

    await user.open("/worlds?kind=personas")

    await user.should_see("Mira")
    await user.should_not_see("Search by name")
    await user.should_not_see("Show more")


@pytest.fixture
def gone(services: StageServices) -> int:
    """How many books are registered whose folders do not exist."""
    queue = services.defaults().repo_queue
    with services.open_store() as store:
        for number in range(MANY):
            row = BookRow(
                book_id=f"book-{number:03}", title=f"Tide {number}", path=f"/gone/{number}", queue=queue
            )
            store.records.register(row)
    return MANY


async def test_books_without_their_folders_are_shown_unread(
    user: User, gone: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[object] = []
    monkeypatch.setattr(books, "at", lambda *given, **_: read.append(given))

    await user.open("/books")

    assert (cards_on(user), read) == (SHOWN, [])
    await user.should_see(f"1 to {SHOWN} of {gone}")
    await user.should_see(f"{gone} waiting")
    await user.open("/books?named=tide%20249")
    assert cards_on(user) == 1


async def test_manuscripts_are_shown_in_part_and_searched(user: User, services: StageServices) -> None:
    for number in range(MANY):
        row = BookRow(book_id=f"n-{number:03}", kind="novel", title=f"Tide {number}", path=f"/gone/{number}")
        services.store.records.register(row)

    await user.open("/manuscripts")
    assert cards_on(user) == SHOWN
    await user.should_see(f"1 to {SHOWN} of {MANY}")

    await user.open("/manuscripts?named=TIDE%20249")
    assert cards_on(user) == 1


async def test_a_folder_that_cannot_be_looked_for_is_shown_as_gone(
    user: User, services: StageServices
) -> None:
    path, queue = f"/{'x' * 300}", services.defaults().repo_queue  # no system takes such a name
    services.store.records.register(BookRow(book_id="tide", title="Low Tide", path=path, queue=queue))

    await user.open("/books")

    await user.should_see("Low Tide")
    await user.should_see("1 waiting")


async def test_the_board_shows_the_first_of_what_waits(user: User, gone: int) -> None:
    await user.open("/?kind=book")

    assert user.client
    waits = [
        each for each in user.client.elements.values() if each.tag == "li" and "calm" not in each.classes
    ]
    shown = [each for each in waits if each.parent_slot and "waits" in each.parent_slot.parent.classes]
    assert len(shown) == SHOWN
    await user.should_see(f"{gone} waiting")
    (more,) = user.find("Show more").elements
    assert more.props["href"] == f"/ui/?kind=book&skip={SHOWN}"


@pytest.fixture
def scene(services: StageServices, people: list[str]) -> str:
    """Id of a scene with the newest of many characters in it."""
    services.store.worlds.create(World(id="", name="Skerrow"))
    wish = NewScene(title="The Quay", world="Skerrow", cast=(people[-1],))
    return creating.create(services, wish).scene.id


async def test_a_scene_offers_the_first_of_many_who_may_come(user: User, scene: str) -> None:
    await user.open(f"/scenes/{scene}")

    assert user.client
    offered = [each for each in user.client.elements.values() if getattr(each, "text", "") == "Bring in"]
    assert len(offered) == FEW
    await user.should_see(f"Keeper {MANY - 1}")
    await user.should_see(f"{MANY - 1} who may come")


async def test_another_of_many_is_brought_in_by_name(user: User, scene: str, services: StageServices) -> None:
    await user.open(f"/scenes/{scene}")

    user.find("Another, by name or id").type("keeper 240")
    user.find("Bring this one in").click()

    await user.should_see("keeper 240 is present")
    (now,) = services.store.worlds.find(Scene, scene)
    assert now.roster == (f"keeper-{MANY - 1}", "keeper-240")


class TestBound:
    """A caller with a scene of its own among many."""

    @pytest.fixture
    def principal(self) -> Principal:
        return Principal("bob", frozenset({"read"}), frozenset({"scene/scene-240"}))

    async def test_the_own_scene_is_shown_wherever_it_stands(self, user: User, scenes: list[str]) -> None:
        await user.open("/scenes")

        assert cards_on(user) == 1
        await user.should_see("Scene 240")
