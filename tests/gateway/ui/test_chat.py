"""The chat of a scene."""

from nicegui.testing import User

from tests.support.gateway.http import a_scene, a_world
from tests.support.gateway.services import StageServices
from tests.support.scenes.stopping import HALF, stopped_reply


async def test_a_reply_that_was_stopped_keeps_its_words_and_says_so(
    user: User, services: StageServices
) -> None:
    scene = a_scene(services, a_world(services))
    stopped_reply(services.store, scene, "ann", "Ann")

    await user.open(f"/scenes/{scene}")

    await user.should_see(HALF)
    await user.should_see("#2, round 1, stopped")
