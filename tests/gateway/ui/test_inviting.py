"""The operator's part of the scene page: seats are given by a link, seen, and taken away."""

import pytest
from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement
from nicegui.testing import User

from gateway.desk.scene.table.seats import invite, seat_of, seats
from gateway.ui import live
from schemas.worlds import Scene
from tests.gateway.ui.test_story import press
from tests.support.gateway.http import a_scene, a_world
from tests.support.gateway.services import StageServices


@pytest.fixture
def scene(services: StageServices, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(live, "_LOOK_S", 0.1)
    return a_scene(services, a_world(services))


async def test_a_seat_is_given_by_a_link_that_is_shown_once(
    user: User, services: StageServices, scene: str
) -> None:
    await user.open(f"/scenes/{scene}?tab=seats")
    await user.should_see("Nobody was invited yet.")

    press(user, "Invite")

    await user.should_see("Send this link to the one who is to play.")
    await user.should_see("has not come yet")
    (shown,) = user.find(kind=TextElement, content="/seat#pws_").elements
    link = shown.text
    assert seat_of(services, link.partition("#")[2]).character == "ann"
    await user.should_see("at the table")
    await user.open(f"/scenes/{scene}?tab=seats")
    await user.should_see("at the table")
    await user.should_not_see("pws_")


async def test_a_seat_is_taken_away(user: User, services: StageServices, scene: str) -> None:
    invite(services, scene, "Ann")
    await user.open(f"/scenes/{scene}?tab=seats")

    press(user, "Take Ann’s seat away")
    await user.should_see("was taken away")

    assert [each.over for each in seats(services, scene)] == ["taken-away"]


async def test_the_order_of_turns_is_set(user: User, services: StageServices, scene: str) -> None:
    await user.open(f"/scenes/{scene}?tab=seats")

    user.find(content="Who of the people speaks", kind=ui.select).click()
    user.find("one after the other").click()

    await user.should_see("who speaks: one after the other")
    found = services.store.worlds.read(Scene, scene)
    assert found is not None
    assert found.settings.turns == "initiative"
