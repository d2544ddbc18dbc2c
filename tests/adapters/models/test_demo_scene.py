"""The demo model plays a scene: it directs, speaks, narrates, sums up, from the prompt alone."""

import re

from penwright.adapters.models.demo.model import DemoProvider
from penwright.agents.loop.reporting import failure_cause, has_delivered
from penwright.roles.scene import role_call
from penwright.roles.scene.cast import ROLES
from schemas.director import DirectorPlan
from schemas.director_round import SceneRole
from schemas.scene_roles import SheetWritten
from tests.support.each import for_each
from tests.support.scenes.prompts import EARLIER, USER_SAYS, scene_prompt
from tests.support.scenes.role_desk import SceneDesk


async def directed(prompt: str) -> DirectorPlan:
    desk = SceneDesk(DemoProvider())
    return role_call.director_plan(await desk.run(desk.call("director", prompt)))


async def spoken(prompt: str, role: SceneRole = "character", **params: str) -> str:
    desk = SceneDesk(DemoProvider())
    text, _ = role_call.reply_of(await desk.run(desk.call(role, prompt, **params)))
    return desk.store.blobs.get(text).decode()


@for_each("role", ROLES)
async def test_every_role_is_answered_at_once_and_labelled(role: SceneRole) -> None:
    desk = SceneDesk(DemoProvider())

    run = await desk.run(desk.call(role, scene_prompt(who="Ann"), name="Ann"))

    assert has_delivered(run), failure_cause(run)
    assert run.state.turns == 1
    assert role_call.author_of(run).demo


@for_each("role", ROLES)
async def test_a_prompt_without_anything_is_answered_too(role: SceneRole) -> None:
    desk = SceneDesk(DemoProvider())

    assert has_delivered(await desk.run(desk.call(role, "Go on.")))


async def test_those_who_are_spoken_to_act_first_and_nobody_unknown_does() -> None:
    plan = await directed(scene_prompt())

    assert [each.who for each in plan.acting] == ["Ann"]
    assert plan.acting[0].guidance
    assert "(Written by the demo model.)" in plan.open_guidance
    assert (plan.activations, plan.deactivations) == ((), ())


async def test_an_absent_one_who_is_called_for_enters_with_guidance() -> None:
    plan = await directed(scene_prompt(said=("Mira: Has anybody seen Dov?",)))

    assert [each.who for each in plan.activations] == ["Dov"]
    assert plan.activations[0].entry_guidance
    assert "Dov" in {each.who for each in plan.acting}


async def test_without_a_name_those_present_take_turns_and_the_persona_never_does() -> None:
    acting = set()
    for number in range(12):
        plan = await directed(scene_prompt(said=(f"Mira: It is number {number}.",)))
        assert 1 <= len(plan.acting) <= 2
        acting |= {each.who for each in plan.acting}

    assert acting == {"Ann", "Bob"}


async def test_the_second_pass_names_only_who_was_spoken_to_and_has_not_answered() -> None:
    quiet = await directed(scene_prompt(pass_number=2, said=(USER_SAYS, "Ann: In the stores.")))
    asked = await directed(scene_prompt(pass_number=2, said=(USER_SAYS, "Ann: Ask Bob.")))

    assert [each.who for each in quiet.acting] == []
    assert [each.who for each in asked.acting] == ["Bob"]
    assert asked.open_guidance == ""


async def test_a_character_speaks_as_itself_to_who_spoke_and_differs_from_turn_to_turn() -> None:
    first = await spoken(scene_prompt(who="Ann"), name="Ann")
    again = await spoken(scene_prompt(who="Ann"), name="Ann")
    later = await spoken(scene_prompt(who="Ann", said=(USER_SAYS, "Bob: I was rowing.")), name="Ann")

    assert first == again != later
    assert "Ann" in first
    assert "state" not in first
    assert not re.search(r"[{}]", first)


async def test_who_enters_or_leaves_is_seen_to() -> None:
    enters = await spoken(scene_prompt(who="Dov", entry_guidance="Wet through."), name="Dov")
    leaves = await spoken(scene_prompt(who="Bob", exit_guidance="Angry."), name="Bob")

    assert enters.startswith(("The door opens, and Dov", "There are steps, and then Dov"))
    assert leaves.endswith(("the door falls shut.", "a reason against it."))


async def test_the_narrator_tells_of_the_place() -> None:
    told = " ".join([await spoken(scene_prompt(request=f"Look {n}."), "narrator") for n in range(4)])

    assert "the lighthouse kitchen" in told


async def test_a_summary_has_a_title_and_tells_what_was_said() -> None:
    desk = SceneDesk(DemoProvider())

    run = await desk.run(desk.call("summariser", scene_prompt()))

    title, _, told = desk.store.blobs.get(role_call.summary_of(run)).decode().partition("\n\n")
    assert title == "Bob and Mira"
    assert EARLIER.removeprefix("Bob: ").rstrip(".") in told


async def test_the_world_changes_by_what_stands_in_it() -> None:
    desk = SceneDesk(DemoProvider())

    run = await desk.run(desk.call("world-agent", scene_prompt(trackers="lanterns left: 3\nmood: low")))

    assert role_call.world_update(run).trackers == {"lanterns left": "2"}


async def test_a_sheet_is_made_of_one_line_and_one_field_alone_if_that_is_asked() -> None:
    desk = SceneDesk(DemoProvider())

    whole = await desk.run(desk.call("creator", scene_prompt(request="A pilot named Ines Roth who lies.")))
    one = await desk.run(desk.call("creator", "- field: goals\n\n" + scene_prompt(request="Braver.")))

    fields = role_call.delivered(whole, SheetWritten).fields
    assert fields.name == "Ines Roth"
    assert "who lies" in (fields.description or "")
    assert list(role_call.delivered(one, SheetWritten).fields.model_dump(exclude_none=True)) == ["goals"]
