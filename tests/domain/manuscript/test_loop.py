"""The manuscript loop's control flow, played step by step: order, passes, reasons to stop, and no spin."""

import pytest

from penwright.domain import control
from penwright.domain.manuscript import transitions
from penwright.domain.manuscript.entries import Outcome, told_history
from penwright.domain.manuscript.loop_status import progress
from schemas.agent_state import ActionEntry
from schemas.base import Cause, OpId
from schemas.control import KillRequest
from schemas.manuscript import (
    AmendRequest,
    ApplyDraft,
    AskRole,
    DraftApplied,
    EndManuscript,
    SectionLength,
    Seen,
    StopRequest,
    WantedLength,
)
from schemas.manuscript_roles import Decided, Edited
from tests.support.each import for_each
from tests.support.manuscripts.plays import START, TITLES, Play, Useless, critique, given, limited, ref

WRITTEN = "\n\n".join(f"# {title}\n\nSome words." for title in TITLES)
DRAFTING = ["formatter", "planner", "writer Introduction", "writer Method", "writer Results"]


# A01 to A04: order, score, cycles.


def test_an_empty_document_is_formatted_planned_written_in_order_and_criticised_before_it_is_finished() -> (
    None
):
    play = Play(scores=[0.5, 0.9], manager=["finish"])

    ended = play.run()

    assert play.actions == [*DRAFTING, "critic", "manager", "reviser", "critic"]
    assert ("finish", "overruled") in play.codes
    assert (ended.outcome, ended.stop) == ("finished", "finished")


def test_a_score_that_is_just_enough_finishes_without_a_revision() -> None:
    play = Play(given(min_score=0.8), text=WRITTEN, scores=[0.8])

    ended = play.run()

    assert play.actions == ["formatter", "planner", "critic"]
    assert (ended.stop, ended.pass_index) == ("finished", 1)


@pytest.mark.parametrize(
    ("scores", "critics", "revisers", "passes", "stop"),
    [
        ([0.5, 0.9], 2, 1, 1, "finished"),
        ([0.5, 0.6, 0.9], 3, 2, 2, "finished"),
        ([0.5, 0.5, 0.5, 0.5], 4, 3, 3, "passes_spent"),
    ],
)
def test_n_cycles_cost_one_critique_more_than_revisions(
    scores: list[float], critics: int, revisers: int, passes: int, stop: str
) -> None:
    play = Play(given(max_passes=3), text=WRITTEN, scores=scores, manager=["revise_manuscript"])

    ended = play.run()

    assert play.actions.count("critic") == critics
    assert play.actions.count("reviser") == revisers
    assert (ended.pass_index, ended.stop) == (passes, stop)


def test_no_revision_is_criticised_twice() -> None:
    play = Play(text=WRITTEN, scores=[0.5, 0.6, 0.9], manager=["revise_manuscript"])
    criticised: list[str] = []
    play.meanwhile = lambda play, step: (
        criticised.append(play.revision) if isinstance(step, AskRole) and step.role == "critic" else None
    )

    play.run()

    assert len(criticised) == len(set(criticised)) == 3


def test_a_low_score_without_items_asks_for_a_person() -> None:
    play = Play(text=WRITTEN, scores=[critique(0.4)])

    ended = play.run()

    assert "reviser" not in play.actions
    assert (ended.outcome, ended.stop, ended.pass_index) == ("unfinished", "needs_input", 1)


def test_a_revision_of_which_a_part_was_made_is_made_and_says_what_was_not() -> None:
    """The second reply, for what was refused, finds no more to change: nothing is paid twice."""
    said = iter([Edited(operations=ref("two"), count=2), Edited(operations=ref("none"), count=0)])
    play = Play(
        given().model_copy(update={"only_revise": "Be brief."}),
        text=WRITTEN,
        says={"reviser": lambda play, step: next(said)},
        applies=lambda play, step: play.applied(failed=1, results=ref("r"), reasons=("edit 2: ambiguous",)),
    )

    ended = play.run()

    assert (ended.outcome, ended.stop) == ("finished", "finished")
    (entry,) = [each for each in play.log if each.kind == "action" and each.code == "partly-applied"]
    assert "edit 2: ambiguous" in entry.summary
    assert entry.detail["results"] == ref("r").model_dump()


