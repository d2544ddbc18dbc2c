"""The whole loop over a scripted model, with every order and outcome sent over the wire."""

from penwright.errors import ModelUnavailable
from tests.support.agents_clerk import clerk
from tests.support.agents_loop import World, call, calls, outcomes, say


def test_a_plain_answer_completes_the_run() -> None:
    world = World(clerk(), [say("Done, sir.")])
    run = world.play()
    assert run.state.ended
    assert (world.result().outcome, world.result().output) == ("completed", "Done, sir.")
    assert [message.role for message in world.chain] == ["user", "assistant"]


def test_a_call_is_carried_out_and_its_result_told() -> None:
    world = World(clerk(), [calls(call("read_page", '{"path": "a.md"}')), say("Read.")], files={"a.md": "d1"})
    run = world.play()
    assert outcomes(run) == [("succeeded", "")]
    assert world.told() == ["page a.md: d1"]
    assert world.result().outcome == "completed"


def test_a_model_that_cannot_be_asked_fails_the_run_with_its_code() -> None:
    world = World(clerk(), [ModelUnavailable("model-unavailable", "nobody answers; look at the provider")])
    world.play()
    assert (world.result().outcome, world.result().code) == ("failed", "model-unavailable")
