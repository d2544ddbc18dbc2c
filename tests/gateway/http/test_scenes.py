"""Scenes over the API: played, steered, changed, looked at, and given out."""

import asyncio
import json
from typing import Any

import httpx
import pytest

from gateway.desk.scene import rounds
from gateway.desk.scene.orders import RoundOptions
from penwright.errors import Refused
from schemas.director import Steering
from schemas.director_round import DirectorRoundInput
from schemas.worlds import Scene
from tests.support.gateway.artist import PNG, an_artist
from tests.support.gateway.http import Api, key
from tests.support.gateway.services import StageServices
from tests.support.scenes.stopping import HALF, stopped_reply


async def test_a_scene_is_made_in_a_world_with_what_it_needs(client: httpx.AsyncClient, world: str) -> None:
    order = {
        "title": "The Roof",
        "world": world,
        "cast": ["Ann"],
        "persona": "Mira",
        "settings": {"max_director_passes": 1, "world_agent": True, "scenario": "The lamp is out."},
    }
    made = await client.post("/scenes", json=order, headers=key())
    shown = (await client.get(made.headers["location"].removeprefix("/api/v1"))).json()
    wrong = await client.post("/scenes", json={**order, "settings": {"passes": 1}}, headers=key())
    nowhere = await client.post("/scenes", json={"title": "The Roof"}, headers=key())

    assert made.status_code == 201
    assert len(made.json()["made"]) == 2
    assert shown["located"]["scene"]["settings"]["max_director_passes"] == 1
    assert shown["located"]["scene"]["settings"]["world_agent"]
    assert shown["located"]["scene"]["notes"]["scenario"] == "The lamp is out."
    assert [each["name"] for each in shown["cast"] if each["present"]] == ["Ann"]
    assert (wrong.status_code, wrong.json()["code"]) == (400, "unknown-setting")
    assert (nowhere.status_code, nowhere.json()["code"]) == (400, "no-place")


async def test_scenes_are_listed_page_by_page_with_what_runs(
    client: httpx.AsyncClient, scene: str, world: str
) -> None:
    order = {"title": "The Roof", "world": world}
    await client.post("/scenes", json=order, headers=key())
    first = (await client.get("/scenes", params={"limit": 1})).json()
    second = (await client.get("/scenes", params={"limit": 1, "cursor": first["next"]})).json()
    elsewhere = await client.get("/scenes", params={"world": "nowhere"})

    assert [each["title"] for each in first["items"] + second["items"]] == ["The Quay", "The Roof"]
    assert second["next"] is None
    assert first["items"][0]["state"] == "idle"
    assert elsewhere.status_code == 404


async def test_what_is_said_is_answered_by_the_cast_as_a_run(
    client: httpx.AsyncClient, scene: str, services: StageServices
) -> None:
    order = key()
    said = await client.post(f"/scenes/{scene}/messages", json={"text": "Who is there?"}, headers=order)
    again = await client.post(f"/scenes/{scene}/messages", json={"text": "Who is there?"}, headers=order)
    messages = (await client.get(f"/scenes/{scene}/messages")).json()["items"]

    assert (said.status_code, again.json()) == (202, said.json())
    assert said.headers["location"] == f"/api/v1/runs/{said.json()['run_id']}"
    assert len(services.rounds.given) == 1
    assert services.rounds.given[0].who == "test"
    assert [each["name"] for each in messages] == ["Bob", "Ann", "Mira"]
    assert messages[-1]["text"] == "Who is there?"
    assert messages[0]["alternatives"][0] == {
        **messages[0]["alternatives"][0],
        "number": 1,
        "author": "demo",
        "kind": "model",
        "demo": True,
    }


async def test_messages_go_on_to_older_ones_each_once(client: httpx.AsyncClient, scene: str) -> None:
    for text in ("One.", "Two."):
        await client.post(f"/scenes/{scene}/messages", json={"text": text}, headers=key())
    seen: list[int] = []
    address = f"/scenes/{scene}/messages?limit=2"
    while address:
        page = await client.get(address)
        seen += [each["number"] for each in page.json()["items"]]
        address = page.headers.get("link", "")[1:].partition(">")[0].removeprefix("/api/v1")
    forged = await client.get(f"/scenes/{scene}/messages", params={"cursor": "eA"})

    assert seen == [6, 5, 4, 3, 2, 1]
    assert (forged.status_code, forged.json()["code"]) == (400, "bad-cursor")