def test_a_revision_of_which_nothing_was_made_says_why_and_not_to_reword_it() -> None:
    play = Play(
        given().model_copy(update={"only_revise": "Be brief."}),
        text=WRITTEN,
        applies=lambda play, step: play.applied(
            outcome="unchanged", applied=0, failed=1, results=ref("r"), reasons=("edit 1: ambiguous",)
        ),
    )

    ended = play.run()

    assert (ended.outcome, ended.code) == ("unfinished", "nothing-revised")
    assert "Not made: edit 1: ambiguous" in ended.message
    assert "in other words" not in ended.message


def test_the_manager_is_told_of_refusals_and_overrulings_since_the_last_but_one_critique() -> None:
    def entry(action: str, outcome: Outcome, summary: str, code: str = "") -> ActionEntry:
        return ActionEntry(
            op_id=OpId(summary), run="r", at=START, action=action, outcome=outcome, code=code, summary=summary
        )

    done = [
        entry("revise_manuscript", "refused", "Old."),
        entry("critique_manuscript", "done", "It is worth 0.5."),
        entry("finish", "refused", "Not legal now.", "overruled"),
        entry("revise_manuscript", "done", "1 of 2 applied; edit 2: ambiguous.", "partly-applied"),
        entry("revise_manuscript", "done", "1 of 1 applied."),
        entry("critique_manuscript", "done", "It is worth 0.6."),
    ]

    assert told_history(done).splitlines() == [
        "finish: Not legal now.",
        "revise_manuscript: 1 of 2 applied; edit 2: ambiguous.",
        "critique_manuscript: It is worth 0.6.",
    ]


class ShortMethod(Play):
    """Whatever the writer does, its second section stays short."""

    def _seen(self) -> Seen:
        short = SectionLength(title="Method", words=40, planned=400)
        return super()._seen().model_copy(update={"off_length": (short,) if "# Method" in self.text else ()})


def test_a_section_far_from_its_planned_length_is_asked_for_again_and_the_run_is_not_finished() -> None:
    play = ShortMethod(scores=[0.9])

    ended = play.run()

    assert play.actions == [*DRAFTING[:4], "writer Method", "writer Method", "writer Results", "critic"]
    assert (ended.outcome, ended.stop, ended.code) == ("unfinished", "needs_input", "off-length")
    assert "'Method' has 40 of 400 words" in ended.message


class WantedLong(Play):
    """A run whose instructions ask for 900 words, of which its writer writes a handful."""

    def _seen(self) -> Seen:
        wanted = WantedLength(said="about 900 words", least=540, most=1800)
        return super()._seen().model_copy(update={"wanted": wanted})


def test_a_text_far_shorter_than_the_instructions_ask_is_not_finished_whatever_its_score() -> None:
    play = WantedLong(scores=[0.86])

    ended = play.run()

    assert (ended.outcome, ended.stop, ended.code) == ("unfinished", "needs_input", "off-length")
    assert "the text is far too short" in ended.message
    assert "'about 900 words'" in ended.message
    assert play.log[-1].code == "off-length"
    assert play.log[-1].summary == ended.message
    assert progress(play.given, play.state).outcome == "needs-input"


# A05: the manager's mistakes.


@pytest.mark.parametrize(
    ("said", "code"), [("finish", "overruled"), ("write_section", "overruled"), (Useless(), "no-decision")]
)
def test_a_choice_that_is_illegal_or_unreadable_becomes_the_policys_first(said: object, code: str) -> None:
    play = Play(text=WRITTEN, scores=[0.5, 0.9], manager=[said])

    ended = play.run()

    assert play.actions[-3:] == ["manager", "reviser", "critic"]
    assert ("finish", code) in play.codes
    assert ended.stop == "finished"


def test_the_manager_is_asked_only_where_it_has_a_choice() -> None:
    play = Play(text=WRITTEN, scores=[0.5, 0.9], manager=["revise_manuscript"])

    play.run()

    (asked,) = [each for each in play.asked if each.role == "manager"]
    assert asked.legal == ("revise_manuscript", "generate_plan")


