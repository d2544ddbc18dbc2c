"""An order that was refused did nothing, so its key is free for another one."""

from typing import Any

import httpx

from tests.support.each import for_each
from tests.support.gateway.http import key

# Any: JSON.
Body = dict[str, Any]


@for_each(
    "address, refused, other",
    [
        ("force", {"who": "Zog"}, {"who": "Ann"}),
        ("veto", {"who": "Zog"}, {"who": "Ann"}),
        ("veto", {"whom": "Ann"}, {"who": "Ann"}),
        ("hand-over", {"who": "Zog"}, {"who": "Nell"}),
        ("take-over", {"who": "Zog"}, {"who": "Ann"}),
        ("give-back", {"who": "Bob"}, {"who": "Ann"}),
        ("note", {"text": ""}, {"text": "Keep it quiet."}),
        ("note", {"text": "x" * 5_000}, {"text": "Keep it quiet."}),
        ("plan", {"pass_number": 1}, {"pass_number": 2}),
        ("stop", {"reason": "a"}, {"reason": "b"}),
        ("state/reinstate", {"who": "Ann", "field": "mood"}, {"who": "Bob", "field": "mood"}),
        ("redo", {"round": 9}, {"round": 8}),
        ("branches", {"after_round": 9, "title": "x"}, {"after_round": 0, "title": "x"}),
        ("messages", {"text": " "}, {"text": "Hello."}),
        ("regenerate", {"message": 99}, {"message": 2}),
    ],
)
async def test_the_key_of_a_refused_order_carries_another_one_out(
    client: httpx.AsyncClient, scene: str, address: str, refused: Body, other: Body
) -> None:
    url, headers = f"/scenes/{scene}/{address}", key()
    first = await client.post(url, json=refused, headers=headers)
    second = await client.post(url, json=other, headers=headers)

    assert first.status_code >= 400, first.text
    assert second.json().get("code") != "key-reused", second.text


async def test_the_key_of_a_batch_of_which_nothing_was_done_carries_another_one_out(
    client: httpx.AsyncClient, scene: str
) -> None:
    headers = key()
    orders: list[Body] = [{"runs": ["scene~gone!s1"], "action": each} for each in ("pause", "pause", "kill")]
    answers = [await client.post("/runs/batch", json=each, headers=headers) for each in orders]

    assert [each.status_code for each in answers] == [200, 200, 200], answers[-1].text
    assert [each.headers.get("idempotency-replayed") for each in answers] == [None, None, None]
    assert {item["done"] for each in answers for item in each.json()["items"]} == {False}
