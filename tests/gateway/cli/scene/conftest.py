"""A scene with two of its cast present, a third who is not, and a persona."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from schemas.worlds import Character, Persona, World
from tests.support.gateway.services import Run, StageServices

Told = Callable[..., Any]  # Any: JSON
"""Arguments after ``scene`` -> the answer under --json; the command must succeed."""


@pytest.fixture
def people(services: StageServices) -> StageServices:
    """A world with its people, and no scene."""
    worlds = services.store.worlds
    worlds.create(World(id="", name="Skerrow"))
    for name, nickname in (("Ann Quist", "Ann"), ("Bob Vane", "Bob"), ("Cleo", "")):
        worlds.create(Character(id="", name=name, nickname=nickname))
    worlds.create(Persona(id="", name="Mira"))
    return services


@pytest.fixture
def told(run: Run) -> Told:
    def told(*arguments: str, stdin: bytes | None = None) -> Any:
        code, out, err = run("scene", *arguments, "--json", stdin=stdin)
        assert code == 0, out + err
        return json.loads(out)

    return told


@pytest.fixture
def scene(people: StageServices, told: Told) -> str:
    """Id of a scene with Ann and Bob."""
    id: str = told(
        "create", "The Quay", "--world", "skerrow", "--cast", "Ann Quist,Bob Vane", "--persona", "Mira"
    )["scene"]
    return id
