"""The cases of a round, by its rules alone."""

from collections.abc import Callable, Mapping

import pytest

from penwright.domain import control
from penwright.domain.scene import presence, steering, transitions
from penwright.domain.scene.resolving import NARRATOR
from penwright.domain.scene.round import Step
from schemas.base import Cause
from schemas.control import KillRequest
from schemas.director import (
    CastMember,
    CharacterReply,
    DirectorPlan,
    PlannedActor,
    StatePatch,
    Steering,
    WorldUpdate,
)
from schemas.director_round import (
    Act,
    Direct,
    DirectorRoundInput,
    DirectorRoundState,
    EndRound,
    KeepSpoken,
    RememberRound,
    SummariseScene,
)
from schemas.memory import Remembered
from schemas.model import Usage
from schemas.scene import Alternative, Author, CharacterState, KeepPass, RoundOpened, SceneMessage, SceneState
from tests.support.scenes.plays import CAST, NOW, RoundPlay, acting, enters, leaves, opened, sets

DOWN = Cause(code="provider-down", message="The provider does not answer.", final=False)
INVALID = Cause(code="invalid-output", message="The answer is no plan.")


def test_director_cast_director_and_the_round_is_completed() -> None:
    play = RoundPlay(opened("a1", "b1"), [acting("Bob", "Ann")]).play()

    assert play.calls == ["director", "b1", "a1", "director"]
    assert play.result.outcome == "completed"
    assert play.result.spoken == ("harbour/2", "harbour/3")
    assert [each.number for each in play.closing.round.passes] == [1, 2]
    assert [each.message for each in play.closing.round.turns] == ["harbour/2", "harbour/3"]


def test_every_turn_is_kept_before_the_next_begins() -> None:
    play = RoundPlay(opened("a1", "b1"), [acting("Ann", "Bob")]).play()

    kinds = [type(step).__name__ for step in play.steps]
    assert kinds == [
        *("BeginRound", "Direct", "KeepPass", "Act", "KeepSpoken", "Act", "KeepSpoken"),
        *("Direct", "KeepPass", "CloseRound", "EndRound"),
    ]


def test_a_plan_with_an_entry_and_no_actors_lets_who_enters_act() -> None:
    play = RoundPlay(opened("a1"), [DirectorPlan(activations=enters("Cleo", "Knock first."))]).play()

    (turn,) = play.of(Act)
    assert turn.turn.character == "c1"
    assert turn.turn.entry_guidance == "Knock first."
    assert play.closing.state.roster == ("a1", "c1")


def test_a_plan_has_the_narrator_act_once_and_the_cast_too() -> None:
    plans = [acting("Narrator", "Ann", deactivations=leaves("Bob")), acting("the narrator")]

    play = RoundPlay(opened("a1", "b1", max_director_passes=3), plans).play()

    assert play.calls == ["director", NARRATOR, "a1", "director"]
    assert [each.for_ for each in play.of(Act)] == ["narrator", "character"]
    assert play.closing.state.roster == ("a1",)
    assert [each.character for each in play.closing.round.turns] == [NARRATOR, "a1"]
    assert [note.code for note in play.closing.round.notes] == ["unknown-name"]


def test_leavers_go_after_a_narrator_who_acts_last() -> None:
    play = RoundPlay(opened("a1", "b1"), [acting("narrator", deactivations=leaves("Bob"))]).play()

    assert play.calls == ["director", NARRATOR, "director"]
    assert play.closing.state.roster == ("a1",)
    assert all(each.id != NARRATOR for each in play.closing.state.characters)


def test_an_id_beside_the_name_of_another_counts_and_is_noted() -> None:
    two = PlannedActor(who="a1", or_else="Bob", guidance="Wait.")

    play = RoundPlay(opened("a1", "b1"), [DirectorPlan(acting=(two,))]).play()

    assert play.calls == ["director", "a1", "director"]
    (note,) = play.closing.round.passes[0].applied.notes
    assert (note.code, note.who) == ("two-named", "a1")
    assert "'Bob'" in note.text


def test_passes_go_on_while_someone_acts_and_no_longer() -> None:
    cast = ("a1", "b1", "c1", "d1", "e1")
    plans = [acting(each) for each in cast]

    play = RoundPlay(opened(*cast, max_director_passes=100), plans).play()

    assert play.calls == [*(name for each in cast for name in ("director", each)), "director"]


