"""``penwright scene picture`` and ``pictures``: described, painted, kept, written to a file, taken away."""

import json
from pathlib import Path
from typing import Any

import pytest

from schemas.agent_run import AgentRunInput
from schemas.base import Cause
from tests.gateway.cli.scene.conftest import Told
from tests.support.gateway.agents import RehearsedAgents
from tests.support.gateway.artist import PNG, an_artist
from tests.support.gateway.services import Run, StageServices


@pytest.fixture
def artist(people: StageServices) -> StageServices:
    """A visual role that answers, and a model for images."""
    an_artist(people)
    return people


def agents(services: StageServices) -> RehearsedAgents:
    assert services.agents is not None
    return services.agents


def given(services: StageServices) -> list[AgentRunInput]:
    """The runs that were asked for."""
    return agents(services).given


def refused(run: Run, *arguments: str) -> Any:  # Any: JSON
    code, out, _ = run("scene", *arguments, "--json")
    assert code != 0
    return json.loads(out)


def test_a_picture_is_described_from_the_scene_painted_and_kept(
    scene: str, told: Told, artist: StageServices, tmp_path: Path
) -> None:
    told("say", scene, "Who lit the lamp?")
    made = told("picture", scene, "From the sea.")
    told("pictures", scene, "1", "--output", str(tmp_path / "quay.png"))

    asked = [(each.agent, each.model_role, each.subject) for each in given(artist)]
    assert asked == [
        ("scene/visual", "visual", f"scene/{scene}"),
        ("scene/painter", "images", f"scene/{scene}"),
    ]
    material, prompt = (
        artist.store.blobs.get(each.task_at).decode() for each in given(artist) if each.task_at
    )
    assert "Who lit the lamp?" in material
    assert "From the sea." in material
    assert prompt == "A quay at night, ink.\n\nNot in the picture: letters"
    assert (made["status"], made["number"], made["cost_micros"]) == ("painted", 1, 20)
    assert (tmp_path / "quay.png").read_bytes() == PNG


def test_without_a_model_for_images_there_is_a_prompt_and_the_way_to_one(
    scene: str, run: Run, artist: StageServices
) -> None:
    artist.image_model = ""
    code, out, _ = run("scene", "picture", scene)
    wanted = refused(run, "picture", scene, "--paint")

    assert code == 0
    assert "A quay at night, ink." in out
    assert 'write `images = "NAME"` under [roles]' in " ".join(out.split())
    assert wanted["code"] == "no-image-model"
    assert [each.agent for each in given(artist)] == ["scene/visual"]


def test_a_portrait_is_kept_with_its_character_and_can_be_taken_away(
    scene: str, told: Told, run: Run, artist: StageServices
) -> None:
    told("picture", scene, "--of", "Ann")
    kept, of_scene = told("pictures", scene, "--of", "Ann"), told("pictures", scene)
    told("pictures", scene, "--of", "Ann", "--remove", "1")

    assert [each["caption"] for each in kept["pictures"]] == ["The quay."]
    assert of_scene["pictures"] == []
    assert told("pictures", scene, "--of", "Ann")["pictures"] == []
    assert refused(run, "pictures", scene, "--of", "Ann", "--remove", "1")["code"] == "no-such-picture"


def test_a_painter_that_fails_leaves_the_description_and_says_where_it_is(
    scene: str, run: Run, told: Told, artist: StageServices
) -> None:
    agents(artist).answers["scene/painter"] = Cause(code="model-unavailable", message="It is down.")

    failed = refused(run, "picture", scene)

    assert (failed["code"], "penwright run show" in failed["next"]) == ("model-unavailable", True)
    assert told("pictures", scene)["pictures"] == []


def test_a_wish_that_is_too_long_is_refused_before_a_model_is_asked(
    scene: str, run: Run, artist: StageServices
) -> None:
    wish = "fog " * 1_000 + "!"

    assert refused(run, "picture", scene, wish)["code"] == "wish-too-long"
    assert given(artist) == []
