"""Rounds while others want one, too: refused, queued, stopped, steered, watched."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from gateway.cli.output import Interrupted
from gateway.cli.scene.timelines import round_lines
from gateway.desk.engine.waits import at_most, quietly
from gateway.desk.scene import casting, changes, rounds, steering, views
from gateway.desk.scene.orders import RoundOptions
from gateway.desk.scene.rounds import Played
from penwright.errors import NotFound, Refused
from schemas.base import Effect, OpId
from schemas.control import KillRequest
from schemas.director import Steering
from schemas.director_round import DirectorRoundInput
from schemas.scene import OpenRound, SceneMessage
from schemas.worlds import Scene
from tests.support.gateway.services import StageServices

HELLO = RoundOptions(text="Hello?")
NEXT = RoundOptions(text="And now?")


@pytest.fixture
def gate(services: StageServices) -> asyncio.Event:
    """While it is not set, a round waits before its second speaker."""
    services.rounds.gate = asyncio.Event()
    return services.rounds.gate


async def begun(services: StageServices, wanted: RoundOptions = HELLO) -> Played:
    """A round that waits at the gate."""
    played = await rounds.play(services, "quay", wanted, wait=None)
    await until(lambda: len(services.store.scenes.messages("quay")) == 2)
    return played


async def until(done: Callable[[], bool]) -> None:
    """Wait until it is so; what is waited for happens in this loop."""
    for _ in range(500):
        if done():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not come about")


async def test_a_second_speaker_is_refused_with_the_number_and_session_of_the_round(
    services: StageServices, gate: asyncio.Event
) -> None:
    first = await begun(services)

    with pytest.raises(Refused) as refusal:
        await rounds.play(services, "quay", NEXT, wait=None)

    assert refusal.value.code == "round-runs"
    assert "round 1 runs" in refusal.value.message
    assert first.given.session in refusal.value.message
    assert "--queue" in refusal.value.details["hint"]
    assert [each.text for each in services.store.scenes.messages("quay")] == [
        "Hello?",
        "Ann answers in round 1.",
    ]


async def test_of_two_who_speak_at_once_one_is_refused_and_no_word_is_mixed(
    services: StageServices, gate: asyncio.Event
) -> None:
    both = [
        asyncio.ensure_future(rounds.play(services, "quay", each, wait=quietly)) for each in (HELLO, NEXT)
    ]
    (refused,), (playing,) = await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED, timeout=10)
    gate.set()

    assert isinstance(refusal := refused.exception(), Refused)
    assert "round 1 runs" in refusal.message
    assert (await playing).result is not None
    said = [each.text for each in services.store.scenes.messages("quay")]
    assert len(said) == 3


async def test_a_second_speaker_of_a_paused_round_is_told_who_lets_it_go_on(
    services: StageServices, gate: asyncio.Event
) -> None:
    await begun(services)
    services.rounds.paused = "by ada"

    with pytest.raises(Refused) as refusal:
        await rounds.play(services, "quay", NEXT, wait=None)

    assert "round 1 is paused" in refusal.value.message
    assert "`penwright scene resume quay` lets it go on" in refusal.value.details["hint"]


async def test_who_gives_up_waiting_in_the_queue_has_started_nothing(
    services: StageServices, gate: asyncio.Event
) -> None:
    async def give_up(awaited: Awaitable[Any], progress: object) -> Any:
        asyncio.ensure_future(awaited).cancel()
        raise Interrupted("nothing of yours was started")

    await begun(services)

    with pytest.raises(Interrupted):
        await rounds.play(services, "quay", NEXT, queue=True, turn=give_up, wait=quietly)

    assert len(services.rounds.given) == 1


async def test_who_queues_for_too_long_is_refused_as_without_queueing(
    services: StageServices, gate: asyncio.Event
) -> None:
    await begun(services)

    with pytest.raises(Refused) as refusal:
        await rounds.begin(services, "quay", NEXT, queue=True, turn=at_most(0.05))

    assert refusal.value.code == "round-runs"
    assert len(services.rounds.given) == 1


async def test_who_queues_waits_no_longer_than_said_however_many_come_before(
    services: StageServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = at_most(0.3)

    async def taken(given: DirectorRoundInput) -> bool:
        return False  # somebody else was quicker

    async def ends(scene: str, session: str = "") -> None:
        await asyncio.sleep(0.1)

    monkeypatch.setattr(services.rounds, "start", taken)
    monkeypatch.setattr(services.rounds, "result", ends)
    with pytest.raises(Refused, match="nothing was started"):
        await asyncio.wait_for(rounds.begin(services, "quay", NEXT, queue=True, turn=turn), 5)


async def test_who_queues_speaks_after_the_round_that_runs(
    services: StageServices, gate: asyncio.Event
) -> None:
    await begun(services)
    waiting = asyncio.ensure_future(rounds.play(services, "quay", NEXT, queue=True, wait=quietly))
    await asyncio.sleep(0.05)
    assert not waiting.done()
    gate.set()

    played = await asyncio.wait_for(waiting, 5)

    assert played.result is not None
    assert played.result.round == 2
    users = [each for each in services.store.scenes.messages("quay") if each.speaker == "user"]
    assert [(each.round, each.text) for each in users] == [(1, "Hello?"), (2, "And now?")]


async def test_replies_are_told_one_by_one_as_they_are_stored(
    services: StageServices, gate: asyncio.Event
) -> None:
    told: list[SceneMessage] = []
    playing = asyncio.ensure_future(rounds.play(services, "quay", HELLO, wait=quietly, told=told.append))
    await until(lambda: len(told) == 2)
    before = [each.name for each in told]
    gate.set()
    await asyncio.wait_for(playing, 5)

    assert before == ["Mira", "Ann"]
    assert [each.name for each in told] == ["Mira", "Ann", "Bob"]


async def test_a_stopped_round_keeps_what_is_spoken_and_leaves_the_scene_free(
    services: StageServices, gate: asyncio.Event
) -> None:
    first = await begun(services)
    await rounds.stop(services, "quay", "enough")
    ended = await services.rounds.result("quay", first.given.session)

    assert ended is not None
    assert (ended.outcome, ended.stopped_by) == ("stopped", "ada")
    assert [each.name for each in services.store.scenes.messages("quay")] == ["Mira", "Ann"]
    again = await rounds.play(services, "quay", NEXT, wait=quietly)
    assert again.result is not None
    assert again.result.outcome == "completed"


async def test_messages_to_a_round_reach_it_and_without_one_are_refused(
    services: StageServices, gate: asyncio.Event
) -> None:
    for message in ("pause", KillRequest(who="ada", reason="x")):
        with pytest.raises(Refused) as refusal:
            await rounds.send(services, "quay", message)
        assert refusal.value.code == "no-round-runs"
    with pytest.raises(Refused):
        await rounds.stop(services, "quay", "x")

    await begun(services)
    await rounds.send(services, "quay", "pause")

    assert services.rounds.told == [("quay", "pause")]


async def test_forcing_and_vetoing_act_on_the_round_that_runs(
    services: StageServices, gate: asyncio.Event
) -> None:
    await begun(services)
    done = await steering.steer(services, "quay", "force", "cleo")

    assert (done.who, done.running) == ("cleo", True)
    assert services.rounds.steered == [("quay", Steering(force=("cleo",)))]
    scene = services.store.worlds.read(Scene, "quay")
    assert scene is not None
    assert scene.steering == Steering()


async def test_forcing_whom_the_round_does_not_know_says_when_it_can_be_done(
    services: StageServices, gate: asyncio.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unknown(scene: str, asked: Steering) -> None:
        raise Refused("unknown-name", "'dov' is no one here.")

    await begun(services)
    monkeypatch.setattr(services.rounds, "steer", unknown)
    with pytest.raises(Refused) as refused:
        await steering.steer(services, "quay", "force", "cleo")

    assert refused.value.code == "unknown-to-round"
    assert "penwright scene force quay cleo" in refused.value.details["hint"]


async def test_the_user_speaks_as_another_persona_after_a_handing_over(services: StageServices) -> None:
    await steering.steer(services, "quay", "hand-over", "Nell")
    await rounds.play(services, "quay", HELLO, wait=quietly)

    assert services.store.scenes.messages("quay")[0].name == "Nell"
    with pytest.raises(NotFound) as unknown:
        await steering.steer(services, "quay", "hand-over", "Ann")
    assert unknown.value.code == "no-such-persona"


async def test_who_watches_is_told_the_whole_round(services: StageServices, gate: asyncio.Event) -> None:
    told: list[SceneMessage] = []
    await begun(services)
    watching = asyncio.ensure_future(rounds.watch(services, "quay", quietly, told.append))
    await until(lambda: len(told) == 2)
    gate.set()
    await asyncio.wait_for(watching, 5)

    assert [each.name for each in told] == ["Mira", "Ann", "Bob"]


async def test_a_round_that_nothing_plays_is_closed_by_a_kill(services: StageServices) -> None:
    effect = Effect(op_id=OpId("scene/quay#lost:0"), issued_at=services.clock.now())
    services.store.scenes.open_round(OpenRound(effect=effect, scene="quay", session="lost", text="Hello?"))
    with pytest.raises(Refused):
        changes.undo(services, "quay")
    await rounds.send(services, "quay", KillRequest(who="ada", reason="its engine is gone"))

    _, found, _ = views.timeline(services, "quay", 1)
    assert (found.status, found.code, found.reason) == ("stopped", "killed", "its engine is gone")
    assert round_lines(found, {}, {})[0] == "Round 1 (message): killed (its engine is gone)"
    assert changes.undo(services, "quay")[1].name.number == 1


async def test_watching_returns_how_the_last_round_ended(services: StageServices) -> None:
    with pytest.raises(Refused) as never:
        await rounds.watch(services, "quay", quietly)
    await rounds.play(services, "quay", HELLO, wait=quietly)

    ended = await rounds.watch(services, "quay", quietly)

    assert never.value.code == "no-round-runs"
    assert (ended.outcome, ended.round) == ("completed", 1)


async def test_a_person_plays_a_character_until_it_is_given_back(services: StageServices) -> None:
    with pytest.raises(Refused) as played_by_the_model:
        await rounds.play(services, "quay", RoundOptions(text="I lit it.", voice="Ann"), wait=quietly)
    casting.take_over(services, "quay", "Ann")
    taken = casting.take_over(services, "quay", "Ann")
    await rounds.play(services, "quay", RoundOptions(text="I lit it.", voice="ann"), wait=quietly)
    back = casting.give_back(services, "quay", "Ann")
    with pytest.raises(Refused) as given_back:
        casting.give_back(services, "quay", "Ann")

    assert {played_by_the_model.value.code, given_back.value.code} == {"not-taken"}
    assert [each.id for each in taken.cast if each.taken] == ["ann"]
    assert [each.id for each in back.cast if each.taken] == []
    said = services.store.scenes.messages("quay")[0]
    assert (said.speaker, said.speaker_id, said.text) == ("user", "ann", "I lit it.")


async def test_people_who_come_and_go_while_a_round_runs_do_at_its_end(
    services: StageServices, gate: asyncio.Event
) -> None:
    await begun(services)

    asked = casting.change(services, "quay", ["Cleo"], ["Bob"])
    casting.change(services, "quay", ["Bob"], [])
    waits = casting.change(services, "quay", [], ["Ann"], ["Cleo"])
    gate.set()
    await until(lambda: services.store.scenes.running("quay") is None)
    now = casting.cast(services, "quay")

    assert (asked.scene.coming, asked.scene.going) == (("cleo",), ("bob",))
    assert (waits.scene.coming, waits.scene.going) == (("cleo",), ("ann",))
    assert [each.id for each in now.cast if each.present] == ["bob", "cleo"]
    assert (now.scene.coming, now.scene.going) == ((), ())
