"""Drafts over the API."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from penwright.domain.text.merging.changesets import MOST_UNITS
from tests.support.gateway.http import Api
from tests.support.gateway.services import StageServices, git_in

SOUL = "Global Material/Soul.md"
TEXT = "# Soul\n\nOne.\n"


@pytest.fixture
def named(book: Path, services: StageServices) -> str:
    (book / SOUL).write_text(TEXT)
    git_in(book, "add", ".")
    git_in(book, "commit", "-q", "-m", "By hand")
    return services.book(book).book_id


async def opened(client: httpx.AsyncClient, named: str) -> str:
    answer = await client.post("/drafts", json={"work": named, "path": SOUL})
    assert answer.status_code == 200, answer.text
    assert answer.headers["etag"] == '"v0"'
    assert answer.json()["text"] == TEXT
    return f"/drafts/{answer.json()['draft_id']}"


# Any: parts of a change set.
async def typed(
    client: httpx.AsyncClient, draft: str, version: int, op: str, *changes: Any
) -> httpx.Response:
    body = {"op_id": op, "changes": changes}
    return await client.post(f"{draft}/changes", json=body, headers={"if-match": f'"v{version}"'})


async def test_a_person_opens_types_reads_and_saves(api: Api, named: str, book: Path) -> None:
    async with api.browser() as client:
        draft = await opened(client, named)
        kept = await typed(client, draft, 0, "operation-1", 13, [0, "Two.", ""])
        read = await client.get(draft)
        saved = await client.post(f"{draft}/save")

    assert kept.json() == {"version": 1, "replayed": False}
    assert (read.headers["etag"], read.json()["text"]) == ('"v1"', TEXT + "Two.\n")
    assert (saved.status_code, saved.json()["disputes"]) == (200, [])
    assert git_in(book, "rev-parse", "HEAD").strip() == saved.json()["commit"]
    assert (book / SOUL).read_text() == TEXT + "Two.\n"


async def test_a_draft_saved_without_a_word_is_warned_of(api: Api, named: str) -> None:
    async with api.browser() as client:
        draft = await opened(client, named)
        await typed(client, draft, 0, "operation-1", [len(TEXT)])
        saved = await client.post(f"{draft}/save")

    (warning,) = saved.json()["warnings"]
    assert warning.startswith(f"{SOUL} holds no words any more, ")
    assert f"`penwright book restore {named} --text '{SOUL}'` brings them back" in warning


async def test_words_typed_today_are_those_of_the_caller(
    api: Api, named: str, services: StageServices
) -> None:
    async with api.browser() as client:
        draft = await opened(client, named)
        await typed(client, draft, 0, "operation-1", 13, [0, "Yesterday we wrote.", ""])
        services.clock.later(hours=10)
        await typed(client, draft, 1, "operation-2", 33, [0, "Two words.", ""])
        mine = await client.get(f"{draft}/today")
        async with api.client(api.token("write")) as other:
            theirs = await other.get(f"{draft}/today")

    assert mine.json() == {"day": "2026-02-23", "text": 2, "work": 2}
    assert theirs.json() == {"day": "2026-02-23", "text": 0, "work": 0}


async def test_a_page_is_told_whose_other_pages_have_the_draft_open(api: Api, named: str) -> None:
    async with api.browser() as client:
        draft = await opened(client, named)
        tabs = [{"since": "0", "page": f"{number:024x}"} for number in range(3)]
        async with api.client(api.token("write")) as other:
            await other.get(f"{draft}/changes", params=tabs[0])
        await client.get(f"{draft}/changes", params=tabs[1])
        answer = await client.get(f"{draft}/changes", params=tabs[2])
        wrong = await client.get(f"{draft}/changes", params={"since": 0, "page": "<b>"})

    found = answer.json()["others"]
    assert sorted((each["name"] == "test", each["own"]) for each in found) == [(False, True), (True, False)]
    assert wrong.status_code == 422


async def test_a_late_change_is_told_what_it_missed_and_a_repeated_one_that_it_is_kept(
    api: Api, named: str
) -> None:
    async with api.browser() as client:
        draft = await opened(client, named)
        await typed(client, draft, 0, "operation-1", 13, [0, "Two."])
        late = await typed(client, draft, 0, "operation-2", 13, [0, "Three."])
        again = await typed(client, draft, 0, "operation-1", 13, [0, "Two."])
        changes = await client.get(f"{draft}/changes", params={"since": 0})

    missed = {"version": 0, "op_id": "operation-1", "changes": [13, [0, "Two."]], "author": "ada"}
    assert late.status_code == 412
    assert late.json() == {"version": 1, "missed": [missed | {"kind": "person"}]}
    assert again.json() == {"version": 1, "replayed": True}
    assert changes.json()["changes"] == late.json()["missed"]


@pytest.mark.parametrize("character", ["\N{CJK UNIFIED IDEOGRAPH-6D77}", "\x01"])
async def test_a_change_may_have_as_much_text_as_a_draft(api: Api, named: str, character: str) -> None:
    most = MOST_UNITS - len(TEXT)
    async with api.browser() as client:
        draft = await opened(client, named)
        kept = await typed(client, draft, 0, "operation-1", len(TEXT), [0, character * most])
        longer = await typed(client, draft, 1, "operation-2", MOST_UNITS, [0, "x"])

    assert (kept.status_code, kept.json()) == (200, {"version": 1, "replayed": False})
    assert (longer.status_code, longer.json()["code"]) == (400, "text-too-long")


async def test_a_change_without_its_version_is_refused(api: Api, named: str) -> None:
    async with api.browser() as client:
        draft = await opened(client, named)
        body = {"op_id": "operation-1", "changes": [13]}
        answers = [
            await client.post(f"{draft}/changes", json=body),
            await client.post(f"{draft}/changes", json=body, headers={"if-match": "*"}),
            await typed(client, draft, 0, "short", 13),
            await typed(client, draft, 0, "operation-1", 99),
            await client.post(
                f"{draft}/changes",
                content=b'{"op_id": "operation-1", "changes": [[0, "\\ud800"], 13]}',
                headers={"if-match": '"v0"', "content-type": "application/json"},
            ),
            await client.get("/drafts/0123456789abcdef"),
            await client.get("/drafts/..%2f..%2fetc"),
        ]

    assert [answer.status_code for answer in answers] == [428, 422, 422, 400, 400, 404, 404]
    assert answers[3].json()["code"] == "bad-changes"


async def test_waiting_for_a_change_ends_with_it(api: Api, named: str) -> None:
    async with api.browser() as ann, api.browser() as ben:
        draft = await opened(ann, named)
        waiting = asyncio.create_task(ben.get(f"{draft}/changes", params={"since": 0, "wait": 20}))
        await asyncio.sleep(0.2)
        await typed(ann, draft, 0, "operation-1", 13, [0, "Two."])
        brought = await asyncio.wait_for(waiting, 10)

    assert [change["op_id"] for change in brought.json()["changes"]] == ["operation-1"]


async def test_a_token_of_another_book_finds_no_draft(api: Api, named: str) -> None:
    async with api.browser() as client:
        draft = await opened(client, named)
    async with api.client(api.token("read", "write", subjects=("book/other",))) as stranger:
        answers = [await stranger.get(draft), await stranger.post(f"{draft}/save")]
    async with api.client(api.token("read")) as reader:
        refused = await typed(reader, draft, 0, "operation-1", 13)

    assert [answer.status_code for answer in answers] == [404, 404]
    assert refused.status_code == 403