def test_the_manager_may_have_it_planned_again_and_then_a_new_section_is_written() -> None:
    def planner(play: Play, step: AskRole) -> object:
        play.titles = TITLES if not play.row_titles else (*TITLES, "Discussion")
        return Play._said(play, step)

    play = Play(text=WRITTEN, scores=[0.5, 0.9], manager=["generate_plan"], says={"planner": planner})

    ended = play.run()

    assert play.actions[2:] == ["critic", "manager", "planner", "writer Discussion", "critic"]
    assert (ended.stop, ended.pass_index) == ("finished", 1)


def test_the_reviser_gets_the_items_that_the_manager_picked() -> None:
    pick = Decided(action="revise_manuscript", reasoning="", action_items=("Only this.",))
    play = Play(text=WRITTEN, scores=[0.5, 0.9], manager=[pick])

    play.run()

    (reviser,) = [each for each in play.asked if each.role == "reviser"]
    assert reviser.critique is not None
    assert reviser.critique.action_items == ("Only this.",)


# A06: what stands is not written again.


def test_sections_that_stand_are_not_offered_for_writing() -> None:
    play = Play(text="# INTRODUCTION\n\nWords.\n\n2. Methodology\n\nWords.", scores=[0.9])

    play.run()

    assert play.actions == ["formatter", "planner", "writer Method", "writer Results", "critic"]


# A07: no progress.


@pytest.mark.parametrize("role", ["formatter", "planner", "writer", "critic", "reviser"])
def test_an_action_that_changes_nothing_twice_stalls_the_run(role: str) -> None:
    play = Play(
        text=WRITTEN if role in ("critic", "reviser") else "",
        scores=[0.5],
        manager=["revise_manuscript"],
        says={role: lambda play, step: Useless()},
    )
    play.state = play.state.model_copy(update={"plan_after": 1})

    ended = play.run()

    assert [each for each in play.actions if each.startswith(role)].__len__() == 2
    assert ended.stop in ("stalled", "finished")


def test_a_section_whose_anchor_is_never_found_is_tried_twice() -> None:
    def nowhere(play: Play, step: ApplyDraft) -> DraftApplied:
        return play.applied(outcome="unchanged", applied=0, failed=1, results=ref("…"), commit=None)

    play = Play(applies=nowhere)

    ended = play.run()

    assert play.actions == ["formatter", "planner", *["writer Introduction"] * 4]
    assert [each.again is not None for each in play.asked[2:]] == [False, True, False, True]
    assert (ended.stop, ended.decisions) == ("stalled", 4)
    assert "'Introduction'" in ended.message
    assert ended.missing == TITLES


def test_a_reviser_that_finds_nothing_to_change_ends_the_run() -> None:
    def satisfied(play: Play, step: AskRole) -> object:
        return Edited(status="satisfied", operations=ref("[]"), count=0)

    play = Play(text=WRITTEN, scores=[0.5], manager=["revise_manuscript"], says={"reviser": satisfied})

    ended = play.run()

    assert ended.stop == "stalled"
    assert ("revise_manuscript", "nothing-to-change") in play.codes


# A08: stopping.


def test_a_reply_that_comes_after_a_stop_is_kept_and_not_applied() -> None:
    def stop(play: Play, step: object) -> None:
        if isinstance(step, AskRole) and step.section == "Method":
            request = StopRequest(who="ada", reason="lunch")
            play.state = transitions.stopped(play.given, play.state, request, START)

    play = Play(meanwhile=stop)

    ended = play.run()

    assert "# Method" not in play.text
    assert (ended.outcome, ended.stop, ended.stopped_by) == ("stopped", "stopped", "ada")
    assert ended.kept_reply is not None
    assert ("write_section", "not-applied") in play.codes


def test_a_new_run_goes_on_at_the_section_that_was_stopped() -> None:
    test = Play(text="# Introduction\n\nWords.", scores=[0.9], guided=True, row_titles=TITLES)

    test.run()

    assert test.actions == ["writer Method", "writer Results", "critic"]


