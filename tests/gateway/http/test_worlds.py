"""What scenes share, over the API: made, listed, taken in and given out."""

import json

import httpx
import pytest

from penwright.ports.portions import Portion
from penwright.ports.scenes import Kept
from schemas.worlds import Character
from tests.support.gateway.http import Api, key
from tests.support.gateway.services import StageServices

BINARY = {"content-type": "application/octet-stream"}
CARD = {"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "Dora", "description": "Tall."}}
LORE = {"entries": {"0": {"uid": 0, "key": ["lamp"], "content": "It is out.", "comment": "Lamp"}}}


async def test_worlds_and_people_are_made_and_listed(client: httpx.AsyncClient, scene: str) -> None:
    order = {"name": "Fen", "description": "Low land.\nMuch fog."}
    made = await client.post("/worlds", json=order, headers=key())
    dora = (await client.post("/characters", json={"name": "Dora"}, headers=key())).json()
    await client.post("/personas", json={"name": "Zoe"}, headers=key())
    twin = (await client.post("/worlds", json={"name": "fen"}, headers=key())).json()
    first = (await client.get("/characters", params={"limit": 3})).json()
    rest = (await client.get("/characters", params={"limit": 3, "cursor": first["next"]})).json()
    campaigns = (await client.get("/worlds/skerrow/campaigns")).json()["items"]
    arcs = (await client.get(f"/campaigns/{campaigns[0]['id']}/arcs")).json()["items"]
    by_name = await client.get("/characters/Dora%20")

    assert (made.status_code, made.json()["notes"]["description"]) == (201, "Low land.\nMuch fog.")
    assert (made.json()["namesakes"], twin["id"], twin["namesakes"]) == ([], "fen-2", ["fen"])
    assert [each["name"] for each in first["items"] + rest["items"]] == ["Ann", "Bob", "Cleo", "Dora"]
    assert (await client.get(f"/characters/{dora['id']}")).headers["etag"] == '"v1"'
    assert len(arcs) == 1
    assert [each["name"] for each in (await client.get("/personas")).json()["items"]] == [
        "Mira",
        "Nell",
        "Zoe",
    ]
    assert (by_name.status_code, by_name.json()["code"]) == (404, "no-such-character")


async def test_a_card_is_taken_in_once_and_given_out_as_it_came(client: httpx.AsyncClient) -> None:
    content, name = json.dumps(CARD).encode(), {"file_name": "dora.json"}
    taken = await client.post("/characters/import", params=name, content=content, headers={**key(), **BINARY})
    again = await client.post("/characters/import", params=name, content=content, headers={**key(), **BINARY})
    broken = await client.post(
        "/characters/import", params=name, content=b"\x89PNG", headers={**key(), **BINARY}
    )
    hostile = await client.post(
        "/characters/import", params={"file_name": "../x"}, content=content, headers={**key(), **BINARY}
    )
    id = taken.json()["character"]["id"]
    file = await client.get(f"/characters/{id}/export", params={"format": "json"})

    assert (taken.status_code, taken.json()["character"]["name"]) == (201, "Dora")
    assert (again.status_code, again.json()["code"]) == (409, "already-imported")
    assert broken.status_code == 400
    assert (hostile.status_code, hostile.json()["code"]) == (400, "bad-file-name")
    assert file.content == content
    assert file.headers["content-disposition"] == f'attachment; filename="{id}.json"'


async def test_a_lorebook_is_taken_in_where_it_is_active(client: httpx.AsyncClient, scene: str) -> None:
    content = json.dumps(LORE).encode()
    where = {"file_name": "lamps.json", "scene": scene}
    taken = await client.post("/lorebooks/import", params=where, content=content, headers={**key(), **BINARY})
    both = await client.post(
        "/lorebooks/import",
        params={**where, "world": "skerrow"},
        content=content,
        headers={**key(), **BINARY},
    )
    id = taken.json()["lorebook"]["id"]
    listed = (await client.get("/lorebooks")).json()["items"]
    file = await client.get(f"/lorebooks/{id}/export")

    assert (taken.status_code, both.status_code) == (201, 400)
    assert [(each["id"], each["below"]) for each in listed] == [(id, 1)]
    assert (await client.get(f"/lorebooks/{id}")).json()["entries"][0]["content"] == "It is out."
    assert file.content == content


async def test_a_token_for_scenes_alone_sees_nothing_that_they_share(api: Api, scene: str) -> None:
    async with api.client(api.token(subjects=(f"scene/{scene}",))) as player:
        refused = await player.get("/characters/ann")
    async with api.client(api.token(subjects=("worlds",))) as keeper:
        shown = await keeper.get("/characters/ann")

    assert (refused.status_code, shown.status_code) == (403, 200)


async def test_mentions_of_a_lorebook_are_counted_as_a_browser_counts(client: httpx.AsyncClient) -> None:
    content = json.dumps(LORE).encode()
    file = {"file_name": "lamps.json"}
    taken = await client.post("/lorebooks/import", params=file, content=content, headers={**key(), **BINARY})
    place = f"/lorebooks/{taken.json()['lorebook']['id']}/mentions"
    found = await client.post(place, json={"text": "\U0001f600 The LAMP, and lamps; the lamp."})
    longest = await client.post(place, json={"text": "lamp " * 13_107})
    longer = await client.post(place, json={"text": "x" * 65_537})
    missing = await client.post("/lorebooks/mars/mentions", json={"text": "lamp"})

    assert found.json() == {
        "marks": [{"start": start, "end": start + 4, "entries": ["0"]} for start in (7, 17, 28)],
        "entries": [{"uid": "0", "name": "Lamp"}],
    }
    assert len(longest.json()["marks"]) == 2_000
    assert (longer.status_code, missing.status_code) == (422, 404)
    assert missing.json()["code"] == "no-such-lorebook"


async def test_lists_and_namesakes_read_no_more_than_they_show(
    client: httpx.AsyncClient, services: StageServices, scene: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    part = services.store.worlds.part

    def noted(kind: type[Kept], portion: Portion) -> tuple[tuple[Kept, ...], int]:
        found, count = part(kind, portion)
        read.append(len(found))
        return found, count

    for number in range(30):
        services.store.worlds.create(Character(id="", name=f"Keeper {number}"))
    monkeypatch.setattr(services.store.worlds, "part", noted)
    monkeypatch.setattr(services.store.worlds, "list", None)

    shown = (await client.get("/characters", params={"limit": 5})).json()
    scenes = (await client.get("/scenes", params={"limit": 5})).json()
    made = await client.post("/characters", json={"name": "keeper 3"}, headers=key())

    assert [len(shown["items"]), len(scenes["items"])] == [5, 1]
    assert made.json()["namesakes"] == ["keeper-3"]
    assert max(read) == 6
