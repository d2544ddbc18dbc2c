"""What ``penwright status`` says of books, novels and scenes below the processes."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from schemas.base import Effect, OpId, Progress
from schemas.director import Steering
from schemas.scene import CloseRound, OpenRound, Round
from schemas.worlds import Arc, Campaign, Scene, World
from tests.support.gateway.services import Run, StageServices
from workers.engine.status import status
from workers.settings import load

AT = datetime(2026, 3, 1, 9, tzinfo=UTC)


@pytest.fixture(autouse=True)
def an_engine_that_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    told = status(load()) | {"running": True, "pid": 7}
    monkeypatch.setattr("workers.engine.status.status", lambda loaded: dict(told))


@pytest.fixture
def scene(services: StageServices) -> Scene:
    worlds = services.store.worlds
    world = worlds.create(World(id="", name="Skerrow"))
    campaign = worlds.create(Campaign(id="", world=world.id, name="Fog"))
    arc = worlds.create(Arc(id="", campaign=campaign.id, name="One"))
    return worlds.create(Scene(id="", arc=arc.id, title="The Quay"))


def work(run: Run) -> dict[str, Any]:
    code, out, err = run("status", "--json")
    assert code == 0, out + err
    return {each["subject"]: each for each in json.loads(out)["work"]}


def played(services: StageServices, scene: Scene, status: str, code: str = "") -> None:
    scenes = services.store.scenes
    effect = Effect(op_id=OpId(f"t/{status}/1"), issued_at=AT)
    opened = scenes.open_round(OpenRound(effect=effect, scene=scene.id, session="s", text="Ahoy."))
    if status == "running":
        return
    ended = Round.model_validate(
        {"scene": scene.id, "number": opened.number, "kind": "message", "status": status, "code": code}
        | {"started_at": AT, "ended_at": AT}
    )
    effect = Effect(op_id=OpId(f"t/{status}/2"), issued_at=AT)
    scenes.close_round(CloseRound(effect=effect, scene=scene.id, round=ended, state=scenes.state(scene.id)))


def test_a_scene_at_rest_is_not_listed(services: StageServices, scene: Scene, run: Run) -> None:
    played(services, scene, "completed")

    assert work(run) == {}
    assert "nothing runs, and nothing needs you" in run("status")[1]


def test_a_round_that_runs_is_listed_with_what_it_does(
    services: StageServices, scene: Scene, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def running() -> dict[str, Progress]:
        told = Progress(pipeline="director-round", subject=scene.id, stage="act", detail="Ann acts")
        return {scene.id: told}

    monkeypatch.setattr(services.rounds, "running", running)

    assert work(run)[scene.id] == {
        "kind": "scene",
        "subject": scene.id,
        "state": "act",
        "detail": "Ann acts",
        "attention": [],
    }


@pytest.mark.parametrize("status", ["failed", "completed-with-errors"])
def test_a_round_that_failed_is_listed_with_its_code_and_the_next_command(
    services: StageServices, scene: Scene, run: Run, status: str
) -> None:
    played(services, scene, status, "model-unavailable")

    (one,) = work(run)[scene.id]["attention"]
    assert one["reason"].startswith("round 1 ")
    assert "(model-unavailable)" in one["reason"]
    assert one["command"] == f"penwright scene show {scene.id} --round 1"


def test_a_round_that_nothing_plays_is_listed(services: StageServices, scene: Scene, run: Run) -> None:
    played(services, scene, "running")

    (one,) = work(run)[scene.id]["attention"]
    assert one["command"] == f"penwright scene kill {scene.id}"


def test_what_is_planned_for_the_next_round_is_listed(
    services: StageServices, scene: Scene, run: Run
) -> None:
    services.store.worlds.change(
        scene.model_copy(update={"steering": Steering(force=("ann",), veto=("bob",))})
    )

    (one,) = work(run)[scene.id]["attention"]
    assert one["reason"] == "planned for the next round: ann acts, bob does not act"


def test_a_session_that_waits_for_an_outside_agent_is_listed(book: Path, run: Run) -> None:
    run("book", "open", str(book))

    (line,) = work(run).values()

    assert (line["kind"], line["state"]) == ("book", "open")
    assert line["detail"] == "Waiting for an outside agent to deliver its prose"


def test_books_that_need_a_person_are_listed_beside_scenes(
    services: StageServices, scene: Scene, book: Path, run: Run
) -> None:
    (book / "Global Material/Config.yml").unlink()
    played(services, scene, "failed", "no-plan")

    lines = run("status")[1].splitlines()

    assert [line for line in lines if line.startswith("  scene the-quay, failed")]
    assert [line for line in lines if line.startswith("  book low-tide")]


def test_a_store_that_does_not_answer_is_said_and_the_processes_are_still_shown(
    services: StageServices, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from penwright.errors import StoreUnavailable

    def gone() -> None:
        raise StoreUnavailable("store-unavailable", "the database does not answer")

    monkeypatch.setattr(services, "open_store", gone)

    code, out, _ = run("status")

    assert code == 0
    assert "not all of it is known: the database does not answer" in out