async def test_the_cast_plays_on_and_a_narrator_describes(
    client: httpx.AsyncClient, scene: str, services: StageServices
) -> None:
    await client.post(f"/scenes/{scene}/continue", json={"minutes": 5, "cost_micros": 10}, headers=key())
    await client.post(f"/scenes/{scene}/narrate", json={"text": "the tide"}, headers=key())

    assert [each.kind for each in services.rounds.given] == ["continue", "narrate"]
    assert (services.rounds.given[0].minutes, services.rounds.given[0].cost_micros) == (5, 10)


async def test_without_a_cast_or_a_reply_no_round_is_started(
    client: httpx.AsyncClient, scene: str, world: str, services: StageServices
) -> None:
    await client.post("/scenes", json={"title": "Empty", "world": world}, headers=key())
    orders = [
        ("empty/messages", {"text": "Hello?"}),
        ("empty/continue", {}),
        (f"{scene}/regenerate", {}),
    ]
    answers = [await client.post(f"/scenes/{at}", json=body, headers=key()) for at, body in orders]

    assert [each.status_code for each in answers] == [409] * 3
    assert [each.json()["code"] for each in answers] == ["no-cast", "no-cast", "no-message"]
    assert all(each.json()["hint"] for each in answers)
    assert services.rounds.given == []


async def test_a_reply_is_made_anew_and_every_alternative_stays(
    client: httpx.AsyncClient, scene: str
) -> None:
    await client.post(f"/scenes/{scene}/messages", json={"text": "Who is there?"}, headers=key())
    await client.post(f"/scenes/{scene}/regenerate", json={"message": 2}, headers=key())
    url = f"/scenes/{scene}/messages/2"
    edited = (await client.post(f"{url}/edit", json={"text": "Nobody."}, headers=key())).json()
    chosen = (await client.post(f"{url}/choose", json={"alternative": 1}, headers=key())).json()
    none = await client.post(f"{url}/choose", json={"alternative": 9}, headers=key())
    missing = await client.get(f"/scenes/{scene}/messages/99")

    assert [each["kind"] for each in edited["alternatives"]] == ["model", "model", "person"]
    assert edited["text"] == "Nobody."
    assert edited["alternatives"][2]["author"] == "test"
    assert (chosen["chosen"], chosen["text"]) == (1, "Ann answers in round 1.")
    truth = await client.post(f"{url}/choose", json={"alternative": True}, headers=key())
    whole = await client.post(f"/scenes/{scene}/regenerate", json={"message": False}, headers=key())

    assert [each.status_code for each in (truth, whole)] == [422, 422]
    assert "true or false" in truth.json()["detail"]
    assert (none.status_code, none.json()["code"]) == (404, "no-such-alternative")
    assert (missing.status_code, missing.json()["code"]) == (404, "no-such-message")


async def test_a_round_is_taken_back_and_a_branch_keeps_what_was(
    client: httpx.AsyncClient, scene: str
) -> None:
    await client.post(f"/scenes/{scene}/messages", json={"text": "Who is there?"}, headers=key())
    branched = await client.post(
        f"/scenes/{scene}/branches", json={"after_round": 1, "title": "Dark"}, headers=key()
    )
    await client.post(f"/scenes/{scene}/undo", headers=key())
    redone = await client.post(f"/scenes/{scene}/redo", json={}, headers=key())
    twice = await client.post(f"/scenes/{scene}/redo", json={"round": 1}, headers=key())
    undone = await client.post(f"/scenes/{scene}/undo", headers=key())
    again = await client.post(f"/scenes/{scene}/undo", headers=key())
    here = (await client.get(f"/scenes/{scene}/messages")).json()["items"]
    there = (await client.get(f"/scenes/{branched.json()['id']}/messages")).json()["items"]

    assert branched.status_code == 201
    assert redone.json() == undone.json()
    assert (twice.status_code, twice.json()["code"]) == (409, "nothing-to-redo")
    assert undone.json()["round"] == 1
    assert (again.status_code, again.json()["code"]) == (409, "nothing-to-undo")
    assert (len(here), len(there)) == (0, 3)