def test_a_plan_with_nobody_ends_the_round_completed_and_says_that_nobody_acted() -> None:
    play = RoundPlay(opened("a1"), [DirectorPlan(open_guidance="Let it be still.")]).play()

    assert play.calls == ["director"]
    assert (play.result.outcome, play.result.silent) == ("completed", True)
    assert play.closing.round.passes[0].applied.open_guidance == "Let it be still."


def test_a_director_without_a_plan_ends_the_round_with_an_error_if_the_scene_is_set_so() -> None:
    play = RoundPlay(opened("a1", on_director_failure="stop"), [INVALID]).play()

    assert play.calls == ["director"]
    assert (play.result.outcome, play.result.code) == ("failed", "invalid-output")
    assert play.closing.round.status == "failed"
    assert play.closing.round.passes[0].outcome == "failed"


@pytest.mark.parametrize("cause", [INVALID, DOWN])
@pytest.mark.parametrize(
    ("how", "mentioned", "acting", "why"),
    [
        ("roster", ("c1",), ["c1", "a1", "b1"], "everyone acts, in order"),
        ("turns", ("c1",), ["c1"], "the newest words name Cleo"),
        ("turns", (), ["b1"], "it is the turn of Bob, who was silent longest"),
    ],
)
def test_without_a_plan_of_the_director_those_act_whom_the_scene_s_setting_says(
    cause: Cause, how: str, mentioned: tuple[str, ...], acting: list[str], why: str
) -> None:
    begun = opened("a1", "b1", "c1", on_director_failure=how)
    newest = {"mentioned": mentioned, "longest_silent": ("b1", "mira", "c1", "a1")}

    play = RoundPlay(begun.model_copy(update=newest), [cause]).play()

    assert play.calls == ["director", *acting]
    assert (play.result.outcome, play.result.code) == ("completed-with-errors", cause.code)
    assert play.closing.round.passes[0].chosen == why
    assert {step.open_guidance for step in play.of(Act)} == {""}, "no word of the failure reaches a prompt"


def test_the_only_one_here_answers_without_a_director() -> None:
    play = RoundPlay(opened("a1", director="as-needed"), []).play()

    assert play.calls == ["a1"]
    assert play.result.outcome == "completed"
    assert play.closing.round.passes[0].chosen == "only Ann is here"


@pytest.mark.parametrize(
    "given",
    [
        {"mentioned": ("c1",)},
        {"state": SceneState(roster=("a1", "b1"))},
        {"state": SceneState(roster=("a1",), trackers={"time": "dusk"})},
    ],
    ids=["an absent one is named", "two are here", "a tracker is kept"],
)
def test_a_director_is_asked_where_there_is_something_to_plan(given: Mapping[str, object]) -> None:
    begun = opened("a1", director="as-needed").model_copy(update=given)

    play = RoundPlay(begun, [acting("Ann")]).play()

    assert play.calls[:2] == ["director", "a1"]


def test_without_a_director_whom_people_forbid_is_passed_over_and_whom_they_call_acts() -> None:
    begun = opened("a1", "b1", "c1", director="off")

    calls = [
        RoundPlay(begun, [], state=DirectorRoundState(steering=each)).play().calls
        for each in (Steering(), Steering(veto=("a1",)), Steering(force=("c1",)))
    ]

    assert calls == [["a1"], ["b1"], ["c1"]]


def test_a_second_pass_that_fails_leaves_what_was_said() -> None:
    play = RoundPlay(opened("a1"), [acting("Ann"), DOWN]).play()

    assert (play.result.outcome, play.result.code) == ("completed-with-errors", "provider-down")
    assert play.result.spoken == ("harbour/2",)


def test_an_unknown_actor_is_refused_with_a_note_and_the_next_pass_is_told() -> None:
    play = RoundPlay(opened("a1"), [acting("Ann", "Zog")]).play()

    assert play.calls == ["director", "a1", "director"]
    assert play.closing.state.roster == ("a1",)
    assert {each.id for each in play.closing.state.characters} == {"a1"}
    assert [(note.code, note.who) for note in play.of(Direct)[1].notes] == [("unknown-name", "Zog")]
    assert [(note.code, note.who) for note in play.closing.round.notes] == [("unknown-name", "Zog")]


