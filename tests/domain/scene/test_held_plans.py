"""Plans that wait for a person, by the rules alone."""

from typing import Any

import pytest

from penwright.domain.scene import steering
from penwright.domain.scene.plan.edits import changes_in_words
from penwright.domain.scene.round import Step
from penwright.domain.scene.round_status import describe, stage
from schemas.base import Cause
from schemas.control import KillRequest
from schemas.director import ApprovedTurn, DirectorPlan, PlanApproval, PlannedTracker, Steering
from schemas.director_round import Act, AwaitPlan, Direct, DirectorRoundState
from schemas.scene import KeepPass
from tests.support.each import for_each
from tests.support.scenes.plays import RoundPlay, acting, opened


def approval(*turns: tuple[str, str | None], number: int = 1) -> PlanApproval:
    wanted = tuple(ApprovedTurn(who=who, guidance=guidance) for who, guidance in turns)
    return PlanApproval(who="mo", pass_number=number, turns=wanted)


def held(*, plan: DirectorPlan | None = None) -> DirectorRoundState:
    """A round whose first plan waits."""
    play = RoundPlay(opened("a1", "b1", hold_plan=True), [plan or acting("Ann", "Bob")])
    play.before_step = stop_at_the_plan
    with pytest.raises(_Held):
        play.play()
    return play.state


class _Held(Exception):
    pass


def stop_at_the_plan(play: RoundPlay, step: Step) -> None:
    if isinstance(step, AwaitPlan):
        raise _Held


def test_no_character_acts_before_the_plan_is_approved() -> None:
    as_planned = PlanApproval(who="mo", pass_number=1)
    play = RoundPlay(
        opened("a1", "b1", hold_plan=True), [acting("Ann", "Bob")], approvals={1: as_planned}
    ).play()

    kinds = [type(step).__name__ for step in play.steps]
    assert kinds[:6] == ["BeginRound", "Direct", "KeepPass", "AwaitPlan", "KeepPass", "Act"]
    assert play.calls == ["director", "a1", "b1", "director"]
    assert [each.approved_by for each in play.closing.round.passes] == ["mo", ""]


def test_a_plan_is_played_as_a_person_wants_it() -> None:
    wanted = approval(("Bob", "Speak of the road."), ("c1", "Come in wet."))
    play = RoundPlay(opened("a1", "b1", hold_plan=True), [acting("Ann", "Bob")], approvals={1: wanted}).play()

    turns = [(step.turn.character, step.turn.guidance, step.turn.entered) for step in play.of(Act)]
    assert turns == [("b1", "Speak of the road.", False), ("c1", "Come in wet.", True)]
    assert [each.character for each in play.of(KeepPass)[1].record.applied.turns] == ["b1", "c1"]
    assert play.closing.state.roster == ("a1", "b1", "c1")


def test_without_a_word_of_the_person_a_character_is_told_what_was_planned() -> None:
    wanted = approval(("Bob", None), ("Ann", ""))
    play = RoundPlay(opened("a1", "b1", hold_plan=True), [acting("Ann", "Bob")], approvals={1: wanted}).play()

    assert [(step.turn.character, step.turn.guidance) for step in play.of(Act)] == [
        ("b1", "to Bob"),
        ("a1", ""),
    ]


def test_a_plan_without_turns_is_not_held_and_one_that_is_emptied_ends_the_round() -> None:
    quiet = RoundPlay(opened("a1", hold_plan=True), [DirectorPlan()]).play()
    assert quiet.of(AwaitPlan) == []

    emptied = RoundPlay(opened("a1", hold_plan=True), [acting("Ann")], approvals={1: approval()}).play()
    assert (emptied.result.outcome, emptied.result.silent) == ("completed", True)
    assert emptied.calls == ["director"]


@for_each(
    "wanted, code",
    [
        (approval(("Zog", "")), "unknown-name"),
        (approval(("Mira", "")), "persona-named"),
        (approval(("Ann", ""), ("a1", "")), "duplicate-actor"),
        (approval(("Ann", "x" * 4_001)), "guidance-too-long"),
        (approval(("c1", None)), "no-guidance"),
        (approval(*[(f"n{number}", "") for number in range(51)]), "too-many-turns"),
        (approval(("Ann", ""), number=2), "other-plan"),
    ],
)
def test_what_cannot_be_played_is_refused_with_a_code(wanted: PlanApproval, code: str) -> None:
    refusal = steering.unapprovable(held(), wanted)

    assert refusal is not None
    assert refusal.code == code


def test_a_round_that_holds_no_plan_has_nothing_to_approve() -> None:
    ended = RoundPlay(opened("a1"), [acting("Ann")]).play().state

    refusal = steering.unapprovable(ended, PlanApproval(who="mo", pass_number=1))
    assert refusal is not None
    assert refusal.code == "no-plan-held"


def test_who_is_forbidden_while_the_plan_waits_does_not_act() -> None:
    state = held()
    state = steering.steered(state, Steering(veto=("Ann",)))

    approved = steering.approved(state, PlanApproval(who="mo", pass_number=1))

    assert [each.character for each in approved.queue] == ["b1"]


