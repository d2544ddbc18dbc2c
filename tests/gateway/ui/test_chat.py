"""The chat of a scene, and its rounds."""

from nicegui.testing import User

from tests.adapters.store.scenes.builders import a_state, a_turn, an_end, an_order
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


async def test_a_take_of_the_last_round_comes_back_from_the_log(user: User, services: StageServices) -> None:
    scene = a_scene(services, a_world(services))
    for text, order in (("Old.", {}), ("New.", {"kind": "regenerate", "text": ""})):
        opened = services.store.scenes.open_round(an_order(scene, "Hello?").model_copy(update=order))
        services.store.scenes.keep_turn(a_turn(services.store, scene, opened.number, "ann", text))
        services.store.scenes.close_round(an_end(scene, opened.number, a_state("ann")))

    await user.open(f"/scenes/{scene}?tab=log")
    await user.should_not_see("Old.")
    user.find("Bring round 1, take 1 back").click()

    await user.should_see("Old.")
    await user.should_not_see("New.")