def test_a_plan_brings_in_nobody_whom_the_one_who_asks_may_not_use() -> None:
    only_ann = Steering(note="Send for Bob.", within=("a1",))
    from_the_start = DirectorRoundState(steering=only_ann)
    plans = [acting("Ann", "Bob"), acting(activations=enters("Bob", "Comes in."))]
    play = RoundPlay(opened("a1"), plans, state=from_the_start).play()
    told = steering.steered(RoundPlay(opened("a1"), []).state, only_ann)

    assert play.calls == ["director", "a1", "director"]
    assert play.closing.state.roster == ("a1",)
    assert [[each.id for each in step.cast] for step in play.of(Direct)] == [["a1"], ["a1"]]
    assert {(note.code, note.who) for note in play.closing.round.notes} == {("unknown-name", "Bob")}
    assert told.steering.within == ("a1",)
    assert steering.steered(told, Steering(note="Be quick.")).steering.within == ("a1",)


BOTH_BOBS = (*CAST, CastMember(id="b2", name="Bob"))


def with_two_bobs(*roster: str) -> RoundOpened:
    return opened(*roster).model_copy(update={"cast": BOTH_BOBS})


def test_a_name_means_the_present_one_to_act_to_be_forced_and_to_leave() -> None:
    plan = acting("Bob", deactivations=leaves("Bob", "Slips out."))

    play = RoundPlay(with_two_bobs("a1", "b2"), [plan]).play()

    assert play.calls == ["director", "b2", "director"]
    assert play.closing.state.roster == ("a1",)
    assert play.closing.round.notes == ()
    forced = steer("a1", force=("Bob",))
    play = RoundPlay(with_two_bobs("a1", "b2"), [acting("Ann")], before_step=forced).play()
    assert play.calls == ["director", "a1", "b2", "director"]


@pytest.mark.parametrize(
    ("roster", "plan"),
    [
        (("b1", "b2"), acting("Bob")),
        (("a1",), acting("Bob")),
        (("a1", "b2"), acting(activations=enters("Bob"))),
    ],
)
def test_a_name_of_two_who_may_both_be_meant_is_refused(roster: tuple[str, ...], plan: DirectorPlan) -> None:
    play = RoundPlay(with_two_bobs(*roster), [plan]).play()

    assert play.calls == ["director"]
    assert [note.code for note in play.closing.round.notes] == ["ambiguous-name"]
    assert "b1, b2" in play.closing.round.notes[0].text


def test_a_round_that_began_before_the_rule_reads_names_as_it_did() -> None:
    play = RoundPlay(with_two_bobs("a1", "b2"), [acting("Bob")], present_first=False).play()

    assert [note.code for note in play.closing.round.notes] == ["ambiguous-name"]


def test_who_is_listed_twice_acts_once_at_the_better_place() -> None:
    twice = DirectorPlan(
        acting=(
            PlannedActor(who="Ann", priority=1, guidance="later"),
            PlannedActor(who="b1", priority=3),
            PlannedActor(who="a1", priority=5, guidance="first"),
        )
    )

    play = RoundPlay(opened("a1", "b1"), [twice]).play()

    assert play.calls == ["director", "a1", "b1", "director"]
    assert play.of(Act)[0].turn.guidance == "first"
    assert [note.code for note in play.closing.round.notes] == ["duplicate-actor"]


def test_who_enters_is_present_before_the_first_word_and_the_flag_is_gone_next_round() -> None:
    plan = acting("Ann", "Dov", activations=enters("Dov", "Out of the rain."))

    play = RoundPlay(opened("a1"), [plan]).play()

    assert play.scenes[0].roster == ("a1", "d1")
    assert presence.of(play.closing.state, "d1").entered
    again = RoundPlay(opened(state=play.closing.state), [acting("Dov")]).play()
    assert not presence.of(again.closing.state, "d1").entered


def test_to_let_in_who_is_there_already_does_nothing() -> None:
    plan = acting("Ann", activations=enters("Ann", "Come in."))

    play = RoundPlay(opened("a1"), [plan]).play()

    (turn,) = play.of(Act)
    assert turn.turn.entry_guidance == ""
    assert not presence.of(play.closing.state, "a1").entered
    assert [note.code for note in play.closing.round.notes] == ["already-present"]


