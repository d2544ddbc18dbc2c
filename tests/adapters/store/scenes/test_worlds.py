"""The contract of ``Worlds``."""

import pytest

from penwright.errors import NotFound, Refused, UsageMistake
from penwright.ports.portions import Portion
from schemas.base import BookId
from schemas.lore import Attachment, Lorebook, LoreEntry
from schemas.scene import SceneState
from schemas.worlds import Arc, Campaign, Character, Notes, Override, Persona, Scene, World
from tests.adapters.store.builders import AnyStore
from tests.adapters.store.builders import a_book as a_work
from tests.adapters.store.scenes.builders import a_scene, an_end, an_order
from tests.support.each import for_each


def a_book(*uids: str, name: str = "Tides", content: str = "Salt.") -> Lorebook:
    entries = tuple(LoreEntry(uid=uid, content=content, keys=(uid,)) for uid in uids)
    return Lorebook(id="", name=name, entries=entries)


def test_an_id_is_made_from_the_name_and_is_unique(store: AnyStore) -> None:
    names = ["The Harbour!", "the  harbour", "Ольга 3", "灯台", "?!", "Harbour\u00a0Ⅷ"]

    made = [store.worlds.create(World(id="", name=name)).id for name in names]

    assert made == ["the-harbour", "the-harbour-2", "ольга-3", "灯台", "world", "harbour-viii"]


def test_no_character_and_persona_have_one_id_as_witnesses_are_known_by_theirs(store: AnyStore) -> None:
    persona = store.worlds.create(Persona(id="", name="Mira"))
    character = store.worlds.create(Character(id="", name="Mira"))
    other = store.worlds.create(Persona(id="", name="Mira"))

    assert (persona.id, character.id, other.id) == ("mira", "mira-2", "mira-3")
    assert store.worlds.create(World(id="", name="Mira")).id == "mira"


def test_what_was_created_is_read_back_whole(store: AnyStore) -> None:
    character = Character(
        id="",
        name="Mira",
        secrets="\x00 é ☕ \\u0000 '\"\n",
        tags=("a", "b"),
        extensions={"z": 1, "a": {"deep": [None, 1.5, "x"]}},
    )

    made = store.worlds.create(character)

    assert made == character.model_copy(update={"id": "mira"})
    assert store.worlds.read(Character, "mira") == made
    assert list(made.extensions) == ["z", "a"]


def test_nothing_is_created_below_what_is_not_there(store: AnyStore) -> None:
    scene = a_scene(store)
    with pytest.raises(NotFound, match="world 'mars'"):
        store.worlds.create(Campaign(id="", world="mars", name="x"))
    with pytest.raises(NotFound, match="campaign 'mars'"):
        store.worlds.create(Arc(id="", campaign="mars", name="x"))
    orphans = [
        (Scene(id="", arc="mars", title="x"), "no-such-arc"),
        (Scene(id="", arc=scene.arc, title="x", persona="mars"), "no-such-persona"),
        (Scene(id="", arc=scene.arc, title="x", roster=("mars",)), "no-such-character"),
    ]

    for orphan, code in orphans:
        with pytest.raises(NotFound) as caught:
            store.worlds.create(orphan)
        assert caught.value.code == code
    assert [one.id for one in store.worlds.list(Scene)] == [scene.id]


@for_each("name", ["", "  ", "a\nb", "a\x00b", "x" * 301])
def test_a_name_that_no_list_can_show_is_refused(store: AnyStore, name: str) -> None:
    with pytest.raises(UsageMistake) as caught:
        store.worlds.create(World(id="", name=name))

    assert caught.value.code == "bad-name"


def test_what_belongs_to_worlds_is_counted_and_read_by_world(store: AnyStore) -> None:
    sea, hill = (store.worlds.create(World(id="", name=name)).id for name in ("Sea", "Hill"))
    for world, name in ((sea, "One"), (sea, "Two"), (hill, "Three")):
        store.worlds.create(Campaign(id="", world=world, name=name))

    assert store.worlds.counts(Campaign, [sea, "nowhere"]) == {sea: 2}
    assert store.worlds.counts(World, [sea]) == {}
    found, count = store.worlds.part(Campaign, Portion(9, above=[hill]))
    assert ([each.name for each in found], count) == (["Three"], 1)