async def test_people_and_states_are_set_between_rounds(client: httpx.AsyncClient, scene: str) -> None:
    mood = await client.patch(f"/scenes/{scene}/state", json={"who": "Ann", "values": {"mood": "wary"}})
    tracker = await client.patch(
        f"/scenes/{scene}/state", json={"who": "tracker", "values": {"weather": "fog"}}
    )
    wrong = await client.patch(f"/scenes/{scene}/state", json={"who": "Ann", "values": {"hat": "red"}})
    state = (await client.get(f"/scenes/{scene}/state")).json()
    cast = (await client.patch(f"/scenes/{scene}/cast", json={"add": ["Cleo"], "remove": ["Bob"]})).json()

    assert mood.json()["changes"][0] == {**mood.json()["changes"][0], "new": "wary", "by": "test"}
    assert tracker.status_code == 200
    assert (wrong.status_code, wrong.json()["code"]) == (400, "unknown-field")
    assert state["state"]["characters"][0]["mood"] == "wary"
    assert state["state"]["trackers"] == {"weather": "fog"}
    assert [each["name"] for each in cast["items"] if each["present"]] == ["Ann", "Cleo"]


async def test_a_value_that_was_overruled_is_brought_back(client: httpx.AsyncClient, scene: str) -> None:
    await client.post(f"/scenes/{scene}/continue", json={}, headers=key())
    order = {"who": "Ann", "field": "mood"}
    done = await client.post(f"/scenes/{scene}/state/reinstate", json=order, headers=key())

    assert done.json()["changes"][0]["new"] == "glad"


async def test_settings_are_changed_from_the_revision_that_was_read(
    client: httpx.AsyncClient, scene: str
) -> None:
    url, order = f"/scenes/{scene}/settings", {"settings": {"shares.lore": 30, "plot": "A storm comes."}}
    before = await client.get(url)
    base = {"if-match": before.headers["etag"]}
    unseen = await client.patch(url, json=order)
    changed = await client.patch(url, json=order, headers=base)
    stale = await client.patch(url, json={"settings": {"plot": "Calm."}}, headers=base)
    foreign = await client.patch(url, json=order, headers={"if-match": '"abc"'})
    same = await client.get(url, headers={"if-none-match": changed.headers["etag"]})

    assert (unseen.status_code, changed.status_code, stale.status_code) == (428, 200, 412)
    assert (foreign.status_code, same.status_code) == (412, 304)
    assert changed.json()["settings"]["shares"]["lore"] == 30
    assert (await client.get(url)).json()["notes"]["plot"] == "A storm comes."


async def test_a_round_shows_plan_prompts_and_lore(client: httpx.AsyncClient, scene: str) -> None:
    await client.post(f"/scenes/{scene}/messages", json={"text": "Who is there?"}, headers=key())
    rounds = (await client.get(f"/scenes/{scene}/rounds")).json()["items"]
    one = (await client.get(f"/scenes/{scene}/rounds/1")).json()
    calls = (await client.get(f"/scenes/{scene}/rounds/1/envelopes")).json()["items"]
    lore = (await client.get(f"/scenes/{scene}/rounds/1/lore")).json()["items"]
    missing = await client.get(f"/scenes/{scene}/rounds/7")
    tokens = await client.get(f"/scenes/{scene}/tokens")

    assert rounds == [one]
    assert one["passes"][0]["applied"]["open_guidance"] == "Keep it quiet."
    assert calls[0]["envelope"]["budget"]["context"] == 8_192
    assert [each["outcome"] for each in lore[0]["verdicts"]] == ["fired", "no-key"]
    assert (missing.status_code, missing.json()["code"]) == (404, "no-such-round")
    assert tokens.status_code == 200