def test_the_status_says_that_a_plan_waits() -> None:
    play = RoundPlay(opened("a1"), [])

    assert stage(play.given, held()) == "approval"
    assert describe(play.given, held()) == "Round 1: the plan of pass 1 waits for approval"


def test_a_round_that_is_ended_while_its_plan_waits_plays_no_character() -> None:
    def halted(play: RoundPlay, step: Step) -> None:
        if isinstance(step, AwaitPlan):
            play.state = steering.halted(play.state, KillRequest(who="mo", reason="enough"))

    as_planned = PlanApproval(who="mo", pass_number=1)
    play = RoundPlay(
        opened("a1", hold_plan=True), [acting("Ann")], approvals={1: as_planned}, before_step=halted
    ).play()

    assert play.of(Act) == []
    assert play.result.outcome == "stopped"


def test_a_plan_approved_while_it_is_still_being_kept_is_kept_as_approved() -> None:
    def early(play: RoundPlay, step: Step) -> None:
        if isinstance(step, KeepPass) and not step.record.approved_by and step.record.number == 1:
            play.state = steering.approved(play.state, approval(("Bob", "Now.")))

    play = RoundPlay(opened("a1", "b1", hold_plan=True), [acting("Ann", "Bob")], before_step=early).play()

    assert [each.record.approved_by for each in play.of(KeepPass)][:2] == ["", "mo"]
    assert play.calls == ["director", "b1", "director"]


def test_the_director_is_told_what_people_say_for_every_round_and_for_this_one() -> None:
    begun = opened("a1")
    assert begun.located is not None
    notes = begun.located.scene.notes.model_copy(update={"direction": "Keep it dry."})
    scene = begun.located.scene.model_copy(update={"notes": notes})
    begun = begun.model_copy(update={"located": begun.located.model_copy(update={"scene": scene})})
    noted = DirectorRoundState(steering=Steering(note="Let it rain."))

    play = RoundPlay(begun, [acting("Ann")], state=noted).play()

    assert [each.instruction for each in play.of(Direct)] == ["Keep it dry.\n\nLet it rain."] * 2
    assert {each.instruction for each in play.of(Act)} == {""}


def test_what_a_person_changed_is_kept_beside_who_approved_it() -> None:
    wanted = approval(("Cleo", "Come in wet."), ("Bob", "Be quick."))
    plan = acting("Ann", "Bob")
    play = RoundPlay(opened("a1", "b1", hold_plan=True), [plan], approvals={1: wanted}).play()
    swapped = RoundPlay(
        opened("a1", "b1", hold_plan=True), [plan], approvals={1: approval(("Bob", None), ("Ann", None))}
    ).play()
    as_planned = RoundPlay(
        opened("a1", "b1", hold_plan=True), [plan], approvals={1: PlanApproval(who="mo", pass_number=1)}
    ).play()
    names = {"a1": "Ann", "b1": "Bob", "c1": "Cleo"}

    assert changes_in_words(play.closing.round.passes[0], names) == (
        "Ann was struck.",
        "Cleo was added.",
        "Bob was to be told: to Bob",
    )
    assert changes_in_words(swapped.closing.round.passes[0], names) == ("The director's order was Ann, Bob.",)
    assert changes_in_words(as_planned.closing.round.passes[0], names) == ()


# Any: fields of the settings.
def asked_for(*plans: DirectorPlan | Cause, **settings: Any) -> RoundPlay:
    """A round that a person asked of the director, who approves its plan."""
    play = RoundPlay(opened("a1", **settings), plans, approvals={1: PlanApproval(who="mo", pass_number=1)})
    play.given = play.given.model_copy(update={"steering": Steering(note="Make it night.", hold=True)})
    play.state = DirectorRoundState(steering=play.given.steering)
    return play.play()


def test_a_plan_that_a_person_asked_for_waits_also_if_nobody_acts_and_no_director_is_needed() -> None:
    night = (PlannedTracker(name="time", value="night"),)
    quiet = asked_for(DirectorPlan(trackers=night, activations=()), director="off")
    played = asked_for(acting("Ann", trackers=night), director="off")

    assert [type(step).__name__ for step in quiet.steps[:5]] == [
        *("BeginRound", "Direct", "KeepPass", "AwaitPlan", "KeepPass"),
    ]
    assert quiet.of(Direct)[0].instruction == "Make it night."
    assert quiet.calls == ["director"]
    assert quiet.closing.state.trackers == {"time": "night"}
    assert (quiet.result.outcome, quiet.closing.round.passes[0].approved_by) == ("completed", "mo")
    assert played.calls == ["director", "a1", "director"]
    assert [each.held for each in played.closing.round.passes] == [True, False]


def test_nobody_acts_for_a_director_who_has_no_plan_for_what_a_person_asked() -> None:
    play = asked_for(Cause(code="invalid-output", message="The answer is no plan."))

    assert play.calls == ["director"]
    assert play.result.outcome == "failed"