def test_a_number_that_json_cannot_say_is_refused(store: AnyStore) -> None:
    with pytest.raises(UsageMistake) as caught:
        store.worlds.create(Character(id="", name="Mira", extensions={"weight": float("nan")}))

    assert caught.value.code == "unstorable-value"
    assert store.worlds.list(Character) == ()


@pytest.fixture
def four(store: AnyStore) -> None:
    for name in ("Mira", "Bob", "100% true", "Mirabel"):
        store.worlds.create(Character(id="", name=name))


@pytest.mark.usefixtures("four")
@for_each(
    "portion, ids, count",
    [
        (Portion(2), ["mira", "bob"], 4),
        (Portion(2, skip=2), ["100-true", "mirabel"], 4),
        (Portion(9, skip=9), [], 4),
        (Portion(1, named=" MIRA"), ["mira"], 2),
        (Portion(9, named="0%"), ["100-true"], 1),
        (Portion(9, named="_"), [], 0),
        (Portion(9, among=["bob", "mirabel", "nobody"]), ["bob", "mirabel"], 2),
        (Portion(9, among=[]), [], 0),
        (Portion(9, called="mirA "), ["mira"], 1),
        (Portion(2, after=""), ["100-true", "bob"], 4),
        (Portion(2, after="bob"), ["mira", "mirabel"], 2),
        (Portion(9, after="mirabel"), [], 0),
    ],
)
def test_a_portion_is_the_oldest_that_fit_and_all_are_counted(
    store: AnyStore, portion: Portion, ids: list[str], count: int
) -> None:
    found, counted = store.worlds.part(Character, portion)

    assert ([each.id for each in found], counted) == (ids, count)


def test_things_are_found_by_id_or_by_name_without_case(store: AnyStore) -> None:
    first = store.worlds.create(Character(id="", name="Straße"))
    second = store.worlds.create(Character(id="", name="STRASSE"))

    assert store.worlds.find(Character, "strasse") == (first,), "the id of the first"
    assert store.worlds.find(Character, "Strasse ") == (first, second)
    assert store.worlds.find(Character, "nobody") == ()


def test_lists_are_oldest_first_and_of_one_parent(store: AnyStore) -> None:
    worlds = [store.worlds.create(World(id="", name=name)) for name in ("B", "A")]
    made = [store.worlds.create(Campaign(id="", world=one.id, name="C")) for one in (*worlds, worlds[0])]

    assert store.worlds.list(World) == tuple(worlds)
    assert store.worlds.list(Campaign) == tuple(made)
    assert store.worlds.list(Campaign, below="b") == (made[0], made[2])
    assert store.worlds.list(Campaign, below="mars") == ()


def test_of_two_changes_of_one_version_the_second_is_stale(store: AnyStore) -> None:
    made = store.worlds.create(World(id="", name="Coast"))

    first = store.worlds.change(made.model_copy(update={"notes": Notes(plot="A storm")}))
    with pytest.raises(Refused) as caught:
        store.worlds.change(made.model_copy(update={"notes": Notes(plot="A calm")}))

    assert caught.value.code == "stale"
    assert first.version == 2
    assert store.worlds.read(World, "coast") == first


def test_what_is_not_there_cannot_be_changed(store: AnyStore) -> None:
    with pytest.raises(NotFound) as caught:
        store.worlds.change(World(id="mars", name="Mars"))

    assert caught.value.code == "no-such-world"


def test_a_new_arc_goes_to_the_end_if_its_place_is_taken_and_two_can_exchange_places(store: AnyStore) -> None:
    scene = a_scene(store)
    campaign = store.worlds.read(Arc, scene.arc).campaign  # type: ignore[union-attr]
    second = store.worlds.create(Arc(id="", campaign=campaign, name="Second"))
    third = store.worlds.create(Arc(id="", campaign=campaign, name="Third", position=7))

    moved = store.worlds.change(third.model_copy(update={"position": 0}))

    places = {one.id: one.position for one in store.worlds.list(Arc)}
    assert (second.position, moved.position) == (1, 0)
    assert places == {"arrival": 7, "second": 1, "third": 0}


def test_a_change_of_a_scene_leaves_what_was_played_alone(store: AnyStore) -> None:
    scene = a_scene(store)

    changed = store.worlds.change(
        scene.model_copy(update={"title": "The Pier", "rounds": 9, "branched_from": "x", "roster": ("bo",)})
    )

    assert (changed.title, changed.rounds, changed.branched_from) == ("The Pier", 0, "")
    assert changed.roster == store.scenes.state(scene.id).roster == ("bo",)
    assert changed.id == "the-harbour"


