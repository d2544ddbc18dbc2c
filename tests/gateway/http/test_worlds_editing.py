"""What scenes share, edited and removed over the API: never over a version that the caller has not seen."""

from pathlib import Path

import httpx
import pytest

from gateway.desk.works import books
from schemas.lore import Lorebook
from tests.support.gateway.http import Api, key
from tests.support.gateway.services import StageServices

FIRST = {"if-match": '"v1"'}


async def test_fields_are_set_from_the_version_that_was_read(client: httpx.AsyncClient, world: str) -> None:
    order = {"values": {"goals": "Find the lamp.", "talkative": 80, "tags": ["sea"]}}
    blind = await client.patch("/characters/ann", json=order)
    done = await client.patch("/characters/ann", json=order, headers=FIRST)
    stale = await client.patch("/characters/ann", json={"values": {"goals": "Rest."}}, headers=FIRST)
    now = await client.get("/characters/ann")

    assert (blind.status_code, blind.json()["code"]) == (428, "revision-missing")
    assert (done.status_code, done.headers["etag"]) == (200, '"v2"')
    assert (stale.status_code, stale.json()["code"]) == (412, "stale")
    assert (now.json()["goals"], now.json()["talkative"], now.json()["name"]) == ("Find the lamp.", 80, "Ann")


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"goal": "x"}, "unknown-field"),
        ({"talkative": 101}, "bad-value"),
        ({"talkative": "often"}, "bad-value"),
        ({"name": ""}, "bad-name"),
        ({"id": "bob"}, "unknown-field"),
        ({"version": 9}, "unknown-field"),
        ({"tags": {"a": {"b": {"c": []}}}}, "bad-value"),
    ],
)
async def test_a_value_that_cannot_be_is_named_and_nothing_is_stored(
    client: httpx.AsyncClient, world: str, values: dict[str, object], code: str
) -> None:
    answer = await client.patch("/characters/ann", json={"values": values}, headers=FIRST)

    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert (await client.get("/characters/ann")).headers["etag"] == '"v1"'


async def test_levels_of_a_world_are_made_edited_and_removed_together(
    client: httpx.AsyncClient, scene: str
) -> None:
    campaign = (await client.post("/worlds/skerrow/campaigns", json={"name": "Fog"}, headers=key())).json()
    arcs = [
        (await client.post(f"/campaigns/{campaign['id']}/arcs", json={"name": name}, headers=key())).json()
        for name in ("Dusk", "Dawn")
    ]
    notes = {"values": {"plot": "The light is out."}}
    edited = await client.patch(f"/campaigns/{campaign['id']}", json=notes, headers=FIRST)
    preview = (await client.get("/worlds/skerrow/removal")).json()
    gone = await client.delete("/worlds/skerrow", headers=FIRST)

    assert [each["position"] for each in arcs] == [0, 1]
    assert edited.json()["notes"]["plot"] == "The light is out."
    assert (gone.status_code, gone.json()) == (200, preview)
    assert gone.json()["scenes"] == [scene]
    assert (await client.get(f"/arcs/{arcs[0]['id']}")).status_code == 404
    assert (await client.get(f"/scenes/{scene}")).status_code == 404


async def test_a_scene_that_one_may_not_touch_is_not_removed_with_its_world(
    api: Api, client: httpx.AsyncClient, scene: str
) -> None:
    async with api.client(api.token(subjects=("worlds",))) as keeper:
        refused = await keeper.delete("/worlds/skerrow", headers=FIRST)

    assert (refused.status_code, refused.json()["code"]) == (403, "not-permitted")
    assert (await client.get(f"/scenes/{scene}")).status_code == 200


async def test_a_character_in_a_scene_stays(client: httpx.AsyncClient, scene: str) -> None:
    present = await client.delete("/characters/ann", headers=FIRST)
    absent = await client.delete("/characters/cleo", headers=FIRST)
    again = await client.delete("/characters/cleo", headers=FIRST)

    assert (present.status_code, present.json()["code"]) == (409, "in-scenes")
    assert (absent.status_code, again.status_code) == (200, 404)
    assert (await client.get("/characters/ann")).status_code == 200


async def test_entries_of_a_lorebook_are_added_edited_and_removed(
    client: httpx.AsyncClient, services: StageServices, world: str
) -> None:
    book = (await client.post("/lorebooks", json={"name": "Lamps"}, headers=key())).json()["id"]
    place = f"/lorebooks/{book}/entries"
    order = {"content": "It is out.", "values": {"keys": ["lamp"], "title": "Lamp"}}
    added = await client.post(place, json=order, headers=key())
    keyless = await client.post(place, json={"content": "x"}, headers=key())
    version = {"if-match": added.headers["etag"]}
    edit = {"values": {"priority": 3}}
    edited = await client.patch(f"{place}/1", json=edit, headers=version)
    stale = await client.patch(f"{place}/1", json=edit, headers=version)
    removed = await client.delete(f"{place}/1")
    again = await client.delete(f"{place}/1")
    stored = services.store.worlds.read(Lorebook, book)

    assert (added.status_code, added.json()["uid"]) == (201, "1")
    assert (keyless.status_code, keyless.json()["code"]) == (400, "no-keys")
    assert (edited.json()["priority"], stale.status_code) == (3, 412)
    assert (removed.status_code, again.status_code) == (204, 404)
    assert stored is not None
    assert stored.entries == ()


async def test_a_book_is_active_where_it_is_attached(client: httpx.AsyncClient, world: str) -> None:
    book = (await client.post("/lorebooks", json={"name": "Lamps"}, headers=key())).json()["id"]
    place = f"/lorebooks/{book}/places/world/skerrow"
    made = [(await client.put(place)).json()["changed"] for _ in range(2)]
    gone = [(await client.delete(place)).json()["changed"] for _ in range(2)]
    nowhere = await client.put(f"/lorebooks/{book}/places/world/atlantis")

    assert (made, gone, nowhere.status_code) == ([True, False], [True, False], 404)


async def test_a_book_is_attached_to_a_work_by_who_may_write_that(
    api: Api, client: httpx.AsyncClient, services: StageServices, book: Path
) -> None:
    books.enter(services, tide := services.book(book))
    lore = (await client.post("/lorebooks", json={"name": "Lamps"}, headers=key())).json()["id"]
    place = f"/lorebooks/{lore}/places/book/{tide.book_id}"
    async with api.client(api.token("write", subjects=("worlds",))) as writer:
        refused = await writer.put(place)
    made = await client.put(place)
    unknown = await client.put(f"/lorebooks/{lore}/places/novel/{tide.book_id}")

    assert (refused.status_code, refused.json()["code"]) == (403, "not-permitted")
    assert made.json() == {"level": "book", "at": tide.book_id, "active": True, "changed": True}
    assert (unknown.status_code, unknown.json()["code"]) == (404, "unknown-novel")


async def test_things_are_found_by_their_names_as_far_as_one_sees_them(
    api: Api, client: httpx.AsyncClient, scene: str
) -> None:
    found = (await client.get("/search", params={"q": "an"})).json()["items"]
    people = (await client.get("/search", params={"q": "", "in": ["persona", "world"]})).json()["items"]
    async with api.client(api.token("read", subjects=(f"scene/{scene}",))) as player:
        mine = (await player.get("/search", params={"q": ""})).json()["items"]
        unknown = await player.get("/search", params={"q": "", "in": "file"})

    assert [each["name"] for each in found] == ["Ann"]
    assert [each["name"] for each in people] == ["Mira", "Nell", "Skerrow"]
    assert mine == [{"kind": "scene", "id": scene, "name": "The Quay"}]
    assert unknown.status_code == 422