@for_each("at", range(14))
def test_a_kill_at_any_step_ends_the_run_and_keeps_what_was_delivered(at: int) -> None:
    def kill(play: Play, step: object) -> None:
        if len(play.steps) == at:
            play.state = control.stopped(play.state, KillRequest(who="ada", reason="enough"))

    play = Play(scores=[0.9], meanwhile=kill)

    ended = play.run()

    assert (ended.outcome, ended.stop, ended.stopped_by) == ("stopped", "killed", "ada")
    assert play.ended_with is not None
    assert play.codes[-1] == ("finish", "killed")
    assert play.steps[-1] == "EndManuscript"


def test_a_kill_that_comes_with_the_last_step_does_not_change_what_was_recorded() -> None:
    def kill(play: Play, step: object) -> None:
        if isinstance(step, EndManuscript):
            play.state = control.stopped(play.state, KillRequest(who="ada", reason="late"))

    play = Play(text=WRITTEN, scores=[0.9], meanwhile=kill)

    ended = play.run()

    assert ended.stop == "finished"
    assert ended == play.ended_with


def test_a_run_that_is_ending_takes_neither_a_stop_nor_other_instructions() -> None:
    play = Play(text=WRITTEN, scores=[0.9])
    play.run()

    assert transitions.stopped(play.given, play.state, StopRequest(who="ada"), START) == play.state
    refused = transitions.unamendable(
        play.given, play.state, AmendRequest(instructions=ref("Other."), who="ada")
    )
    assert refused is not None
    assert refused[0] == "run-over"


def test_a_stop_of_a_paused_run_pays_for_nothing_more() -> None:
    paused = control.paused(Play().state)

    stopped = transitions.stopped(given(), paused, StopRequest(who="ada"), START)

    assert stopped.control.stop is not None
    assert not stopped.control.paused


def test_a_run_that_was_told_to_end_asks_no_model_any_more() -> None:
    def stop(play: Play, step: object) -> None:
        if isinstance(step, AskRole) and step.role == "planner":
            play.state = transitions.stopped(play.given, play.state, StopRequest(who="ada"), START)

    play = Play(meanwhile=stop, cautious=True)

    ended = play.run()

    assert (ended.stop, ended.calls) == ("stopped", 1)
    assert ("generate_plan", "interrupted") in play.codes


def test_a_section_that_people_took_out_of_the_plan_is_left() -> None:
    def fails(play: Play, step: AskRole) -> Cause | None:
        if step.section != "Method":
            return None
        play.row_titles = ("Introduction", "Results")
        return Cause(code="section-not-planned", message="it is not in the plan any more")

    play = Play(fails=fails, scores=[0.9])

    ended = play.run()

    assert play.actions == ["formatter", "planner", "writer Introduction", "writer Results", "critic"]
    assert ("write_section", "section-deleted") in play.codes
    assert (ended.stop, ended.missing) == ("finished", ())


def test_a_text_that_cannot_be_read_any_more_ends_the_run_by_its_code() -> None:
    def spoil(play: Play, step: object) -> None:
        play.unreadable = len(play.steps) > 8

    play = Play(meanwhile=spoil)

    ended = play.run()

    assert (ended.outcome, ended.code) == ("refused", "scene-not-text")
    assert "# Introduction" in play.text


@pytest.mark.parametrize("step", ["look", "apply", "keep", "push", "end"])
def test_a_step_that_fails_for_good_fails_the_run_unless_it_only_pushes(step: str) -> None:
    play = Play(text=WRITTEN, scores=[0.5, 0.9], manager=["revise_manuscript"], breaks=step)

    ended = play.run()

    assert play.state.control.ended
    if step == "push":
        assert (ended.stop, ended.push, ended.push_reason) == ("finished", "pending", "it broke")
    else:
        assert (ended.outcome, ended.code) == ("failed", "broken")


# A09: instructions.


