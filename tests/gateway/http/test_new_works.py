"""New works over the API: laid into the works folder, once for each order."""

import io
import zipfile
from pathlib import Path

import httpx
import pytest

from gateway.desk.installed_services import InstalledServices
from tests.support.gateway.http import Api, key
from tests.support.gateway.services import StageServices

BINARY = {"content-type": "application/octet-stream"}
TEXT = b"# The Boat\n\nThe tide went out.\n\n# The Lamp\n\nIt is dark.\n"


@pytest.fixture
def works(services: StageServices, tmp_path: Path) -> Path:
    """The works folder."""
    services.works = tmp_path / "works"
    return services.works


def names(folder: Path) -> list[str]:
    """What lies in a folder; nothing if there is none."""
    return [each.name for each in folder.iterdir()] if folder.exists() else []


async def test_a_book_is_laid_out_and_listed(client: httpx.AsyncClient, works: Path) -> None:
    order = {"title": "../Low Tide", "answers": {"author": "M. Orr"}}
    made = await client.post("/books", json=order, headers=key())
    unknown = await client.post("/books", json={"title": "x", "answers": {"colour": "y"}}, headers=key())
    listed = (await client.get("/books")).json()["items"]

    assert made.status_code == 201, made.text
    assert made.headers["location"] == f"/api/v1/books/{made.json()['id']}"
    assert [each["book_id"] for each in listed] == [made.json()["id"]]
    assert [each[:8] for each in names(works)] == ["low-tide"]
    assert (unknown.status_code, unknown.json()["code"]) == (400, "unknown-question")


@pytest.mark.parametrize("title", ["Low\nTide", "Low\x1b[2JTide", "Low\x9bTide", "Low\u202eTide"])
@pytest.mark.parametrize(
    ("address", "field"),
    [
        ("books", "title"),
        ("manuscripts", "title"),
        ("worlds", "name"),
        ("characters", "name"),
        ("personas", "name"),
        ("lorebooks", "name"),
    ],
)
async def test_a_title_that_no_list_can_show_is_refused_and_nothing_is_made(
    client: httpx.AsyncClient, works: Path, address: str, field: str, title: str
) -> None:
    refused = await client.post(f"/{address}", json={field: title}, headers=key())

    assert (refused.status_code, refused.json()["code"]) == (400, "bad-name"), refused.text
    assert names(works) == []


async def test_an_order_whose_answer_was_lost_makes_one_work(
    client: httpx.AsyncClient, services: StageServices, works: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost, order = key(), {"title": "Ebb"}
    with monkeypatch.context() as broken:
        broken.setattr(services.store.answers, "keep", _broken)
        broke = await client.post("/manuscripts", json=order, headers=lost)
    services.clock.later(days=2)
    again = await client.post("/manuscripts", json=order, headers=lost)
    other = await client.post("/manuscripts", json=order, headers=key())

    assert (broke.status_code, again.status_code, other.status_code) == (500, 201, 201)
    assert len(names(works)) == 2
    assert again.json()["id"] != other.json()["id"]


async def test_texts_become_a_book_and_a_manuscript(client: httpx.AsyncClient, works: Path) -> None:
    async def sent(place: str, **params: str) -> httpx.Response:
        return await client.post(place, params=params, content=TEXT, headers={**key(), **BINARY})

    book = await sent("/books/import", file_name="the_pier.md")
    paper = await sent("/manuscripts/import", file_name="pier.md", title="Piers")
    tree = (await client.get(f"/books/{book.json()['id']}/tree")).json()["items"]
    text = await client.get(f"/manuscripts/{paper.json()['id']}/-")

    assert (book.json()["title"], paper.json()["title"]) == ("The Pier", "Piers")
    assert len(tree) > 2
    assert "The tide went out." in text.text


def bomb() -> bytes:
    """An EPUB of some 100 KB that unpacks to 100 MB."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("META-INF/container.xml", "<container/>")
        archive.writestr("text.xhtml", b"\0" * 100_000_000)
    return packed.getvalue()


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("bomb.epub", bomb()),
        ("broken.docx", b"PK\x03\x04broken"),
        ("book.pdf", b"%PDF-1.7"),
        ("empty.md", b""),
        ("nul.md", b"a\0b"),
    ],
)
async def test_a_file_that_cannot_be_read_leaves_nothing(
    client: httpx.AsyncClient, works: Path, name: str, content: bytes
) -> None:
    answer = await client.post(
        "/books/import", params={"file_name": name}, content=content, headers={**key(), **BINARY}
    )

    assert answer.status_code in (400, 409), answer.text
    assert names(works) == []


async def test_a_guess_at_an_encoding_is_said(client: httpx.AsyncClient, works: Path) -> None:
    text = "Глава первая\n\nВода поднялась, и никто не переправлялся через реку.\n".encode("cp1251")

    made = await client.post(
        "/books/import", params={"file_name": "river.txt"}, content=text, headers={**key(), **BINARY}
    )

    assert made.status_code == 201, made.text
    assert "read as cp1251, a guess" in made.json()["notes"][0]
    assert names(works) != []


async def test_a_caller_for_one_book_makes_no_other(api: Api, works: Path) -> None:
    async with api.client(api.token("write", subjects=("book/tide",))) as client:
        answer = await client.post("/books", json={"title": "Mine"}, headers=key())

    assert (answer.status_code, answer.json()["code"]) == (403, "not-permitted")


@pytest.mark.parametrize("kind", ["books", "manuscripts"])
async def test_an_error_of_an_upload_names_the_callers_file(
    client: httpx.AsyncClient, works: Path, kind: str
) -> None:
    answer = await client.post(
        f"/{kind}/import", params={"file_name": "pier.txt"}, content=b"a\0b", headers={**key(), **BINARY}
    )

    assert answer.json()["detail"].startswith("'pier.txt' holds a NUL byte")
    assert "penwright-import" not in answer.text


@pytest.mark.parametrize("kind", ["books", "manuscripts"])
async def test_a_caller_who_may_make_nothing_has_nothing_read(api: Api, works: Path, kind: str) -> None:
    async with api.client(api.token("read")) as client:
        answer = await client.post(
            f"/{kind}/import", params={"file_name": "x.pdf"}, content=b"%PDF-", headers={**key(), **BINARY}
        )

    assert (answer.status_code, answer.json()["code"]) == (403, "not-permitted")


def _broken(*_: object) -> None:
    raise RuntimeError("the process ended here")


def test_new_works_lie_in_the_data_directory_unless_a_setting_names_a_place(tmp_path: Path) -> None:
    home = {"PENWRIGHT_HOME": str(tmp_path)}
    elsewhere = {**home, "PENWRIGHT_WEB__WORKS_FOLDER": str(tmp_path / "books")}

    assert InstalledServices(home).defaults().works == tmp_path / "works"
    assert InstalledServices(elsewhere).defaults().works == tmp_path / "books"
