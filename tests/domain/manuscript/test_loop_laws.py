"""Whatever models and people do, the manuscript loop ends soon, says why, and its history has each action."""

from hypothesis import given as each
from hypothesis import strategies as st

from penwright.domain import control
from penwright.domain.manuscript import transitions
from schemas.control import KillRequest
from schemas.manuscript import ApplyDraft, AskRole, DraftApplied, ManuscriptLimits, StopRequest
from schemas.manuscript_roles import Decided, Edited, Guided, Planned, PlannedSection
from tests.support.manuscripts.plays import ACTIONS, START, TITLES, Play, Useless, critique, given, ref

SCORES = st.sampled_from([0.0, 0.3, 0.5, 0.7, 0.8, 1.0])
OUTCOMES = st.sampled_from(
    ["applied", "applied", "applied", "partly", "unchanged", "conflict", "section-deleted"]
)
MOST = 112
"""Actions of three passes and three sections if nobody edits: two of each kind on each fingerprint."""


def chaotic(data: st.DataObject, *, passes: int = 3, edits: int = 0) -> Play:
    """A run in which anything may come back from any role."""
    left = [edits]

    def says(play: Play, step: AskRole) -> object:
        if data.draw(st.integers(0, 5)) == 0:
            return Useless()
        match step.role:
            case "manager":
                return Decided(action=data.draw(st.sampled_from(ACTIONS)), reasoning="")
            case "formatter":
                return Guided(format_guidance=ref("…"), words=1)
            case "planner":
                titles = data.draw(st.permutations(TITLES))[: data.draw(st.integers(1, 3))]
                sections = [PlannedSection(section_title=title, section_summary="…") for title in titles]
                return Planned(section_plan=tuple(sections))
            case "critic":
                return critique(data.draw(SCORES), *["Be clear."] * data.draw(st.integers(0, 2)))
            case _:
                count = data.draw(st.integers(0, 2)) if step.role == "reviser" else 1
                return Edited(operations=ref(step.run_id), count=count)

    def applies(play: Play, step: ApplyDraft) -> DraftApplied | None:
        match data.draw(OUTCOMES):
            case "applied":
                return None
            case "partly":
                play._apply(step)
                return play.applied(failed=1, results=ref("…"))
            case "unchanged":
                return play.applied(outcome="unchanged", applied=0, failed=1, results=ref("…"), commit=None)
            case other:
                return play.applied(outcome=other, applied=0, commit=None)

    def edit(play: Play, step: object) -> None:
        if left[0] and data.draw(st.booleans()):
            left[0] -= 1
            play.text += f" Edit {left[0]}."

    roles = ("manager", "formatter", "planner", "writer", "critic", "reviser")
    settings = given(max_passes=passes, limits=ManuscriptLimits(decisions=100_000))
    return Play(settings, says=dict.fromkeys(roles, says), applies=applies, meanwhile=edit)


@each(st.data())
def test_a_run_ends_after_a_bounded_number_of_actions_whatever_comes_back(data: st.DataObject) -> None:
    play = chaotic(data)

    ended = play.run()

    assert ended.decisions <= MOST
    assert ended.stop in ("finished", "needs_input", "passes_spent", "stalled")


@each(st.data(), st.integers(0, 6))
def test_each_edit_of_a_person_costs_a_bounded_number_of_actions(data: st.DataObject, edits: int) -> None:
    play = chaotic(data, edits=edits)

    assert play.run().decisions <= MOST * (edits + 1)


@each(st.data(), st.integers(1, 4))
def test_passes_never_exceed_what_is_allowed_and_critiques_are_one_more(
    data: st.DataObject, passes: int
) -> None:
    play = chaotic(data, passes=passes)

    ended = play.run()

    assert ended.pass_index <= passes
    assert play.state.critiques <= passes + 1


@each(st.data())
def test_finished_means_that_every_section_is_there_and_the_score_is_reached(data: st.DataObject) -> None:
    play = chaotic(data)

    ended = play.run()

    if ended.stop == "finished":
        assert ended.missing == ()
        assert ended.last is not None
        assert ended.last.score >= play.given.settings.min_score
    else:
        assert ended.message


@each(st.data())
def test_every_role_that_worked_is_in_the_history_once_for_each_outcome(data: st.DataObject) -> None:
    play = chaotic(data)

    play.run()

    runs = {entry.detail.get("agent_run") for entry in play.log}
    worked = {asked.run_id for asked in play.asked if asked.role != "manager"}
    assert worked <= runs
    ids = [entry.op_id for entry in play.log]
    assert len(ids) == len(set(ids))


@each(st.data(), st.integers(0, 60), st.sampled_from(["kill", "stop", "time", "pause"]))
def test_an_interruption_at_any_step_ends_the_run_without_a_further_change_of_text(
    data: st.DataObject, at: int, kind: str
) -> None:
    play = chaotic(data)
    texts: list[str] = []

    def interrupt(play: Play, step: object) -> None:
        if len(play.steps) != at:
            return
        match kind:
            case "kill":
                play.state = control.stopped(play.state, KillRequest(who="ada", reason="…"))
            case "stop":
                play.state = transitions.stopped(play.given, play.state, StopRequest(who="ada"), START)
            case "time":
                play.state = control.timed_out(play.state)
            case _:
                play.state = control.resumed(control.paused(play.state))
        texts.append(play.text)

    play.meanwhile = interrupt

    ended = play.run()

    assert play.steps[-1] == "EndManuscript"
    assert play.ended_with == ended
    if texts and kind != "pause" and play.steps[at] != "ApplyDraft":
        assert play.text == texts[0]
        is_ending = play.steps[at] in ("PushNovel", "EndManuscript")
        assert is_ending or ended.stop in ("killed", "stopped", "time_spent")
