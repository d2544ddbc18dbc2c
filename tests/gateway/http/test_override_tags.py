"""`tag` of orders that start a pipeline: its agents work with that set, as with `--tag` of the commands."""

from pathlib import Path
from typing import Any, NoReturn

import httpx
import pytest

from gateway.desk.manuscript import new_novels
from gateway.desk.works import books
from penwright.errors import Refused
from tests.support.gateway.http import key
from tests.support.gateway.services import Run, StageServices

STARTS: dict[str, tuple[str, dict[str, Any]]] = {
    "/books/{book}/sessions": ("ink/planner", {}),
    "/manuscripts/{novel}/-/write": ("manuscript/critic", {"instructions": "Write."}),
    "/manuscripts/{novel}/-/revise": ("manuscript/reviser", {"instruction": "Shorter."}),
    "/manuscripts/{novel}/-/citations/scan": ("manuscript/citation-generator", {}),
    "/scenes/{scene}/messages": ("scene/director", {"text": "Hello"}),
    "/scenes/{scene}/continue": ("scene/narrator", {}),
}


@pytest.fixture
def named(run: Run, book: Path, services: StageServices, tmp_path: Path, scene: str) -> dict[str, str]:
    """A book, a paper and a scene, and one set for each agent of the table above."""
    given = {"title": "Ebb", "author": "M. Orr"}
    novel = new_novels.create(services, tmp_path / "ebb", given, scenes={"-": "# Ebb\n\nMills.\n"})
    for agent, _ in STARTS.values():
        run("agent", "seed", agent, "--tag", "bold")
    return {"book": books.find(services, str(book)).book_id, "novel": novel.novel_id, "scene": scene}


@pytest.fixture
def started(services: StageServices, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Orders that reach the engine, which takes none."""
    orders: list[Any] = []

    async def start(order: Any) -> NoReturn:
        orders.append(order)
        raise Refused("enough", "nothing is started here")

    for door in (services.pipelines, services.manuscript_runs, services.scans, services.rounds):
        monkeypatch.setattr(door, "start", start)
    return orders


async def test_the_tag_of_an_order_stands_in_that_of_its_run_and_an_unknown_one_starts_nothing(
    client: httpx.AsyncClient, named: dict[str, str], started: list[Any]
) -> None:
    async def told(tag: str) -> list[Any]:
        asked = [(url.format(**named), {**body, "tag": tag}) for url, (_, body) in STARTS.items()]
        return [(await client.post(url, json=body, headers=key())).json() for url, body in asked]

    unknown = await told("blod")
    assert [each["code"] for each in unknown] == ["override-tag-unknown"] * len(STARTS)
    assert started == []

    answers = await told("bold")
    assert [order.override_tag for order in started] == ["bold"] * len(STARTS), answers