def test_a_scene_whose_round_runs_may_be_renamed(store: AnyStore) -> None:
    scene = a_scene(store)
    store.scenes.open_round(an_order(scene.id))

    renamed = store.worlds.change(scene.model_copy(update={"title": "The Pier"}))

    assert (renamed.title, renamed.roster, renamed.coming) == ("The Pier", ("mira", "bo"), ())


def test_a_removed_world_takes_all_below_it_along(store: AnyStore) -> None:
    scene = a_scene(store)
    book = store.worlds.create(a_book("a"))
    for level, at in [("world", "coast"), ("scene", scene.id), ("character", "mira")]:
        store.worlds.attach(Attachment.model_validate({"book": book.id, "level": level, "at": at}))
    store.worlds.override(Override(level="world", at="coast", character="mira", fields={"goals": "x"}))

    removed = store.worlds.remove(World, "coast")

    assert removed
    assert not store.worlds.remove(World, "coast")
    assert [*store.worlds.list(Campaign), *store.worlds.list(Arc), *store.worlds.list(Scene)] == []
    assert [one.id for one in store.worlds.list(Character)] == ["mira", "bo"]
    assert [one.at for one in store.worlds.attached(book.id)] == ["mira"]
    assert store.worlds.overrides("mira") == ()
    assert store.scenes.messages(scene.id) == ()


@pytest.mark.parametrize(
    ("kind", "id"),
    [(World, "coast"), (Arc, "arrival"), (Scene, "the-harbour"), (Character, "bo"), (Persona, "ada")],
)
def test_what_a_running_round_needs_is_not_removed(store: AnyStore, kind: type[World], id: str) -> None:
    scene = a_scene(store)
    store.scenes.open_round(an_order(scene.id))

    with pytest.raises(Refused) as caught:
        store.worlds.remove(kind, id)

    assert caught.value.code == "in-use"
    step = f"wait for its end, or stop it: `penwright scene stop {scene.id}`"
    assert caught.value.details == {"scene": scene.id, "round": "1", "hint": step}
    assert store.worlds.read(kind, id) is not None


def test_a_removed_character_and_persona_leave_the_scene(store: AnyStore) -> None:
    scene = a_scene(store)

    store.worlds.remove(Character, "mira")
    store.worlds.remove(Persona, "ada")

    now = store.worlds.read(Scene, scene.id)
    assert now is not None
    assert (now.roster, now.persona) == (("bo",), "")
    assert store.scenes.state(scene.id).roster == ("bo",)


@pytest.mark.parametrize("name", ["Mira", "Åsa"])
def test_a_new_character_is_not_taken_for_a_removed_one_that_heard_what_was_said(
    store: AnyStore, name: str
) -> None:
    scene = a_scene(store, name, "Bo")
    opened = store.scenes.open_round(an_order(scene.id))
    store.scenes.close_round(an_end(scene.id, opened.number, SceneState()))
    store.worlds.remove(Character, scene.roster[0])
    store.worlds.remove(Persona, "ada")

    new = [store.worlds.create(Character(id="", name=name)).id]
    new += [store.worlds.create(Persona(id="", name=name)).id]
    speaker = store.worlds.create(Persona(id="", name="Ada")).id
    store.worlds.remove(Scene, scene.id)
    free_again = store.worlds.create(Character(id="", name=name)).id

    assert new == [f"{scene.roster[0]}-2", f"{scene.roster[0]}-3"]
    assert speaker == "ada-2"
    assert free_again == scene.roster[0]


def test_a_scene_is_located_with_all_above_it(store: AnyStore) -> None:
    scene = a_scene(store)

    located = store.worlds.locate(scene.id)

    assert located is not None
    assert located.scene == scene
    assert [located.arc.id, located.campaign.id, located.world.id] == ["arrival", "storm", "coast"]
    assert located.persona is not None
    assert located.persona.name == "Ada"
    assert store.worlds.locate("mars") is None