def test_who_leaves_without_acting_is_gone_after_the_pass_and_the_audit_says_how() -> None:
    plan = acting("Ann", deactivations=leaves("Bob", "Slips out."))

    play = RoundPlay(opened("a1", "b1"), [plan]).play()

    assert play.calls == ["director", "a1", "director"]
    assert play.closing.state.roster == ("a1",)
    assert presence.of(play.closing.state, "b1").exited
    (exit_,) = play.closing.round.passes[0].applied.exits
    assert (exit_.who, exit_.exit_guidance) == ("b1", "Slips out.")
    (said,) = [step for step in play.of(KeepSpoken) if step.record.outcome == "spoken"]
    assert said.witnesses == ("a1", "b1", "mira"), "he hears what is said before he goes"


def test_who_leaves_and_acts_speaks_its_exit_and_then_is_gone() -> None:
    plan = acting("Bob", "Ann", deactivations=leaves("Bob", "Slam the door."))

    play = RoundPlay(opened("a1", "b1"), [plan]).play()

    first, _ = play.of(Act)
    assert (first.turn.character, first.turn.exit_guidance) == ("b1", "Slam the door.")
    assert play.scenes[1].roster == ("a1",)
    assert [step.witnesses for step in play.of(KeepSpoken)] == [("a1", "b1", "mira"), ("a1", "mira")]


def test_the_last_one_can_leave_and_an_empty_scene_is_kept() -> None:
    play = RoundPlay(opened("a1"), [acting("Ann", deactivations=leaves("Ann"))]).play()

    assert play.closing.state.roster == ()


def test_pass_one_sets_states_before_the_cast_speaks() -> None:
    plan = acting("Ann", "Bob", states=sets("Ann", location="roof", mood=" Default ", clothing=""))

    play = RoundPlay(opened("a1", "b1"), [plan]).play()

    assert [presence.of(scene, "a1").location for scene in play.scenes] == ["roof", "roof"]
    assert [(each.field, each.new) for each in play.closing.round.changes] == [("location", "roof")]


def test_what_a_reply_reports_beats_what_rules_infer_and_pass_two_beats_both() -> None:
    reply = CharacterReply(text="Ann sits down. Ann feels glad.", reported=StatePatch(mood="sly"))
    plans = [
        acting("Ann", states=sets("Ann", mood="calm")),
        DirectorPlan(states=sets("Ann", mood="grim")),
    ]

    play = RoundPlay(opened("a1"), plans, {"a1": reply}).play()

    ann = presence.of(play.closing.state, "a1")
    assert (ann.mood, ann.activity) == ("grim", "sitting")
    assert [
        (each.field, each.source, each.old, each.new, each.overruled) for each in play.closing.round.changes
    ] == [
        ("mood", "pass-1", "", "calm", True),
        ("mood", "reported", "calm", "sly", True),
        ("activity", "inferred", "", "sitting", False),
        ("mood", "pass-2", "sly", "grim", False),
    ]


def test_one_who_fails_is_left_out_and_the_director_is_told() -> None:
    play = RoundPlay(opened("a1", "b1"), [acting("Ann", "Bob")], {"a1": DOWN}).play()

    assert play.calls == ["director", "a1", "b1", "director"]
    assert play.of(Direct)[1].failed == ("Ann",)
    assert (play.result.outcome, play.result.failed) == ("completed-with-errors", ("a1",))
    assert len(play.result.spoken) == 1
    assert not presence.of(play.closing.state, "a1").acted


def test_words_of_mere_space_are_a_failure_and_not_a_message() -> None:
    play = RoundPlay(opened("a1", "b1"), [acting("Ann", "Bob")], {"a1": " \n"}).play()

    assert play.closing.round.turns[0].code == "empty-reply"
    assert play.closing.round.turns[0].message == ""


def test_a_round_in_which_all_who_act_fail_is_failed_and_not_silent() -> None:
    play = RoundPlay(opened("a1"), [acting("Ann")], {"a1": DOWN}).play()

    assert play.calls == ["director", "a1"]
    assert (play.result.outcome, play.result.code) == ("failed", "provider-down")


