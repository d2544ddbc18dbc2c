"""Headers with names in them: whatever a work is called, an answer is sent and says one thing."""

import httpx
import pytest

from gateway.http.answers import attachment
from tests.support.each import for_each
from tests.support.gateway.http import key

TITLE = "漢字 é 📚"


@pytest.mark.parametrize(
    ("resource", "body"),
    [
        ("worlds", {"name": TITLE}),
        ("characters", {"name": TITLE, "description": "Quiet."}),
        ("lorebooks", {"name": TITLE}),
        ("scenes", {"title": TITLE, "world": "skerrow"}),
    ],
)
async def test_what_has_a_name_of_any_letters_is_made_and_found_at_its_address(
    client: httpx.AsyncClient, world: str, resource: str, body: dict[str, str]
) -> None:
    made = await client.post(f"/{resource}", json=body, headers=key())
    place = made.headers["location"]
    found = await client.get(httpx.URL(str(client.base_url)).join(place))

    assert made.status_code == 201
    assert place.isascii()
    assert found.status_code == 200


async def test_a_scene_of_any_letters_is_saved_under_its_name(client: httpx.AsyncClient, world: str) -> None:
    made = await client.post("/scenes", json={"title": TITLE, "world": world}, headers=key())
    place = made.headers["location"].removeprefix("/api/v1")
    answer = await client.get(f"{place}/export", params={"format": "markdown"})

    assert answer.status_code == 200
    assert "filename*=UTF-8''%E6%BC%A2%E5%AD%97" in answer.headers["content-disposition"]


@for_each(
    "name, header",
    [
        ("tide.md", 'attachment; filename="tide.md"'),
        ("漢字.md", "attachment; filename=\"file.md\"; filename*=UTF-8''%E6%BC%A2%E5%AD%97.md"),
        ('a"; filename="b.exe', 'attachment; filename="a; filename=b.exe"'),
        ("a\r\nset-cookie: x=1.md", 'attachment; filename="aset-cookie: x=1.md"'),
        ("\u202egnp.exe", 'attachment; filename="gnp.exe"'),
        ("../../etc/passwd", 'attachment; filename="....etcpasswd"'),
    ],
)
def test_a_name_says_nothing_else_in_a_header(name: str, header: str) -> None:
    assert attachment(name) == {"content-disposition": header}


@pytest.mark.parametrize("title", ["\u202egnp.exe", "a\u2066b", "\u200b\u200d", "a\u2028b", "a\r\nx: y"])
async def test_a_title_that_turns_letters_around_or_shows_none_is_refused(
    client: httpx.AsyncClient, world: str, title: str
) -> None:
    answer = await client.post("/scenes", json={"title": title, "world": world}, headers=key())

    assert (answer.status_code, answer.json()["code"]) == (400, "bad-name")