def test_overrides_are_kept_replaced_and_removed(store: AnyStore) -> None:
    a_scene(store)
    campaign = Override(level="campaign", at="storm", character="mira", fields={"goals": None})
    world = Override(level="world", at="coast", character="mira", fields={"goals": "x"})

    kept = [store.worlds.override(one) for one in (campaign, world)]
    changed = store.worlds.override(world.model_copy(update={"fields": {"goals": "y"}}))
    with pytest.raises(Refused) as caught:
        store.worlds.override(world)
    store.worlds.override(changed.model_copy(update={"fields": {}}))

    assert [one.version for one in kept] == [1, 1]
    assert changed.version == 2
    assert caught.value.code == "stale"
    assert store.worlds.overrides("mira") == (campaign,)


def test_of_two_first_overrides_at_once_the_second_is_stale(store: AnyStore) -> None:
    a_scene(store)
    first = Override(level="world", at="coast", character="mira", fields={"goals": "x"}, version=0)

    kept = store.worlds.override(first)

    for version in (0, 2):
        with pytest.raises(Refused) as caught:
            store.worlds.override(first.model_copy(update={"version": version}))
        assert caught.value.code == "stale"
    assert kept.version == 1
    assert store.worlds.overrides("mira") == (kept,)


def test_an_override_needs_its_character_and_its_place(store: AnyStore) -> None:
    a_scene(store)

    for at, character, code in [("mars", "mira", "no-such-world"), ("coast", "mars", "no-such-character")]:
        with pytest.raises(NotFound) as caught:
            store.worlds.override(Override(level="world", at=at, character=character, fields={"goals": "x"}))
        assert caught.value.code == code


def test_books_are_active_where_they_are_attached_and_below(store: AnyStore) -> None:
    scene = a_scene(store)
    places = [
        ("world", "coast"),
        ("campaign", "storm"),
        ("arc", "arrival"),
        ("scene", scene.id),
        ("character", "bo"),
    ]
    books = [store.worlds.create(a_book("a", name=f"Book {level}")) for level, _ in places]
    other = store.worlds.create(a_book("a", name="Elsewhere"))
    absent = store.worlds.create(Character(id="", name="Zed"))
    for book, (level, at) in zip(books, places, strict=True):
        store.worlds.attach(Attachment.model_validate({"book": book.id, "level": level, "at": at}))
    store.worlds.attach(Attachment(book=other.id, level="character", at=absent.id))
    store.worlds.attach(Attachment(book=books[0].id, level="scene", at=scene.id))

    assert store.worlds.active_books(scene.id) == tuple(books)
    assert store.worlds.active_books(scene.id, reader="bo") == tuple(books)
    assert store.worlds.active_books(scene.id, reader="mira") == tuple(books[:-1])
    assert store.worlds.active_books(scene.id, reader="") == tuple(books[:-1])
    assert store.worlds.active_books("mars") == ()


def test_attaching_is_idempotent_and_can_be_undone(store: AnyStore) -> None:
    a_scene(store)
    book = store.worlds.create(a_book("a"))
    here = Attachment(book=book.id, level="world", at="coast")

    store.worlds.attach(here)
    store.worlds.attach(here)

    assert store.worlds.attached(book.id) == store.worlds.attachments([("world", "coast")]) == (here,)
    assert store.worlds.attachments([("world", "mars")]) == store.worlds.attachments([]) == ()
    assert store.worlds.detach(here)
    assert not store.worlds.detach(here)
    with pytest.raises(NotFound) as caught:
        store.worlds.attach(Attachment(book=book.id, level="arc", at="mars"))
    assert caught.value.code == "no-such-arc"


def test_a_lorebook_is_attached_to_a_book_or_novel_until_that_is_forgotten(store: AnyStore) -> None:
    lore = store.worlds.create(a_book("a"))
    store.records.register(a_work("lamp"))
    store.records.register(a_work("fog").model_copy(update={"kind": "novel"}))
    to_book = Attachment(book=lore.id, level="book", at="lamp")
    to_novel = Attachment(book=lore.id, level="novel", at="fog")

    for each in (to_book, to_novel):
        store.worlds.attach(each)
    store.records.forget(BookId("lamp"))

    assert store.worlds.attached(lore.id) == store.worlds.attachments([("novel", "fog")]) == (to_novel,)
    for level, at in (("book", "lamp"), ("book", "fog")):
        with pytest.raises(NotFound) as caught:
            store.worlds.attach(Attachment.model_validate({"book": lore.id, "level": level, "at": at}))
        assert caught.value.code == "unknown-book"