def test_changed_instructions_count_from_the_next_prompt_on() -> None:
    other = ref("Write about the moon.")

    def amend(play: Play, step: object) -> None:
        if isinstance(step, AskRole) and step.section == "Method" and play.state.amended is None:
            request = AmendRequest(instructions=other, who="ada")
            play.state = transitions.amended(play.given, play.state, request, START)

    play = Play(scores=[0.9], meanwhile=amend)

    ended = play.run()

    assert play.actions == [*DRAFTING[:4], "formatter", "planner", "writer Results", "critic"]
    assert {each.settings.instructions for each in play.asked[4:]} == {other}
    assert {each.settings.instructions for each in play.asked[:4]} == {play.given.settings.instructions}
    assert ended.stop == "finished"


# Regression.


def test_the_best_revision_is_named_with_the_way_back_when_a_later_one_is_worse() -> None:
    play = Play(given(max_passes=2), text=WRITTEN, scores=[0.5, 0.7, 0.6], manager=["revise_manuscript"])

    ended = play.run()

    assert ended.best is not None
    assert ended.last is not None
    assert (ended.best.score, ended.last.score) == (0.7, 0.6)
    assert ended.way_back == f"penwright manuscript rollback tide paper --to {ended.best.revision}"
    assert ("critique_manuscript", "regression") in play.codes


def test_a_text_that_scores_best_at_the_end_needs_no_way_back() -> None:
    play = Play(text=WRITTEN, scores=[0.5, 0.9], manager=["revise_manuscript"])

    assert play.run().way_back == ""


# Budgets.


@pytest.mark.parametrize(
    ("limits", "stop", "told"),
    [
        ({"decisions": 3}, "decisions_spent", "may use 3 actions and has used 3"),
        ({"calls": 3}, "calls_spent", "may use 3 model calls and has used 3"),
        ({"tokens": 30}, "tokens_spent", "may use 30 tokens and has used 30"),
        ({"cost_micros": 15}, "money_spent", "may cost $0.0000 and has cost $0.0000"),
    ],
)
def test_each_budget_is_a_reason_to_stop_of_its_own(limits: dict[str, int], stop: str, told: str) -> None:
    play = Play(limited(**limits))

    ended = play.run()

    assert (ended.outcome, ended.stop) == ("unfinished", stop)
    assert f"the run {told};" in ended.message
    assert play.actions == ["formatter", "planner", "writer Introduction"]
    assert "# Introduction" in play.text, "what was paid for is in the text"


def test_every_call_of_a_role_is_told_what_the_run_has_left() -> None:
    play = Play(limited(calls=9, tokens=90, cost_micros=45), scores=[0.9])
    play.run()

    left = [(each.calls_left, each.tokens_left, each.micros_left) for each in play.asked]
    assert left[:3] == [(9, 90, 45), (8, 80, 40), (7, 70, 35)]


# People meanwhile.


def test_a_section_that_its_author_removed_meanwhile_is_left_and_the_others_are_written() -> None:
    def deleted(play: Play, step: ApplyDraft) -> DraftApplied | None:
        if step.section != "Method":
            return None
        return play.applied(outcome="section-deleted", applied=0, commit=None)

    play = Play(applies=deleted, scores=[0.9])

    ended = play.run()

    assert play.actions == [*DRAFTING, "critic"]
    assert ("write_section", "section-deleted") in play.codes
    assert (ended.stop, ended.missing) == ("finished", ())


def test_a_conflict_with_its_author_is_tried_on_the_new_text() -> None:
    def meet(play: Play, step: ApplyDraft) -> DraftApplied | None:
        if "Mine." in play.text:
            return None
        play.text += "\n\nMine."
        return play.applied(outcome="conflict", applied=0, commit=None)

    play = Play(applies=meet, scores=[0.9])

    play.run()

    assert play.actions[2:4] == ["writer Introduction", "manager"] or play.actions[2:4] == [
        *["writer Introduction"] * 2
    ]
    assert ("write_section", "conflict") in play.codes
    assert "Mine." in play.text


def test_a_provider_that_is_not_to_be_had_fails_the_run_under_its_code() -> None:
    play = Play(says={"writer": lambda play, step: Useless(code="model-unavailable", final=True)})

    ended = play.run()

    assert (ended.outcome, ended.code) == ("failed", "model-unavailable")
