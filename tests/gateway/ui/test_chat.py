"""The chat of a scene, and its rounds."""

from nicegui.testing import User

from gateway.desk.scene import changes
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


async def test_what_was_found_in_a_reply_stands_at_its_message_until_it_is_edited(
    user: User, services: StageServices
) -> None:
    scene = a_scene(services, a_world(services))
    opened = services.store.scenes.open_round(an_order(scene, "Hello?"))
    turn = a_turn(services.store, scene, opened.number, "ann", "Sam says yes.")
    record = turn.record.model_copy(update={"reason": "it speaks for Sam"})
    message = services.store.scenes.keep_turn(turn.model_copy(update={"record": record}))
    end = an_end(scene, opened.number, a_state("ann"))
    played = end.round.model_copy(update={"turns": (record.model_copy(update={"message": message}),)})
    services.store.scenes.close_round(end.model_copy(update={"round": played}))

    await user.open(f"/scenes/{scene}?tab=log")
    await user.should_see("it speaks for Sam")
    changes.edit(services, scene, message, "Ann nods.", who="sam")
    await user.open(f"/scenes/{scene}?tab=log")

    await user.should_see("Ann nods.")
    await user.should_not_see("it speaks for Sam")


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
