"""The place for dropped files asks for what the files do not tell."""

from typing import Any

from nicegui import ui
from nicegui.testing import User

from gateway.ui.parts.shared.drop import DropPlace
from schemas.worlds import World
from tests.support.gateway.services import StageServices


def wishes(user: User) -> Any:  # Any: props of NiceGUI
    (place,) = user.find(DropPlace).elements
    return place.props["wishes"]


async def test_a_dropped_chat_plays_in_the_only_world_or_in_the_one_that_is_chosen(
    user: User, services: StageServices
) -> None:
    first = services.store.worlds.create(World(id="", name="Skerrow")).id
    await user.open("/worlds")
    assert wishes(user) == f"world={first}"

    second = services.store.worlds.create(World(id="", name="Far & wide")).id
    await user.open("/worlds")
    assert wishes(user) == ""
    (field,) = [each for each in user.find(ui.select).elements if each.props["label"] == "World of chats"]
    field.value = second

    assert wishes(user) == f"world={second}"


async def test_without_a_world_the_page_says_that_a_chat_needs_one(user: User) -> None:
    await user.open("/worlds")

    (field,) = [each for each in user.find(ui.select).elements if each.props["label"] == "World of chats"]
    assert field.props["hint"] == "none yet: a chat needs a world to play in"
