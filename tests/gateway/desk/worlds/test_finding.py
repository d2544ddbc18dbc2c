"""Finding things by id or name."""

import pytest

from gateway.desk.worlds.finding import above, found
from gateway.desk.worlds.kinds import ARC, CHARACTER
from penwright.errors import NotFound, UsageMistake
from schemas.worlds import Arc, Campaign, Character, World
from tests.support.doubles.scenes import MemoryWorlds, Shelf


@pytest.fixture
def worlds() -> MemoryWorlds:
    made = MemoryWorlds(Shelf())
    made.create(World(id="", name="Harbour"))
    for name in ("Fog", "Ebb"):
        made.create(Campaign(id="", world="harbour", name=name))
        made.create(Arc(id="", campaign=name.lower(), name="First night"))
    return made


def test_an_arc_of_a_name_that_two_campaigns_use_is_found_within_one_of_them(worlds: MemoryWorlds) -> None:
    with pytest.raises(UsageMistake) as caught:
        found(worlds, ARC, "First night")

    assert caught.value.message.endswith("first-night (of fog), first-night-2 (of ebb)")
    assert caught.value.details["candidates"] == "first-night,first-night-2"
    assert found(worlds, ARC, "first night", below="ebb").id == "first-night-2"
    assert above(found(worlds, ARC, "first-night-2")) == "ebb"


def test_names_that_are_prefixes_of_others_are_not_found_by_guessing(worlds: MemoryWorlds) -> None:
    for name in ("Ana", "Anabel", "アナ"):
        worlds.create(Character(id="", name=name))

    assert found(worlds, CHARACTER, "ana").name == "Ana"
    assert found(worlds, CHARACTER, "アナ").name == "アナ"
    with pytest.raises(NotFound) as caught:
        found(worlds, CHARACTER, "Anabe")
    assert "did you mean 'anabel'" in caught.value.message


def test_all_who_have_a_name_that_is_near_are_named(worlds: MemoryWorlds) -> None:
    for _ in range(2):
        worlds.create(Character(id="", name="Mara"))
    with pytest.raises(NotFound) as caught:
        found(worlds, CHARACTER, "Mora")

    assert caught.value.message.endswith("did you mean 'mara', 'mara-2'?")


def test_a_message_lists_few_of_many_candidates(worlds: MemoryWorlds) -> None:
    for _ in range(200):
        worlds.create(Character(id="", name="Twin"))
    with pytest.raises(UsageMistake) as caught:
        found(worlds, CHARACTER, "TWIN")

    assert caught.value.message.startswith("200 characters are called 'TWIN': twin, twin-2")
    assert caught.value.message.endswith("and 192 more")