async def test_who_speaks_next_is_forced_and_vetoed(
    client: httpx.AsyncClient, scene: str, services: StageServices
) -> None:
    forced = (await client.post(f"/scenes/{scene}/force", json={"who": "Cleo"}, headers=key())).json()
    await client.post(f"/scenes/{scene}/veto", json={"who": "Bob"}, headers=key())
    handed = (await client.post(f"/scenes/{scene}/hand-over", json={"who": "Nell"}, headers=key())).json()
    unknown = await client.post(f"/scenes/{scene}/force", json={"who": "Zed"}, headers=key())
    await client.post(f"/scenes/{scene}/messages", json={"text": "Now."}, headers=key())

    assert (forced["name"], forced["running"], handed["name"]) == ("Cleo", False, "Nell")
    assert services.rounds.given[0].steering == Steering(force=("cleo",), veto=("bob",))
    assert (unknown.status_code, unknown.json()["code"]) == (404, "no-such-character")


async def test_a_stop_is_asked_by_the_caller_and_needs_a_round(
    client: httpx.AsyncClient, scene: str, services: StageServices
) -> None:
    idle = await client.post(f"/scenes/{scene}/stop", json={}, headers=key())
    services.rounds.at_work[scene] = DirectorRoundInput(scene=scene, session="s1")
    stopped = await client.post(f"/scenes/{scene}/stop", json={"reason": "enough"}, headers=key())

    busy = await client.post(f"/scenes/{scene}/messages", json={"text": "And?"}, headers=key())

    assert (idle.status_code, idle.json()["code"]) == (409, "no-round-runs")
    assert (busy.status_code, busy.json()["code"], busy.json()["retryable"]) == (409, "round-runs", True)
    assert stopped.status_code == 200
    assert (services.rounds.halted[scene].who, services.rounds.halted[scene].reason) == ("test", "enough")


async def test_a_plan_that_was_asked_for_waits_and_none_is_taken_back_without_one(
    client: httpx.AsyncClient, scene: str, services: StageServices
) -> None:
    idle = await client.post(f"/scenes/{scene}/plan/reject", headers=key())
    asked = await client.post(f"/scenes/{scene}/continue", json={"direct": "Make it night."}, headers=key())
    (waits,) = (await client.get(f"/scenes/{scene}/rounds")).json()["items"]

    assert (idle.status_code, idle.json()["code"]) == (409, "no-round-runs")
    assert asked.status_code == 202
    assert (waits["status"], waits["passes"][0]["held"]) == ("running", True)
    assert services.rounds.given[-1].steering == Steering(note="Make it night.", hold=True)


async def test_a_reply_that_was_stopped_keeps_its_words_and_says_so(
    client: httpx.AsyncClient, scene: str, services: StageServices
) -> None:
    stopped_reply(services.store, scene, "ann", "Ann")

    newest = (await client.get(f"/scenes/{scene}/messages")).json()["items"][0]

    assert newest["text"] == HALF
    assert [each["stopped"] for each in newest["alternatives"]] == [True]


async def test_a_scene_is_given_out_and_taken_in_as_a_chat(
    client: httpx.AsyncClient, scene: str, world: str
) -> None:
    await client.post(f"/scenes/{scene}/messages", json={"text": "Who is there?"}, headers=key())
    file = await client.get(f"/scenes/{scene}/export", params={"format": "silly-tavern"})
    binary = {"content-type": "application/octet-stream"}
    where = {"world": world, "title": "Again"}
    taken = await client.post(
        "/scenes/import", params=where, content=file.content, headers={**key(), **binary}
    )
    broken = await client.post("/scenes/import", params=where, content=b"{", headers={**key(), **binary})
    as_json = await client.post("/scenes/import", params=where, json={}, headers=key())
    whole = await client.get(f"/scenes/{scene}/export", params={"format": "json"})

    assert file.headers["content-disposition"] == f'attachment; filename="{scene}.jsonl"'
    assert (taken.status_code, taken.json()["messages"], taken.json()["made"]) == (201, 3, [])
    assert broken.status_code == 400
    assert (as_json.status_code, as_json.json()["code"]) == (415, "not-json")
    assert len(json.loads(whole.content)["messages"]) == 3


async def test_a_scene_that_is_removed_is_gone(client: httpx.AsyncClient, scene: str) -> None:
    gone = await client.delete(f"/scenes/{scene}")
    after = await client.get(f"/scenes/{scene}")

    assert gone.status_code == 204
    assert (after.status_code, after.json()["code"]) == (404, "no-such-scene")