def test_the_second_pass_gets_who_is_there_and_none_of_the_first_ones_guidance() -> None:
    plan = acting("Ann", open_guidance="Keep it dry.", activations=enters("Cleo"))

    play = RoundPlay(opened("a1"), [plan]).play()

    second = play.of(Direct)[1]
    assert second.pass_number == 2
    assert second.open_guidance == ""
    assert second.state.roster == ("a1", "c1")
    assert [step.open_guidance for step in play.of(Act)] == ["Keep it dry."]


def test_those_whom_the_last_pass_names_are_left_over() -> None:
    play = RoundPlay(opened("a1", "b1"), [acting("Ann"), acting("Bob", "Zog")]).play()

    assert play.calls == ["director", "a1", "director"]
    assert play.result.left_over == ("b1",)
    assert play.closing.round.passes[1].applied.left_over == ("b1",)


def test_more_passes_let_more_act_and_none_acts_twice() -> None:
    plans = [acting("Ann"), acting("Bob", "Ann"), acting("Cleo")]

    play = RoundPlay(opened("a1", "b1", "c1", max_director_passes=3), plans).play()

    assert play.calls == ["director", "a1", "director", "b1", "director"]
    assert play.result.left_over == ("c1",)
    assert [note.code for note in play.closing.round.notes] == ["duplicate-actor"]


def test_with_one_pass_its_cast_acts_and_no_second_pass_looks() -> None:
    play = RoundPlay(opened("a1", "b1", max_director_passes=1), [acting("Ann", "Bob")]).play()

    assert play.calls == ["director", "a1", "b1"]


def test_a_continued_round_tells_the_director_that_the_user_said_nothing() -> None:
    begun = opened("a1").model_copy(update={"user_message": "", "number": 5})
    given = DirectorRoundInput(scene="harbour", session="s1", kind="continue")

    play = RoundPlay(begun, [acting("Ann")], given=given).play()

    assert all(step.continues for step in [*play.of(Direct), *play.of(Act)])
    assert {step.round for step in play.of(KeepSpoken)} == {5}


@pytest.mark.parametrize("by_phrase", [True, False])
def test_only_the_narrator_answers_a_wish_for_a_description(by_phrase: bool) -> None:
    begun = opened("a1").model_copy(update={"narrates": by_phrase})
    given = DirectorRoundInput(scene="harbour", session="s1", kind="message" if by_phrase else "narrate")
    text = "[The harbour]\n---\nAnn walks to the quay. It is dark."

    play = RoundPlay(begun, [acting("Ann")], {NARRATOR: text}, given=given).play()

    (said,) = play.of(KeepSpoken)
    assert play.calls == [NARRATOR]
    assert (said.speaker, play.texts[said.text.sha256]) == ("narrator", text)
    assert said.witnesses == ("a1", "mira")
    assert play.closing.state == begun.state


def regenerating() -> RoundOpened:
    author = Author(kind="model", name="m")
    message = SceneMessage(
        id="harbour/3",
        number=3,
        round=1,
        speaker="character",
        speaker_id="a1",
        name="Ann",
        witnesses=("a1", "x1"),
        alternatives=(Alternative(index=0, text="Old.", author=author, at=NOW, op_id="o"),),
    )
    state = SceneState(roster=("a1",), characters=(CharacterState(id="a1", mood="calm"),))
    begun = opened(state=state)
    return begun.model_copy(update={"regenerates": message, "user_message": "", "number": 4})


def test_a_reply_made_anew_is_another_alternative_and_changes_no_state() -> None:
    given = DirectorRoundInput(scene="harbour", session="s1", kind="regenerate", message="harbour/3")
    reply = CharacterReply(text="Ann sits down.", reported=StatePatch(mood="sly"))

    play = RoundPlay(regenerating(), [], {"a1": reply}, given=given).play()

    (act,), (said,) = play.of(Act), play.of(KeepSpoken)
    assert play.calls == ["a1"]
    assert act.before == 3, "what came after it is not in its prompt"
    assert (said.replaces, said.witnesses) == ("harbour/3", ("a1", "x1"))
    assert presence.of(play.closing.state, "a1") == CharacterState(id="a1", mood="calm")
    assert play.of(RememberRound) == []


