"""The story of a book over the API: read by who may read, decided on by who may write."""

from pathlib import Path

import httpx
import pytest

from gateway.desk.works import books
from penwright.domain.book.files.layout import DECISIONS
from tests.gateway.cli.book.test_story import BURNT, GREEN, GREY, lay_story
from tests.support.gateway.http import Api, key
from tests.support.gateway.services import StageServices


@pytest.fixture
def book_id(services: StageServices, book: Path) -> str:
    lay_story(book)
    return books.at(services, book).book_id


async def test_the_story_of_a_book_is_told(client: httpx.AsyncClient, book_id: str) -> None:
    at = f"/books/{book_id}"
    story, facts, threads, brief = [
        (await client.get(f"{at}/{each}")).json()
        for each in ("story", "facts?about=The+Keeper&chapter=1", "threads", "brief")
    ]

    assert [each["summaries"] for each in story["chapters"]] == [["Mara comes home."], ["Mara goes on."]]
    assert story["unread_words"] == 5
    ((fact,),) = (each["facts"] for each in facts["entities"])
    assert (fact["value"], fact["number"], fact["place"]["quote"]) == ("grey", 1, GREY)
    assert [(each["name"], each["steps"][0][1]["quote"]) for each in threads["threads"]] == [
        ("the ledger", BURNT)
    ]
    assert brief["text"].startswith("## Story so far")


async def test_contradictions_are_decided_on_as_they_were_listed(
    client: httpx.AsyncClient, book: Path, book_id: str
) -> None:
    url = f"/books/{book_id}/continuity"
    seen = (await client.get(url)).json()
    order = {"commit": seen["commit"], "later": [1]}

    done = await client.post(f"{url}/decide", json=order, headers=key())
    stale = await client.post(f"{url}/decide", json=order, headers=key())
    now = done.json()["continuity"]
    fixed = await client.post(
        f"{url}/decide",
        json={"commit": now["commit"], "not_later": [1], "correct": {"2": "grey"}},
        headers=key(),
    )

    assert [each["later"]["quote"] for each in seen["contradictions"]] == [GREEN]
    assert (now["contradictions"], len(now["later"])) == ([], 1)
    assert (stale.status_code, stale.json()["code"]) == (412, "stale-revision")
    assert fixed.json()["continuity"]["decided"]["corrected"] == 1
    assert "value: grey\n" in (book / DECISIONS).read_text()


async def test_a_reading_is_estimated_and_started(
    client: httpx.AsyncClient, book_id: str, services: StageServices
) -> None:
    estimate = (await client.get(f"/books/{book_id}/reading")).json()
    begun = (await client.post(f"/books/{book_id}/reading", json={"again": True}, headers=key())).json()

    assert (estimate["words"], estimate["calls"]) == (5, 1)
    (order,) = services.readings.started
    assert (order.again, begun["fresh"]) == (True, True)
    assert begun["run"] == f"continuity/{book_id}#{order.session}"


async def test_a_token_that_only_reads_decides_nothing(api: Api, book_id: str) -> None:
    async with api.client(api.token("read")) as reader:
        seen = await reader.get(f"/books/{book_id}/continuity")
        decided = await reader.post(
            f"/books/{book_id}/continuity/decide",
            json={"commit": seen.json()["commit"], "intended": [1]},
            headers=key(),
        )

    assert (seen.status_code, decided.status_code) == (200, 403)