async def test_a_title_is_no_name_of_a_scene(client: httpx.AsyncClient, scene: str) -> None:
    assert (await client.get("/scenes/The Quay")).status_code == 404


@pytest.mark.parametrize("number", ["0", "-1", "x", "99999999999999999999"])
async def test_a_number_is_one_that_a_message_can_have(
    client: httpx.AsyncClient, scene: str, number: str
) -> None:
    assert (await client.get(f"/scenes/{scene}/messages/{number}")).status_code == 422


async def test_a_token_for_one_scene_plays_it_and_sees_no_other(
    api: Api, scene: str, client: httpx.AsyncClient, world: str
) -> None:
    other = (await client.post("/scenes", json={"title": "Roof", "world": world}, headers=key())).json()
    other_id = other["scene"]["id"]
    async with api.client(api.token(subjects=(f"scene/{scene}",))) as player:
        listed = (await player.get("/scenes")).json()["items"]
        said = await player.post(f"/scenes/{scene}/messages", json={"text": "Hello."}, headers=key())
        elsewhere = await player.post(f"/scenes/{other_id}/messages", json={"text": "Hi."}, headers=key())
        new = await player.post("/scenes", json={"title": "New", "world": world}, headers=key())

    assert [each["scene"] for each in listed] == [scene]
    assert [said.status_code, elsewhere.status_code, new.status_code] == [202, 403, 403]
    assert f"--subject scene/{other_id}" in elsewhere.json()["hint"]


@pytest.mark.parametrize(
    ("method", "address", "body"),
    [
        ("PATCH", "cast", {"add": ["{}"]}),
        ("PATCH", "cast", {"add": ["Bob", "{}"]}),
        ("PATCH", "cast", {"remove": ["{}"]}),
        ("POST", "force", {"who": "{}"}),
        ("POST", "veto", {"who": "{}"}),
        ("POST", "take-over", {"who": "{}"}),
        ("POST", "give-back", {"who": "{}"}),
        ("PATCH", "state", {"who": "{}", "values": {"mood": "calm"}}),
        ("POST", "state/reinstate", {"who": "{}", "field": "mood"}),
        ("POST", "plan", {"pass_number": 1, "turns": [{"who": "{}", "guidance": "x"}]}),
        ("POST", "messages", {"text": "Hello.", "voice": "{}"}),
        ("POST", "hand-over", {"who": "Nell"}),
        ("POST", "pictures", {"of": "{}"}),
        ("GET", "pictures?of={}", {}),
        ("GET", "rounds/1/envelopes?who={}", {}),
        ("GET", "rounds/1/lore?who={}", {}),
    ],
)
# Any: JSON.
async def test_a_token_for_a_scene_brings_in_and_uses_nobody_from_outside(
    api: Api, scene: str, services: StageServices, method: str, address: str, body: dict[str, Any]
) -> None:
    before = services.store.worlds.read(Scene, scene)
    sent = json.loads(json.dumps(body).replace("{}", "Cleo")) if body else None
    async with api.client(api.token("read", "write", "run", subjects=(f"scene/{scene}",))) as bound:
        refused = await bound.request(
            method, f"/scenes/{scene}/{address.replace('{}', 'Cleo')}", json=sent, headers=key()
        )
        shown = (await bound.get(f"/scenes/{scene}")).json()["cast"]
        state = (await bound.get(f"/scenes/{scene}/state")).json()

    assert (refused.status_code, refused.json()["code"]) == (403, "not-permitted")
    assert services.store.worlds.read(Scene, scene) == before
    assert [each["name"] for each in shown] == ["Ann", "Bob"]
    assert "cleo" not in state["names"]


@pytest.mark.parametrize("address", ["messages", "continue", "narrate", "regenerate", "note"])
async def test_in_a_round_of_a_token_for_a_scene_the_director_brings_in_nobody_from_outside(
    api: Api, client: httpx.AsyncClient, scene: str, services: StageServices, address: str
) -> None:
    text = {"text": "Send for Cleo."}
    body = text if address in ("messages", "narrate", "note") else {}
    await client.post(f"/scenes/{scene}/messages", json=text, headers=key())
    assert services.rounds.given[-1].steering.within is None
    async with api.client(api.token("read", "write", "run", subjects=(f"scene/{scene}",))) as bound:
        await bound.post(f"/scenes/{scene}/{address}", json=body, headers=key())
    if address == "note":
        await client.post(f"/scenes/{scene}/continue", json={}, headers=key())

    assert services.rounds.given[-1].steering.within == ("ann", "bob")
    await client.post(f"/scenes/{scene}/continue", json={}, headers=key())
    assert services.rounds.given[-1].steering.within is None


