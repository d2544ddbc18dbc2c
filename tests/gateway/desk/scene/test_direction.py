"""What people tell the director, at the desk."""

import asyncio

import pytest

from gateway.desk.engine.waits import quietly
from gateway.desk.scene import direction, rounds
from gateway.desk.scene.orders import RoundOptions
from penwright.errors import Refused, UsageMistake
from schemas.director import ApprovedTurn, PlanApproval, Steering
from schemas.worlds import Scene
from tests.support.gateway.services import StageServices


def scene(services: StageServices) -> Scene:
    found = services.store.worlds.read(Scene, "quay")
    assert found is not None
    return found


async def test_a_note_is_taken_along_by_the_next_round_alone(services: StageServices) -> None:
    assert not await direction.note(services, "quay", " Let it rain. ")
    assert scene(services).steering.note == "Let it rain."

    await rounds.play(services, "quay", RoundOptions(text="Hello"), wait=quietly)

    assert services.rounds.given[-1].steering == Steering(note="Let it rain.")
    assert scene(services).steering == Steering()


async def test_a_standing_note_is_kept_until_it_is_taken_back(services: StageServices) -> None:
    await direction.note(services, "quay", "Keep it dry.", standing=True)
    assert scene(services).notes.direction == "Keep it dry."

    await direction.note(services, "quay", "", standing=True)
    assert scene(services).notes.direction == ""


@pytest.mark.parametrize(("text", "code"), [("  ", "empty-message"), ("x" * 4_001, "note-too-long")])
async def test_a_note_that_is_none_is_refused(services: StageServices, text: str, code: str) -> None:
    with pytest.raises(UsageMistake) as refused:
        await direction.note(services, "quay", text)

    assert refused.value.code == code


async def test_a_plan_that_waits_is_approved(services: StageServices) -> None:
    services.rounds.gate = asyncio.Event()
    with pytest.raises(Refused) as nothing:
        await direction.approve(services, "quay")
    await rounds.begin(services, "quay", RoundOptions(text="Hello"))
    with pytest.raises(Refused) as played:
        await direction.approve(services, "quay")
    direction.hold(services, "quay", on=True)

    with pytest.raises(Refused) as busy:
        await rounds.begin(services, "quay", RoundOptions(text="And?"))
    done = await direction.approve(services, "quay", [ApprovedTurn(who="Bob", guidance="Go.")], who="mo")
    services.rounds.gate.set()

    assert (nothing.value.code, played.value.code) == ("no-round-runs", "no-plan-held")
    assert (busy.value.code, "scene approve quay" in busy.value.details["hint"]) == ("round-runs", True)
    assert done.number == 1
    wanted = PlanApproval(who="mo", pass_number=1, turns=(ApprovedTurn(who="Bob", guidance="Go."),))
    assert services.rounds.approved == [("quay", wanted)]


@pytest.mark.parametrize("code", ["other-plan", "no-plan-held", "duplicate-actor", "too-many-turns"])
async def test_a_plan_that_is_not_taken_is_answered_with_what_to_do(
    services: StageServices, code: str
) -> None:
    services.rounds.gate = asyncio.Event()
    await rounds.begin(services, "quay", RoundOptions(text="Hello"))
    direction.hold(services, "quay", on=True)
    services.rounds.refusing = Refused(code, "not like this")

    with pytest.raises(Refused) as refused:
        await direction.approve(services, "quay", pass_number=1)
    services.rounds.gate.set()

    assert (refused.value.code, refused.value.message) == (code, "not like this")
    assert refused.value.details["hint"]


async def test_a_name_that_nobody_has_is_answered_with_those_that_would_do(services: StageServices) -> None:
    services.rounds.gate = asyncio.Event()
    await rounds.begin(services, "quay", RoundOptions(text="Hello"))
    direction.hold(services, "quay", on=True)
    services.rounds.refusing = Refused("unknown-name", "'Zog' is no one here")

    with pytest.raises(Refused) as refused:
        await direction.approve(services, "quay", [ApprovedTurn(who="Zog", guidance="Go.")])
    services.rounds.gate.set()

    assert refused.value.code == "unknown-name"
    assert refused.value.details["hint"].startswith("present are: Ann, Bob")


async def test_what_a_person_asks_of_the_director_waits_and_is_played_or_taken_back(
    services: StageServices,
) -> None:
    asked, waits = await direction.propose(services, "quay", " Make it night. ")
    with pytest.raises(Refused) as twice:
        await direction.propose(services, "quay", "And rain.")
    await direction.reject(services, "quay")
    after = services.store.scenes.messages("quay"), services.store.scenes.running("quay")

    assert (asked.id, waits.held, waits.approved_by) == ("quay", True, "")
    assert services.rounds.given[-1].steering == Steering(note="Make it night.", hold=True)
    assert scene(services).steering == Steering()
    assert twice.value.code == "round-runs"
    assert after == ((), None)
    await direction.propose(services, "quay", "Make it night.")
    await direction.approve(services, "quay", who="mo")
    assert await rounds.watch(services, "quay", quietly)
    assert [each.speaker for each in services.store.scenes.messages("quay")] == ["character", "character"]


async def test_a_director_without_a_plan_changes_nothing(services: StageServices) -> None:
    services.rounds.failing = "invalid-output"

    with pytest.raises(Refused) as refused:
        await direction.propose(services, "quay", "Make it night.")

    assert refused.value.code == "no-plan"
    assert refused.value.details["hint"] == "say it in other words"


@pytest.mark.parametrize("code", ["context-too-small", "prompt-past-window"])
async def test_a_director_whose_prompt_is_full_is_answered_with_what_gives_it_room(
    services: StageServices, code: str
) -> None:
    services.rounds.failing = code

    with pytest.raises(Refused) as refused:
        await direction.propose(services, "quay", "Make it night.")

    assert "no usable plan: the director gave no plan; nothing is changed" in refused.value.message
    hint = refused.value.details["hint"]
    assert hint.startswith("`penwright scene form quay --set settings.context_tokens=NUMBER`")
    assert "settings.answer_tokens=NUMBER" in hint


async def test_a_note_for_a_round_whose_plan_waits_is_kept_until_the_plan_is_played(
    services: StageServices,
) -> None:
    await direction.propose(services, "quay", "Make it night.")
    heard = await direction.note(services, "quay", "Let it rain.")
    await direction.reject(services, "quay")
    after_reject = scene(services).steering.note, list(services.rounds.steered)

    services.rounds.gate = asyncio.Event()
    await direction.propose(services, "quay", "Make it night.")
    await direction.approve(services, "quay")
    services.rounds.gate.set()

    assert heard
    assert after_reject == ("Let it rain.", [])
    assert services.rounds.steered == [("quay", Steering(note="Let it rain."))]
    assert scene(services).steering == Steering()
