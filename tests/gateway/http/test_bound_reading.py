"""What a caller who is bound to one scene may read: nothing that is told elsewhere, by any operation."""

from pathlib import Path

import pytest

from gateway.desk.principals import SCOPES
from gateway.desk.scene import changes, creating
from gateway.desk.scene.creating import NewScene
from schemas.lore import Lorebook
from schemas.worlds import Character, Persona, World
from tests.adapters.store.scenes.builders import a_memory, play
from tests.support.each import for_each
from tests.support.gateway.every_operation import OPERATIONS, Operation, Stage, a_stage
from tests.support.gateway.services import StageServices

MARK = "Unseen"
"""Stands in every name and text of what is elsewhere."""
READS = [
    each
    for each in OPERATIONS
    if each.method == "GET" and each.name not in ("follow_events", "follow_typing")
]


@pytest.fixture(scope="module")
def stage(founded: Path, tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """One of each thing; the scene that is played is a branch of another one of the same world."""
    services = StageServices()
    place = tmp_path_factory.mktemp("bound")
    made = a_stage(founded, place, services)
    worlds = services.store.worlds
    worlds.create(World(id="", name=f"{MARK} world"))
    worlds.create(Persona(id="", name=f"{MARK} persona"))
    worlds.create(Character(id="", name=f"{MARK} person", description=f"{MARK} description"))
    worlds.create(Lorebook(id="", name=f"{MARK} book"))
    elsewhere = creating.create(
        services, NewScene(title=f"{MARK} scene", world="skerrow", cast=("Ann",))
    ).scene
    creating.create(services, NewScene(title="Roof", world="skerrow", cast=(f"{MARK} person",)))
    play(services.store, elsewhere.id, f"{MARK} words", who="ann")
    kept = a_memory(elsewhere.id, f"{MARK} memory", who="ann", world="skerrow")
    services.store.memories.remember([kept], None)
    _, own = changes.branch(services, elsewhere.id, 0, "Branch")
    play(services.store, own.id, who="ann")
    made.known |= {"scene_id": own.id, "number": 1}
    return made


def named(operation: Operation) -> str:
    return operation.name


@for_each("operation", READS)
async def test_nothing_from_elsewhere_is_read_with_a_token_for_a_scene(
    stage: Stage, operation: Operation
) -> None:
    answer = await stage.ask(operation, *SCOPES, subjects=(f"scene/{stage.known['scene_id']}",))

    assert MARK not in answer.text


async def test_a_file_of_a_scene_names_only_its_own_people_to_a_token_for_it(stage: Stage) -> None:
    (export,) = [each for each in OPERATIONS if each.name == "export_scene"]
    stage.known["format"] = "json"
    bound = await stage.ask(export, *SCOPES, subjects=(f"scene/{stage.known['scene_id']}",))
    free = await stage.ask(export, *SCOPES)

    assert [each["name"] for each in bound.json()["cast"]] == ["Ann"]
    assert len(free.json()["cast"]) == 4