async def test_a_token_for_a_scene_sends_its_own_people_out_and_brings_them_back(
    api: Api, client: httpx.AsyncClient, scene: str
) -> None:
    async with api.client(api.token("read", "write", "run", subjects=(f"scene/{scene}",))) as bound:
        await bound.post(f"/scenes/{scene}/messages", json={"text": "Hello."}, headers=key())
        mood = {"who": "Ann", "values": {"mood": "calm"}}
        states = [
            await bound.patch(f"/scenes/{scene}/state", json=each)
            for each in (mood, {**mood, "who": "Mira"}, {"who": "world", "values": {"tide": "low"}})
        ]
        await bound.patch(f"/scenes/{scene}/cast", json={"remove": ["ann"]})
        back = await bound.patch(f"/scenes/{scene}/cast", json={"add": ["Ann"]})

    assert [each.status_code for each in (*states, back)] == [200] * 4
    assert [each["name"] for each in back.json()["items"] if each["present"]] == ["Bob", "Ann"]


async def test_a_new_scene_names_others_of_its_title_that_the_caller_may_see(
    api: Api, client: httpx.AsyncClient, scene: str, world: str
) -> None:
    await client.post(f"/scenes/{scene}/messages", json={"text": "Who is there?"}, headers=key())
    order = {"title": "The Quay", "world": world}
    made = (await client.post("/scenes", json=order, headers=key())).json()
    chat = (await client.get(f"/scenes/{scene}/export", params={"format": "json"})).content
    taken = await client.post(
        f"/scenes/import?world={world}",
        content=chat,
        headers={**key(), "content-type": "application/octet-stream"},
    )
    branch = {"after_round": 0, "title": "The Quay"}
    async with api.client(api.token(subjects=(f"scene/{scene}",))) as bound:
        left = await bound.post(f"/scenes/{scene}/branches", json=branch, headers=key())

    assert made["namesakes"] == [scene]
    assert sorted(taken.json()["namesakes"]) == sorted([scene, made["scene"]["id"]])
    assert left.json()["namesakes"] == [scene]


async def test_the_tree_of_branches_hides_the_words_of_scenes_that_a_caller_may_not_see(
    api: Api, client: httpx.AsyncClient, scene: str
) -> None:
    await client.post(f"/scenes/{scene}/messages", json={"text": "Who is there?"}, headers=key())
    order = {"after_round": 1, "title": "Dark"}
    branch = (await client.post(f"/scenes/{scene}/branches", json=order, headers=key())).json()["id"]
    tree = (await client.get(f"/scenes/{branch}/branches")).json()
    async with api.client(api.token(subjects=(f"scene/{branch}",))) as bound:
        hidden = (await bound.get(f"/scenes/{branch}/branches")).json()

    assert (tree["scene"], tree["title"], tree["first_words"]) == (scene, "The Quay", "Mira: Who is there?")
    assert [(each["scene"], each["here"], each["after"]) for each in tree["below"]] == [(branch, True, 1)]
    assert (hidden["title"], hidden["first_words"], hidden["below"][0]["title"]) == ("", "", "Dark")


async def test_lore_is_tried_with_a_text_that_nobody_said(
    client: httpx.AsyncClient, scene: str, world: str
) -> None:
    book = (await client.post("/lorebooks", json={"name": "Coast"}, headers=key())).json()
    entry = {"content": "It burns whale oil.", "values": {"title": "The lamp", "keys": ["lamp"]}}
    await client.post(f"/lorebooks/{book['id']}/entries", json=entry, headers=key())
    await client.put(f"/lorebooks/{book['id']}/places/world/{world}")
    hit = await client.post(f"/scenes/{scene}/lore/try", json={"text": "Light the lamp."}, headers=key())
    miss = await client.post(f"/scenes/{scene}/lore/try", json={"text": "Good night."}, headers=key())
    said = (await client.get(f"/scenes/{scene}/messages")).json()["items"]

    assert [each["outcome"] for each in hit.json()["items"]] == ["fired"], hit.text
    assert miss.json() == {"items": []}
    assert said == []