def test_a_round_played_again_keeps_the_old_replies_as_alternatives_of_the_new() -> None:
    begun = opened("a1", "b1").model_copy(update={"replays": 1, "earlier": {"a1": "harbour/2"}, "number": 2})
    given = DirectorRoundInput(scene="harbour", session="s1", kind="regenerate")

    play = RoundPlay(begun, [acting("Ann", "Bob")], given=given).play()

    assert [(step.record.character, step.carries) for step in play.of(KeepSpoken)] == [
        ("a1", "harbour/2"),
        ("b1", ""),
    ]
    assert all(step.regenerates for step in (*play.of(Direct), *play.of(Act)))


def halting(play: RoundPlay, step: Step) -> None:
    if isinstance(step, Act) and step.who == "b1":
        play.state = steering.halted(play.state, KillRequest(who="mira", reason="enough"))
        play.replies = {**play.replies, "b1": Cause(code="cancelled", message="cut")}


def test_a_round_that_is_stopped_keeps_what_is_said_and_asks_no_model_again() -> None:
    play = RoundPlay(opened("a1", "b1", "c1"), [acting("Ann", "Bob", "Cleo")], before_step=halting).play()

    assert play.calls == ["director", "a1", "b1"]
    assert (play.result.outcome, play.result.stopped_by) == ("stopped", "mira")
    assert play.result.spoken == ("harbour/2",)
    assert [each.outcome for each in play.closing.round.turns] == ["spoken", "stopped"]
    assert play.closing.round.status == "stopped"


def test_a_director_who_is_cut_off_leaves_a_cancelled_pass() -> None:
    def cut(play: RoundPlay, step: Step) -> None:
        if isinstance(step, Direct):
            play.state = steering.halted(play.state, KillRequest(who="mira", reason=""))
            play.plans = [DOWN]

    play = RoundPlay(opened("a1"), [acting("Ann")], before_step=cut).play()

    assert [step.record.outcome for step in play.of(KeepPass)] == ["cancelled"]
    assert play.result.outcome == "stopped"


def test_a_kill_before_the_round_opens_leaves_no_round() -> None:
    killed = control.stopped(DirectorRoundState(), KillRequest(who="op", reason="gone"))

    play = RoundPlay(opened("a1"), [], state=killed).play()

    assert (play.result.outcome, play.result.round) == ("stopped", 0)
    assert play.calls == []


def test_a_refused_round_says_why_and_plays_nothing() -> None:
    play = RoundPlay(RoundOpened(code="no-such-scene", message="There is no scene."), []).play()

    assert (play.result.outcome, play.result.code) == ("refused", "no-such-scene")
    assert play.calls == []


def steer(who: str, **asked: tuple[str, ...]) -> Callable[[RoundPlay, Step], None]:
    def before(play: RoundPlay, step: Step) -> None:
        if isinstance(step, Act) and step.who == who:
            assert steering.unsteerable(play.given, play.state, Steering(**asked)) is None
            play.state = steering.steered(play.state, Steering(**asked))

    return before


def test_who_is_forced_acts_next_and_one_from_outside_comes_in() -> None:
    play = RoundPlay(
        opened("a1", "b1"),
        [acting("Ann", "Bob")],
        before_step=steer("a1", force=("Cleo",)),
    ).play()

    assert play.calls == ["director", "a1", "c1", "b1", "director"]
    assert play.scenes[1].roster == ("a1", "b1", "c1")
    assert presence.of(play.closing.state, "c1").entered


def test_who_is_vetoed_is_skipped_with_a_note() -> None:
    play = RoundPlay(
        opened("a1", "b1"),
        [acting("Ann", "Bob")],
        before_step=steer("a1", veto=("Bob",)),
    ).play()

    assert play.calls == ["director", "a1", "director"]
    assert [note.code for note in play.closing.round.notes] == ["vetoed"]


def test_steering_given_with_the_order_counts_from_the_first_pass() -> None:
    given = DirectorRoundInput(scene="harbour", session="s1")
    state = DirectorRoundState(steering=Steering(force=("b1",), veto=("c1",)))

    play = RoundPlay(opened("a1", "b1", "c1"), [acting("Ann", "Cleo")], given=given, state=state).play()

    assert play.calls == ["director", "b1", "a1", "director"]
    assert play.of(Act)[0].turn.guidance == ""