def test_the_places_of_books_are_counted_for_those_that_are_asked_about(store: AnyStore) -> None:
    scene = a_scene(store)
    first, second, third = (store.worlds.create(a_book("a", name=name)) for name in ("Tides", "Ebb", "Flow"))
    for book, level, at in (
        (first, "world", "coast"),
        (first, "scene", scene.id),
        (second, "world", "coast"),
        (third, "world", "coast"),
    ):
        store.worlds.attach(Attachment.model_validate({"book": book.id, "level": level, "at": at}))

    assert dict(store.worlds.places([first.id, second.id, "none"])) == {first.id: 2, second.id: 1}
    assert dict(store.worlds.places([])) == {}


def test_a_book_is_stored_with_its_entries_and_listed_without(store: AnyStore) -> None:
    made = store.worlds.create(a_book("b", "a"))
    changed = store.worlds.change(
        made.model_copy(update={"entries": (made.entries[1], LoreEntry(uid="c", content="\x00new"))})
    )

    assert store.worlds.read(Lorebook, made.id) == changed
    assert [one.uid for one in changed.entries] == ["a", "c"]
    assert store.worlds.list(Lorebook) == (changed.model_copy(update={"entries": ()}),)


def test_two_entries_with_one_uid_are_refused(store: AnyStore) -> None:
    with pytest.raises(UsageMistake) as caught:
        store.worlds.create(a_book("a", "a"))

    assert caught.value.code == "entry-twice"
    assert store.worlds.list(Lorebook) == ()


def test_a_character_and_its_own_book_are_stored_together(store: AnyStore) -> None:
    made, book = store.worlds.create_with_lore(Character(id="", name="Mira"), a_book("a"))

    assert (made, book) == (store.worlds.read(Character, "mira"), store.worlds.read(Lorebook, "tides"))
    assert store.worlds.attached("tides") == (Attachment(book="tides", level="character", at="mira"),)


@pytest.mark.parametrize("book", [a_book("a", "a"), a_book("a", name="a\nb")])
def test_a_character_whose_book_cannot_be_stored_is_not_stored_either(
    store: AnyStore, book: Lorebook
) -> None:
    with pytest.raises(UsageMistake):
        store.worlds.create_with_lore(Character(id="", name="Mira"), book)

    assert store.worlds.list(Character) == ()
    assert store.worlds.list(Lorebook) == ()
    made, own = store.worlds.create_with_lore(Character(id="", name="Mira"), a_book("a"))
    assert (made.id, own.id) == ("mira", "tides")


def test_a_book_is_stored_and_attached_or_neither(store: AnyStore) -> None:
    scene = a_scene(store)
    at = Attachment(book="", level="scene", at=scene.id)

    made, placed = store.worlds.create_attached(a_book("a"), at)
    with pytest.raises(NotFound):
        store.worlds.create_attached(a_book("b"), at.model_copy(update={"at": "gone"}))

    assert placed == Attachment(book=made.id, level="scene", at=scene.id)
    assert store.worlds.attached(made.id) == (placed,)
    assert [each.id for each in store.worlds.list(Lorebook)] == [made.id]


def test_a_book_read_for_a_round_is_the_newest_version(store: AnyStore) -> None:
    scene = a_scene(store)
    book = store.worlds.create(a_book("a"))
    store.worlds.attach(Attachment(book=book.id, level="scene", at=scene.id))
    before = store.worlds.active_books(scene.id)

    changed = store.worlds.change(book.model_copy(update={"entries": ()}))
    store.worlds.remove(Lorebook, book.id)
    again = store.worlds.create(a_book("z"))
    store.worlds.attach(Attachment(book=again.id, level="scene", at=scene.id))

    assert before == (book,)
    assert changed.entries == ()
    assert store.worlds.active_books(scene.id) == (again,)
    assert store.worlds.lorebook(again.id) == again


def test_a_book_to_be_searched_with_is_read_once_for_each_version(store: AnyStore) -> None:
    book = store.worlds.create(a_book("a"))
    first = store.worlds.lorebook(book.id)
    again = store.worlds.lorebook(book.id)
    changed = store.worlds.change(a_book("a", "b").model_copy(update={"id": book.id, "version": 1}))

    assert first is again
    assert first == book
    assert store.worlds.lorebook(book.id) == changed
    assert store.worlds.lorebook("mars") is None