async def test_plans_are_held_by_a_setting(client: httpx.AsyncClient, scene: str) -> None:
    url = f"/scenes/{scene}/settings"
    base = {"if-match": (await client.get(url)).headers["etag"]}
    held = await client.patch(url, json={"settings": {"hold_plan": True}}, headers=base)

    assert held.json()["settings"]["hold_plan"] is True


async def test_pictures_are_painted_listed_shown_and_taken_away(
    client: httpx.AsyncClient, scene: str, services: StageServices
) -> None:
    an_artist(services)
    url = f"/scenes/{scene}/pictures"
    made = (await client.post(url, json={"wish": "From the sea."}, headers=key())).json()
    portrait = (await client.post(url, json={"of": "Ann"}, headers=key())).json()
    listed = (await client.get(url)).json()["items"]
    shown = await client.get(f"{url}/1")
    gone = await client.delete(f"{url}/1")
    missing = await client.get(f"{url}/1")
    of_ann = (await client.get(url, params={"of": "Ann"})).json()["items"]

    assert (made["kept"]["number"], made["caption"]) == (1, "The quay.")
    assert [each["number"] for each in listed] == [1]
    assert (shown.headers["content-type"], shown.content) == ("image/png", PNG)
    assert gone.status_code == 204
    assert (missing.status_code, missing.json()["code"]) == (404, "no-such-picture")
    assert of_ann == [portrait["kept"]]


async def test_a_picture_of_a_character_needs_the_right_to_what_scenes_share(
    api: Api, scene: str, services: StageServices
) -> None:
    an_artist(services)
    async with api.client(api.token("read", "write", "run", subjects=(f"scene/{scene}",))) as bound:
        own = await bound.get(f"/scenes/{scene}/pictures")
        of_ann = await bound.get(f"/scenes/{scene}/pictures", params={"of": "Ann"})

    assert (own.status_code, of_ann.status_code) == (200, 403)


async def test_a_character_is_taken_over_spoken_for_and_given_back(
    client: httpx.AsyncClient, scene: str, services: StageServices
) -> None:
    said = {"text": "I lit it.", "voice": "Ann"}
    early = await client.post(f"/scenes/{scene}/messages", json=said, headers=key())
    taken = await client.post(f"/scenes/{scene}/take-over", json={"who": "Ann"}, headers=key())
    spoken = await client.post(f"/scenes/{scene}/messages", json=said, headers=key())
    back = await client.post(f"/scenes/{scene}/give-back", json={"who": "Ann"}, headers=key())

    assert (early.status_code, early.json()["code"]) == (409, "not-taken")
    assert [each["name"] for each in taken.json()["items"] if each["taken"]] == ["Ann"]
    assert spoken.status_code == 202
    voice = services.rounds.given[-1].voice
    assert voice is not None
    assert voice.name == "Ann"
    assert [each for each in back.json()["items"] if each["taken"]] == []


async def test_of_a_command_and_a_program_that_speak_at_once_one_is_refused_by_number(
    client: httpx.AsyncClient, scene: str, services: StageServices
) -> None:
    services.rounds.gate = asyncio.Event()
    command = rounds.play(services, scene, RoundOptions(text="From the command."), wait=None)
    program = client.post(f"/scenes/{scene}/messages", json={"text": "From the program."}, headers=key())
    done = await asyncio.gather(command, program, return_exceptions=True)
    services.rounds.gate.set()
    await services.rounds.result(scene)
    said = (await client.get(f"/scenes/{scene}/messages")).json()["items"][::-1]

    refusals = [each for each in done if isinstance(each, Refused)]
    answers = [each for each in done if isinstance(each, httpx.Response) and each.status_code == 409]
    told = [each.message for each in refusals] + [each.json()["detail"] for each in answers]
    assert len(told) == 1
    assert "round 1 runs" in told[0]
    assert [each["name"] for each in said] == ["Mira", "Ann", "Bob"]
    assert len(services.rounds.given) == 1
