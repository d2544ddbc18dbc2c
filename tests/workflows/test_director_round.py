"""The director round on a server: what is asked, said, stored and told."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import closing

import pytest
from temporalio import workflow
from temporalio.client import WorkflowFailureError, WorkflowUpdateFailedError
from temporalio.exceptions import ApplicationError, WorkflowAlreadyStartedError
from temporalio.testing import WorkflowEnvironment

from penwright.adapters.clock import SystemClock
from penwright.adapters.models.ledgered import LedgeredModel
from penwright.adapters.models.pieces import PieceCarrier
from penwright.adapters.models.provider import Hear
from penwright.adapters.models.scripted import Script, ScriptedProvider
from penwright.adapters.store import open_store
from penwright.adapters.store.deltas import PostgresDeltas
from penwright.domain.scene.round_status import PIPELINE
from penwright.errors import ModelFinal
from schemas.control import KillRequest
from schemas.director import ApprovedTurn, PlanApproval, Steering
from schemas.director_round import DirectorRoundInput, DirectorRoundResult
from schemas.model import ModelRequest, ModelResponse
from schemas.model_catalog import ModelEntry
from schemas.scene import Author, Heard
from schemas.worlds import Character, Scene
from tests.support.scenes.playhouse import Handle, Playhouse, plan, playhouse
from workers.temporal_plugin import WORKFLOWS
from workflows import director_round
from workflows.director_round import DirectorRound

DOWN = ModelFinal("provider-down", "The provider does not answer.")


@pytest.fixture
async def here(temporal_env: WorkflowEnvironment) -> AsyncIterator[Playhouse]:
    async with playhouse(temporal_env.client) as opened:
        yield opened


async def failure_of(handle: Handle) -> ApplicationError:
    with pytest.raises(WorkflowFailureError) as caught:
        await handle.result()
    assert isinstance(caught.value.cause, ApplicationError)
    return caught.value.cause


async def test_a_round_of_two_passes(here: Playhouse) -> None:
    ended = await here.play("Where is the boat?")

    assert here.company.asked == ["director-1", "ann", "bob", "director-2"]
    assert here.messages == [
        ("Mira", "Where is the boat?"),
        ("Ann", "Ann says line 1."),
        ("Bob", "Bob says line 1."),
    ]
    assert (ended.outcome, ended.round, ended.models) == ("completed", 1, ("company",))
    assert ended.cost_micros == 28
    played = here.round(1)
    assert (played.status, len(played.passes), len(played.turns)) == ("completed", 2, 2)
    await here.remembered()
    assert here.remembering.rounds == [1]


async def test_each_hears_what_was_said_before_and_the_second_pass_hears_all(here: Playhouse) -> None:
    guided = plan("Ann", "Bob", openGuidance="Keep it dry.")
    here.company.says("director-1", guided)

    await here.play("Where is the boat?")

    (ann,), (bob,) = here.company.prompts_of("ann"), here.company.prompts_of("bob")
    (second,) = here.company.prompts_of("director-2")
    assert (ann.count("Where is the boat?"), bob.count("Where is the boat?")) == (1, 1)
    assert (ann.count("Bob says line 1."), bob.count("Ann says line 1.")) == (0, 1)
    assert "Keep it dry." in ann
    assert "Guidance for Ann." in ann
    assert "Guidance for Ann." not in bob
    assert all(said in second for said in ("Ann says line 1.", "Bob says line 1."))
    assert "Keep it dry." not in second
    assert "Guidance for" not in second


async def test_no_prompt_holds_the_private_text_of_another(here: Playhouse) -> None:
    await here.play()

    (ann,), (bob,) = here.company.prompts_of("ann"), here.company.prompts_of("bob")
    assert ("Secret of Ann." in ann, "Secret of Bob." in ann) == (True, False)
    assert ("Secret of Bob." in bob, "Secret of Ann." in bob) == (True, False)


async def test_a_state_that_pass_one_sets_stands_in_every_prompt_of_the_round(here: Playhouse) -> None:
    states = [{"name": "Ann", "location": "the roof", "mood": "DEFAULT", "clothing": ""}]
    here.company.says("director-1", plan("Ann", "Bob", stateUpdates=states))

    await here.play()

    assert all("the roof" in here.company.prompts_of(who)[0] for who in ("ann", "bob"))
    assert [(each.field, each.source) for each in here.round(1).changes] == [("location", "pass-1")]


async def test_an_answer_that_is_no_plan_is_repaired_once_and_the_audit_shows_it(here: Playhouse) -> None:
    here.company.says("director-1", '{"actingCharacters": [{"name": 7.5}]}', plan("Bob"))

    ended = await here.play()

    assert here.company.asked == ["director-1", "director-1", "bob", "director-2"]
    (failure,) = here.round(1).passes[0].failures
    assert "actingCharacters" in failure
    assert ended.outcome == "completed"


async def test_a_director_who_never_gives_a_plan_is_an_error_if_the_scene_is_set_so(here: Playhouse) -> None:
    here.set(on_director_failure="stop")
    here.company.says("director-1", *["Let us dance."] * 9)

    cause = await failure_of(await here.start())

    assert here.round(1).status == "failed"
    assert cause.type == here.round(1).code
    assert set(here.company.asked) == {"director-1"}
    assert [name for name, _ in here.messages] == ["Mira"], "what the user said is kept"
    here.company.scripts.clear()
    again = await here.play("Once more.")
    assert (again.outcome, again.round) == ("completed", 2)


async def test_without_a_plan_the_one_who_is_spoken_to_answers_and_the_round_says_why(
    here: Playhouse,
) -> None:
    here.company.says("director-1", *["Let us dance."] * 9)

    ended = await here.play("Bob, what is it?")

    assert [name for name in here.company.asked if name in ("ann", "bob")] == ["bob"]
    assert ended.outcome == "completed-with-errors"
    assert here.round(1).passes[0].chosen == "the newest words name Bob"


async def test_without_a_director_those_who_are_named_act_first(here: Playhouse) -> None:
    here.set(on_director_failure="roster")
    here.company.says("director-1", *["Let us dance."] * 9)

    ended = await here.play("Bob, what is it?")

    spoken = [name for name in here.company.asked if name in ("ann", "bob")]
    assert spoken == ["bob", "ann"]
    assert ended.outcome == "completed-with-errors"
    assert not any("Let us dance." in here.company.prompts_of(who)[0] for who in spoken)


async def test_one_who_fails_has_no_message_and_the_director_is_told(here: Playhouse) -> None:
    here.company.says("ann", *[DOWN] * 9)

    ended = await here.play()

    assert [name for name, _ in here.messages] == ["Mira", "Bob"]
    assert (ended.outcome, ended.failed) == ("completed-with-errors", ("ann",))
    assert "Ann" in here.company.prompts_of("director-2")[0].split("failed")[-1]
    assert [each.outcome for each in here.round(1).turns] == ["failed", "spoken"]


@pytest.mark.long
async def test_names_that_are_none_are_refused_and_the_next_pass_is_told(here: Playhouse) -> None:
    here.company.says("director-1", plan("Ann", "Zog", "Mira"))

    await here.play()

    assert here.company.asked == ["director-1", "ann", "director-2"]
    assert [note.code for note in here.round(1).notes] == ["persona-named", "unknown-name"]
    assert "Zog" in here.company.prompts_of("director-2")[0]
    assert here.state.roster == ("ann", "bob")


async def test_a_name_of_two_means_the_one_who_is_present(here: Playhouse) -> None:
    twin = here.worlds.create(Character(id="", name="Ann"))
    elsewhere = here.worlds.read(Scene, "elsewhere")
    assert elsewhere is not None
    here.worlds.change(elsewhere.model_copy(update={"roster": (*elsewhere.roster, twin.id)}))

    await here.play()

    assert here.company.asked == ["director-1", "ann", "bob", "director-2"]
    assert here.round(1).notes == ()


async def test_who_enters_hears_its_guidance_and_knows_nothing_of_before(here: Playhouse) -> None:
    await here.play("The key is under the mat.")
    entry = [{"name": "Dov", "entryGuidance": "Out of the rain."}]
    here.company.says("director-1", plan("Dov", activations=entry))

    await here.play("Who is there?")

    (prompt,) = here.company.prompts_of("dov")
    assert "Out of the rain." in prompt
    assert not any(said in prompt for said in ("Who is there?", "under the mat")), "he was not there"
    assert here.state.roster == ("ann", "bob", "dov")


@pytest.mark.long
async def test_who_leaves_is_available_in_the_next_round(here: Playhouse) -> None:
    gone = [{"name": "Bob", "exitGuidance": "Slips out."}]
    here.company.says("director-1", plan("Ann", deactivations=gone))

    await here.play()
    assert here.state.roster == ("ann",)
    await here.play("And Bob?")

    assert here.round(1).passes[0].applied.exits[0].exit_guidance == "Slips out."
    second = [said for name, said in here.company.prompts if name == "director-1"][1]
    assert 'kind="available" name="">\nBob' in second


@pytest.mark.long
async def test_nobody_to_act_is_a_completed_round_that_says_so(here: Playhouse) -> None:
    here.company.says("director-1", plan(openGuidance="Let it be still."))

    ended = await here.play()

    assert here.company.asked == ["director-1"]
    assert (ended.outcome, ended.silent) == ("completed", True)
    assert here.round(1).passes[0].applied.open_guidance == "Let it be still."
    assert here.events[-1].kind in ("ended", "round.completed")


@pytest.mark.long
async def test_to_continue_is_a_round_without_a_message_of_the_user(here: Playhouse) -> None:
    here.company.says("bob", "I look around, and see no one.")
    await here.play("Hello.")

    ended = await here.play("", kind="continue")

    assert ended.round == 2
    assert [name for name, _ in here.messages] == ["Mira", "Ann", "Bob", "Ann", "Bob"]
    second = here.company.prompts_of("director-1")[1]
    assert "I look around, and see no one." in second
    assert "continuation" in second
    assert "narrator" not in here.company.asked


async def test_only_the_narrator_answers_who_asks_for_a_description(here: Playhouse) -> None:
    here.company.says("narrator", "[The quay]\n\n---\n\nRain. {Nothing} moves.")

    ended = await here.play("I look around.", kind="narrate")

    assert here.company.asked == ["narrator"]
    assert here.messages[-1] == ("Narrator", "[The quay]\n\n---\n\nRain. {Nothing} moves.")
    assert (ended.outcome, here.state.roster) == ("completed", ("ann", "bob"))
    assert here.round(1).changes == ()
    await here.play("And now?")
    assert "Nothing} moves." in here.company.prompts_of("ann")[0], "the cast hears narration later"


async def test_to_look_around_silences_nobody_and_a_director_may_have_the_narrator_tell(
    here: Playhouse,
) -> None:
    here.company.says("director-1", plan("narrator", "Ann"))

    ended = await here.play("I look around.")

    assert here.company.asked == ["director-1", "narrator", "ann", "director-2"]
    assert [name for name, _ in here.messages] == ["Mira", "Narrator", "Ann"]
    assert (ended.outcome, here.state.roster) == ("completed", ("ann", "bob"))
    assert "Guidance for narrator." in here.company.prompts_of("narrator")[0]


async def test_a_reply_made_anew_is_another_alternative(here: Playhouse) -> None:
    here.company.says("ann", 'Ann says line 1.\n```state\n{"mood": "sly"}\n```')
    await here.play()
    before = here.state
    here.company.says("ann", 'Ann says line 2.\n```state\n{"mood": "grim"}\n```')

    ended = await here.play("", kind="regenerate", message=f"{here.scene}/2")

    message = here.message(2)
    assert [each.text for each in message.alternatives] == ["Ann says line 1.", "Ann says line 2."]
    assert message.text == "Ann says line 2."
    assert ended.outcome == "completed"
    assert [(each.id, each.mood) for each in here.state.characters] == [
        (each.id, each.mood) for each in before.characters
    ]
    assert "Bob says line 1." not in here.company.prompts_of("ann")[1], "it was said later"
    assert "Guidance for Ann." in here.company.prompts_of("ann")[1]


@pytest.mark.long
async def test_a_round_played_again_keeps_the_old_replies(here: Playhouse) -> None:
    await here.play("Hello.")

    ended = await here.play("", kind="regenerate")

    assert here.messages == [("Mira", "Hello."), ("Ann", "Ann says line 2."), ("Bob", "Bob says line 2.")]
    assert here.round(1).status == "undone"
    new = next(each for each in here.scenes.messages(here.scene) if each.name == "Ann")
    assert [each.text for each in new.alternatives] == ["Ann says line 1.", "Ann says line 2."]
    assert (ended.outcome, ended.round) == ("completed", 2)


async def test_a_round_played_again_that_fails_gives_the_old_one_back(here: Playhouse) -> None:
    await here.play("Hello.")
    before, state = here.messages, here.state
    here.set(on_director_failure="stop")
    here.company.says("director-1", *["Let us dance."] * 9)

    cause = await failure_of(await here.start(here.given("", kind="regenerate")))

    assert cause.type == here.round(2).code != ""
    assert here.round(2).reason
    assert (here.round(1).status, here.round(2).status) == ("completed", "failed")
    assert here.messages == before
    assert here.state.model_copy(update={"version": state.version}) == state
    assert [len(each.alternatives) for each in here.scenes.messages(here.scene)] == [1, 1, 1]


@pytest.mark.long
async def test_nothing_to_regenerate_is_refused(here: Playhouse) -> None:
    ended = await here.play("", kind="regenerate")

    assert (ended.outcome, ended.code) == ("refused", "no-message")
    assert here.company.asked == []


@pytest.mark.long
async def test_an_empty_message_is_refused(here: Playhouse) -> None:
    ended = await here.play("  \n")

    assert (ended.outcome, ended.code) == ("refused", "empty-message")


async def test_a_round_that_is_stopped_in_the_middle_of_a_reply_keeps_what_is_said(here: Playhouse) -> None:
    here.company.gates["bob"] = asyncio.Event()
    handle = await here.start()
    await here.company.until("bob")
    on_screen = Heard(text="“Half a", author=Author(kind="model", name="company", demo=True))
    here.store.scenes.hear(here.scene, 1, "bob", on_screen)

    await handle.execute_update(DirectorRound.halt, KillRequest(who="mira", reason="enough"))
    async with asyncio.timeout(10):
        ended = await handle.result()

    assert (ended.outcome, ended.stopped_by) == ("stopped", "mira")
    assert ended.spoken == (f"{here.scene}/2", f"{here.scene}/3")
    assert here.company.asked == ["director-1", "ann", "bob"]
    assert here.messages[1:] == [("Ann", "Ann says line 1."), ("Bob", "“Half a")]
    assert [each.stopped for each in here.scenes.messages(here.scene)] == [False, False, True]
    assert here.message(3).alternatives[0].author == on_screen.author
    assert "ann" in here.message(3).witnesses
    assert [each.outcome for each in here.round(1).turns] == ["spoken", "stopped"]
    assert here.round(1).status == "stopped"
    here.company.gates.clear()
    assert (await here.play("Go on.")).outcome == "completed"


class HalfAReply(ScriptedProvider):
    """Says half a sentence, and no more."""

    def __init__(self) -> None:
        super().__init__(Script())

    async def ask(self, request: ModelRequest, hear: Hear | None = None) -> ModelResponse:
        assert hear is not None
        for word in ("“I lit ", "it, and ", "the"):
            hear(word)
            await asyncio.sleep(0)
        await asyncio.Event().wait()
        raise AssertionError


@pytest.mark.server
@pytest.mark.long
async def test_the_words_that_a_stopped_reply_had_sent_are_its_message(
    temporal_env: WorkflowEnvironment, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_store(database_url, clock=SystemClock())) as store:
        async with playhouse(temporal_env.client, store=store) as here:
            deltas, author = PostgresDeltas(store.database), Author(kind="model", name="slow")
            entry = ModelEntry(name=author.name, provider="scripted")
            slow = LedgeredModel(HalfAReply(), store.ledger, PieceCarrier(deltas), entry=entry)
            usual = here.company.complete

            async def complete(request: ModelRequest) -> ModelResponse:
                return await (slow.complete(request) if "/bob" in request.stream_to else usual(request))

            monkeypatch.setattr(here.company, "complete", complete)
            handle = await here.start()
            async with asyncio.timeout(60):
                while "the" not in getattr(store.scenes.partial_reply(here.scene, 1, "bob"), "text", ""):  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
            await handle.execute_update(DirectorRound.halt, KillRequest(who="mira", reason="enough"))
            await handle.result()
            await here.remembered()

            bob = store.scenes.messages(here.scene)[-1]
            assert (bob.name, bob.text, bob.stopped) == ("Bob", "“I lit it, and the", True)
            assert (bob.alternatives[0].author, here.round(1).turns[-1].message) == (author, bob.id)


async def test_a_round_that_is_paused_goes_on_where_it_was(here: Playhouse) -> None:
    here.company.gates["ann"] = asyncio.Event()
    handle = await here.start()
    await here.company.until("ann")
    await handle.signal(DirectorRound.pause)
    here.company.gates["ann"].set()
    async with asyncio.timeout(30):
        while (await handle.query(DirectorRound.progress)).stage != "paused":  # noqa: ASYNC110
            await asyncio.sleep(0.05)

    await handle.signal(DirectorRound.resume)

    assert (await handle.result()).outcome == "completed"
    assert Counter(here.company.asked) == Counter(["director-1", "ann", "bob", "director-2"])


async def test_people_force_one_to_act_next_and_forbid_another(here: Playhouse) -> None:
    here.company.gates["ann"] = asyncio.Event()
    handle = await here.start()
    await here.company.until("ann")

    await handle.execute_update(DirectorRound.steer, Steering(force=("Cleo",), veto=("Bob",)))
    with pytest.raises(WorkflowUpdateFailedError) as refused:
        await handle.execute_update(DirectorRound.steer, Steering(force=("Zog",)))
    here.company.gates["ann"].set()
    await handle.result()

    assert isinstance(refused.value.cause, ApplicationError)
    assert refused.value.cause.type == "unknown-name"
    assert here.company.asked == ["director-1", "ann", "cleo", "director-2"]
    assert here.state.roster == ("ann", "bob", "cleo")
    assert [note.code for note in here.round(1).notes] == ["vetoed"]


async def test_a_round_is_filed_under_its_scene_whose_rights_then_hold_for_it(here: Playhouse) -> None:
    given = here.given()
    await (await here.start(given)).result()

    (row,) = here.store.records.runs(subject=f"scene/{given.scene}", pipeline=PIPELINE)
    assert row.run.startswith(f"scene/{given.scene}#")


async def test_a_second_speaker_is_refused_while_a_round_runs(here: Playhouse) -> None:
    here.company.gates["ann"] = asyncio.Event()
    handle = await here.start()
    await here.company.until("ann")

    with pytest.raises(WorkflowAlreadyStartedError) as refused:
        await here.start(here.given("Me, too!"))

    assert refused.value.workflow_id == f"scene/{here.scene}"
    here.company.gates["ann"].set()
    assert (await handle.result()).round == 1
    assert [name for name, _ in here.messages] == ["Mira", "Ann", "Bob"]


async def test_two_who_speak_at_once_make_one_round(here: Playhouse) -> None:
    async def speak(text: str) -> DirectorRoundResult | None:
        try:
            return await (await here.start(here.given(text))).result()
        except WorkflowAlreadyStartedError:
            return None

    outcomes = await asyncio.gather(*(speak(text) for text in ("One.", "Two.", "Three.")))

    played = [each for each in outcomes if each is not None]
    assert len(played) >= 1
    assert [each.round for each in played] == list(range(1, len(played) + 1))
    assert len([name for name, _ in here.messages if name == "Mira"]) == len(played)


async def test_a_round_whose_run_was_terminated_is_closed_by_the_next(here: Playhouse) -> None:
    here.company.gates["bob"] = asyncio.Event()
    handle = await here.start()
    await here.company.until("bob")
    await handle.terminate("gone")
    here.company.gates.clear()

    ended = await here.play("Again.")

    assert (ended.outcome, ended.round) == ("completed", 2)
    assert (here.round(1).status, here.round(1).code) == ("failed", "lost")
    assert [name for name, _ in here.messages][:3] == ["Mira", "Ann", "Mira"]


async def test_a_run_that_is_cancelled_in_temporal_closes_its_round(here: Playhouse) -> None:
    here.company.gates["bob"] = asyncio.Event()
    handle = await here.start()
    await here.company.until("bob")

    await handle.cancel()
    async with asyncio.timeout(20):
        ended = await handle.result()

    assert (ended.outcome, ended.stopped_by) == ("stopped", "temporal")
    assert here.round(1).status == "stopped"


async def test_every_step_that_begins_ends_once_and_events_come_in_order(here: Playhouse) -> None:
    here.company.says("ann", *[DOWN] * 9)
    await here.play()

    cursors = [each.cursor for each in here.events]
    kinds = Counter(each.kind for each in here.events)
    assert cursors == sorted(set(cursors))
    assert kinds["director.started"] == kinds["director.completed"] == 2
    assert kinds["character.started"] == kinds["character.completed"] == 2
    assert kinds["round.completed"] == 1
    outcomes = [each.data["outcome"] for each in here.events if each.kind == "character.completed"]
    assert outcomes == ["failed", "completed"]


async def test_the_events_name_who_acts_and_tell_of_world_agent_and_summariser(here: Playhouse) -> None:
    here.set(world_agent=True, summarise_after=1)
    here.company.says("summariser", "They met.")
    await here.play()
    await here.play("And now?")
    await here.remembered()

    told = [(each.kind, each.data.get("name"), each.data.get("message")) for each in here.events]
    kinds = Counter(kind for kind, _, _ in told)
    assert [name for kind, name, _ in told if kind == "character.started"] == ["Ann", "Bob"] * 2
    assert ("character.completed", "Ann", f"{here.scene}/2") in told
    assert kinds["world-agent.started"] == kinds["world-agent.completed"] == 2
    assert kinds["summariser.started"] == kinds["summariser.completed"] == 1
    order = [kind for kind, _, _ in told if kind.startswith(("world-agent", "round.", "summariser"))]
    assert order[-5:] == [
        *("world-agent.started", "world-agent.completed", "round.completed"),
        *("summariser.started", "summariser.completed"),
    ]


async def test_a_character_is_played_by_its_own_model_and_first_by_that_of_the_scene(here: Playhouse) -> None:
    for id, model in (("ann", "small"), ("bob", "small")):
        character = here.worlds.read(Character, id)
        assert character is not None
        here.worlds.change(character.model_copy(update={"model": model}))
    scene = here.worlds.read(Scene, here.scene)
    assert scene is not None
    here.worlds.change(scene.model_copy(update={"models": {"bob": "large"}}))

    await here.play()

    roles = {name: here.company.roles[name] for name in ("director-1", "ann", "bob")}
    assert roles == {"director-1": "director", "ann": "character@small", "bob": "character@large"}


async def test_the_world_agent_keeps_the_world_when_it_is_switched_on(here: Playhouse) -> None:
    here.set(world_agent=True)

    await here.play()

    assert here.company.asked[-1] == "world-agent"
    assert here.state.world == {"tide": "high"}
    assert "world.updated" in {each.kind for each in here.events}


@pytest.mark.long
async def test_a_prompt_that_is_too_small_asks_no_model(here: Playhouse) -> None:
    here.set(context_tokens=1_024)

    cause = await failure_of(await here.start(here.given("word " * 4_000)))

    assert cause.type == "context-too-small"
    assert here.company.asked == []
    assert here.round(1).status == "failed"


@pytest.mark.long
async def test_a_scene_without_anyone_is_a_silent_round(temporal_env: WorkflowEnvironment) -> None:
    async with playhouse(temporal_env.client, roster=()) as empty:
        empty.company.says("director-1", plan())

        ended = await empty.play()

    assert (ended.outcome, ended.silent) == ("completed", True)


async def test_a_scene_that_is_not_there_is_refused(here: Playhouse) -> None:
    here.scene = "nowhere"

    ended = await here.play()

    assert (ended.outcome, ended.code) == ("refused", "no-such-scene")


async def test_a_plan_that_is_held_is_played_as_a_person_wants_it(here: Playhouse) -> None:
    here.set(hold_plan=True)
    handle = await here.start()
    for _ in range(600):
        if (await handle.query(DirectorRound.progress)).stage == "approval":
            break
        await asyncio.sleep(0.1)
    wrong = PlanApproval(who="mo", pass_number=1, turns=(ApprovedTurn(who="Zog"),))
    with pytest.raises(WorkflowUpdateFailedError):
        await handle.execute_update(DirectorRound.approve_plan, wrong)
    assert here.company.asked == ["director-1"]
    wanted = PlanApproval(who="mo", pass_number=1, turns=(ApprovedTurn(who="Bob", guidance="Be brief."),))

    await handle.execute_update(DirectorRound.approve_plan, wanted)
    ended = await handle.result()

    assert (ended.outcome, here.company.asked) == ("completed", ["director-1", "bob", "director-2"])
    assert "Be brief." in here.company.prompts_of("bob")[0]
    assert [each.approved_by for each in here.round(1).passes] == ["mo", ""]


@workflow.defn(name="DirectorRound", sandboxed=False)
class Restless(DirectorRound):
    """The round outside of the sandbox, where a test can tell it that its history is long."""

    @workflow.init
    def __init__(self, given: DirectorRoundInput) -> None:
        super().__init__(given)

    @workflow.run
    async def run(self, given: DirectorRoundInput) -> DirectorRoundResult:
        return await super().run(given)


async def test_a_round_that_continues_as_new_after_every_step_is_the_same_round(
    temporal_env: WorkflowEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    def is_long() -> bool:
        return workflow.info().get_current_history_length() > 12

    monkeypatch.setattr(director_round, "should_continue_as_new", is_long)
    restless = [Restless, *(each for each in WORKFLOWS if each is not DirectorRound)]
    async with playhouse(temporal_env.client, workflows=restless) as here:
        handle = await here.start(here.given("Who lit the lamp?", steering=Steering(veto=("dov",))))
        ended = await handle.result()

        newest = await here.client.get_workflow_handle(handle.id).describe()
        assert newest.run_id != handle.first_execution_run_id
        assert here.company.asked == ["director-1", "ann", "bob", "director-2"]
        assert (ended.outcome, len(ended.spoken)) == ("completed", 2)
        assert [each.name for each in here.scenes.messages(here.scene)] == ["Mira", "Ann", "Bob"]
        await here.remembered()
        assert here.remembering.rounds == [1]
        assert [each.number for each in here.round(1).passes] == [1, 2]


REPEATED = (
    "Ann sets the ledger down, presses two fingers to the page and reads the column of dates again, slowly, "
    "as if the ink could change its mind while she looks at it."
)


async def test_a_reply_that_repeats_an_earlier_one_is_asked_for_once_more_and_noted(here: Playhouse) -> None:
    here.company.says("ann", REPEATED, REPEATED, REPEATED)
    await here.play()

    ended = await here.play("And then?")

    assert Counter(here.company.asked)["ann"] == 3
    assert ended.outcome == "completed"
    ann, bob = here.round(2).turns
    assert ann.reason.startswith("This repeats an earlier passage: “Ann sets the ledger down")
    assert (ann.outcome, bob.reason) == ("spoken", "")


async def test_a_reply_with_a_fault_stands_if_the_model_is_away_when_it_is_asked_again(
    here: Playhouse,
) -> None:
    here.company.says("ann", REPEATED, REPEATED, DOWN)
    await here.play()

    await here.play("And then?")

    assert here.messages[4] == ("Ann", REPEATED)
    assert here.round(2).turns[0].reason.startswith("This repeats an earlier passage")
