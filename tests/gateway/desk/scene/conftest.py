"""A scene with a cast of two."""

import pytest

from gateway.desk.scene import creating
from gateway.desk.scene.creating import NewScene
from schemas.worlds import Character, Persona, World
from tests.support.gateway.services import StageServices


@pytest.fixture
def services() -> StageServices:
    """A world with three characters and a persona, and a scene with two of them."""
    made = StageServices()
    worlds = made.store.worlds
    worlds.create(World(id="", name="Skerrow"))
    for name in ("Ann", "Bob", "Cleo"):
        worlds.create(Character(id="", name=name))
    worlds.create(Persona(id="", name="Mira"))
    worlds.create(Persona(id="", name="Nell"))
    creating.create(made, NewScene(title="Quay", world="skerrow", cast=("Ann", "Bob"), persona="Mira"))
    return made