def test_to_steer_by_a_name_that_is_none_or_of_one_who_has_acted_is_refused() -> None:
    seen: list[tuple[str, str] | None] = []

    def ask(play: RoundPlay, step: Step) -> None:
        if isinstance(step, Act) and step.who == "b1":
            asks = [Steering(force=(who,)) for who in ("Zog", "Mira", "a1", "c1")]
            seen.extend(steering.unsteerable(play.given, play.state, each) for each in asks)

    RoundPlay(opened("a1", "b1"), [acting("Ann", "Bob")], before_step=ask).play()

    assert [each and each[0] for each in seen] == ["unknown-name", "persona-named", "has-acted", None]


def test_the_world_agent_has_the_trackers_when_it_is_switched_on() -> None:
    update = WorldUpdate(facts={"tide": "high"}, trackers={"alarm": "2"})
    begun = opened("a1", world_agent=True)

    play = RoundPlay(begun, [acting("Ann")], world=update).play()

    assert play.calls == ["director", "a1", "director", "world agent"]
    assert play.closing.state.world == {"tide": "high"}
    assert play.closing.state.trackers == {"alarm": "2"}
    assert {each.source for each in play.closing.round.changes} == {"world-agent"}


@pytest.mark.parametrize(("unsummarised", "asked"), [(7, 0), (8, 1)])
def test_a_round_of_old_sums_up_once_enough_rounds_lie_outside_the_summary(
    unsummarised: int, asked: int
) -> None:
    begun = opened("a1").model_copy(update={"unsummarised": unsummarised, "user_message": "harbour/9"})

    play = RoundPlay(begun, [acting("Ann")], messages=9, memory_apart=False).play()

    assert [step.before for step in play.of(SummariseScene)] == [9] * asked
    assert not play.of(EndRound)[0].wants_memory


def test_a_round_ends_as_soon_as_it_is_closed_and_has_the_rest_done_by_another_run() -> None:
    begun = opened("a1").model_copy(update={"unsummarised": 99})

    play = RoundPlay(begun, [acting("Ann")]).play()

    assert [type(step).__name__ for step in play.steps[-2:]] == ["CloseRound", "EndRound"]
    assert play.of(EndRound)[0].wants_memory
    assert play.calls == ["director", "a1", "director"]


def test_a_spent_time_limit_stops_the_round() -> None:
    def late(play: RoundPlay, step: Step) -> None:
        if isinstance(step, Act):
            play.state = control.timed_out(play.state)
            play.replies = {"a1": DOWN}

    play = RoundPlay(opened("a1", "b1"), [acting("Ann", "Bob")], before_step=late).play()

    assert (play.result.outcome, play.result.code) == ("stopped", "time-spent")


def test_what_remembering_costs_is_part_of_the_rounds_cost() -> None:
    state = DirectorRoundState()
    paid = Remembered(written=2, model="near", usage=Usage(input_tokens=40, cost_micros=4))
    unknown = Remembered(written=2, model="near", usage=Usage(input_tokens=40))

    for outcome, cost in ((paid, (4, 0)), (unknown, (0, 1)), (Remembered(), (0, 0))):
        after = transitions.remembered(state, outcome).control
        assert (after.cost_micros, after.unknown_prices) == cost


def test_a_character_that_a_person_took_over_never_acts_whatever_is_planned_or_forced() -> None:
    begun = opened("a1", "b1")
    cast = tuple(each.model_copy(update={"taken": each.id == "a1"}) for each in begun.cast)
    plan = acting("Ann", "Bob", states=sets("Ann", mood="glad"))
    refused = list[str]()

    def ask(play: RoundPlay, step: Step) -> None:
        if isinstance(step, Act):
            why = steering.unsteerable(play.given, play.state, Steering(force=("Ann",)))
            refused.append(why[0] if why else "")

    play = RoundPlay(begun.model_copy(update={"cast": cast}), [plan], before_step=ask).play()

    assert play.calls == ["director", "b1", "director"]
    assert [each.code for each in play.closing.round.passes[0].applied.notes] == ["taken-over"]
    assert refused == ["taken-over"]
