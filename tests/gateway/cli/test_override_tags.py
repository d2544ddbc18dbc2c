"""``--tag`` of the commands that start a pipeline: its agents work with that set, before their profiles'."""

from pathlib import Path
from typing import Any, NoReturn

import pytest

from gateway.desk.manuscript import new_novels
from penwright.errors import Refused
from tests.support.gateway.http import a_scene, a_world
from tests.support.gateway.services import Run, StageServices

STARTS = {
    "book session {book}": "ink/writer",
    "manuscript write {novel} -i Write.": "manuscript/critic",
    "manuscript revise {novel} -i Shorter.": "manuscript/reviser",
    "cite scan {novel}": "manuscript/citation-generator",
    "scene say the-quay Hello": "scene/director",
    "scene continue the-quay": "scene/narrator",
    "scene narrate the-quay": "scene/narrator",
    "scene regenerate the-quay": "scene/character",
}


@pytest.fixture
def named(run: Run, book: Path, services: StageServices, tmp_path: Path) -> dict[str, str]:
    """A book, a paper and a scene with a round, and one set for each agent of the table above."""
    new_novels.create(
        services, tmp_path / "ebb", {"title": "Ebb", "author": "M. Orr"}, scenes={"-": "# Ebb\n\nMills.\n"}
    )
    a_scene(services, a_world(services))
    run("scene", "say", "the-quay", "Hello")
    for agent in set(STARTS.values()):
        run("agent", "seed", agent, "--tag", "bold")
    return {"book": str(book), "novel": str(tmp_path / "ebb")}


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


def test_the_tag_of_a_command_stands_in_the_order_of_its_run(
    run: Run, named: dict[str, str], started: list[Any]
) -> None:
    said = [run(*words.format(**named).split(), "--tag", "bold")[2] for words in STARTS]

    assert [order.override_tag for order in started] == ["bold"] * len(STARTS), said


def test_a_tag_that_no_agent_of_the_pipeline_has_starts_nothing_and_names_the_nearest(
    run: Run, named: dict[str, str], started: list[Any]
) -> None:
    said = {words: run(*words.format(**named).split(), "--tag", "blod") for words in STARTS}

    assert started == []
    assert {words: err for words, (_, _, err) in said.items() if "did you mean 'bold'?" not in err} == {}
    assert {code for code, _, _ in said.values()} == {1}
