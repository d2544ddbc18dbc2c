"""The order of a session's steps, without a server."""

from collections.abc import Callable, Mapping
from datetime import timedelta

import pytest

from penwright.domain import approvals, control
from penwright.domain.book import session as rules
from penwright.domain.book import session_status as status
from penwright.domain.book import transitions
from penwright.domain.book.files.layout import REVIEW
from schemas.base import BlobRef, Cause, CommitSha
from schemas.book import CompleteReport
from schemas.book_session import (
    AnnounceApproval,
    BookSessionInput,
    BookSessionState,
    ChapterPlan,
    Closed,
    CloseSession,
    CompleteBook,
    Completed,
    EditProse,
    EndSession,
    OpenSession,
    OutlineSaved,
    PushBook,
    ReleaseBook,
    Released,
    Rewrite,
    RewriteOrder,
    WriteProse,
)
from schemas.control import KillRequest
from schemas.intents import ApprovalDecision
from schemas.outside_session import DeliverProse, SessionProse
from tests.support.books.sessions import (
    EFFECT,
    NOON,
    PAYLOAD,
    PROSE,
    a_close,
    a_move,
    a_need,
    a_push,
    a_seal,
    an_opening,
    given,
    some_prose,
    state,
)

A_PLAN = ChapterPlan(chapter=2, outline=PROSE, cost_micros=7)
KILL = KillRequest(who="ada", reason="wrong chapter")


def names_of_steps(start: BookSessionInput, outcomes: Mapping[str, object]) -> list[str]:
    """Walk a session to its end, answering each step from ``outcomes``."""
    now, taken = BookSessionState(), list[str]()
    while step := rules.next_step(start, now, EFFECT):
        name = type(step).__name__
        taken.append(name)
        assert len(taken) < 20, taken
        now = fold(now, name, outcomes.get(name))
    return taken


def shut(now: BookSessionState, outcome: Closed) -> BookSessionState:
    step = rules.next_step(given(), now, EFFECT)
    assert isinstance(step, CloseSession)
    return transitions.closed(given(), now, step, outcome, NOON)


def sealed(now: BookSessionState, outcome: Completed) -> BookSessionState:
    step = rules.next_step(given(), now, EFFECT)
    assert isinstance(step, CompleteBook)
    return transitions.completed(now, step, outcome, NOON)


def fold(now: BookSessionState, name: str, outcome: object) -> BookSessionState:
    match name:
        case "OpenSession":
            return transitions.opened(now, outcome or an_opening(), NOON)  # type: ignore[arg-type]
        case "PlanChapter":
            return transitions.planned(now, outcome or A_PLAN)  # type: ignore[arg-type]
        case "SaveOutline":
            return transitions.outline_saved(now, outcome or OutlineSaved(path="p"))  # type: ignore[arg-type]
        case "AdvanceChapter":
            return transitions.advanced(now, a_move())
        case "WriteProse":
            return transitions.written(now, outcome or some_prose())  # type: ignore[arg-type]
        case "EditProse":
            step = rules.next_step(given(), now, EFFECT)
            assert isinstance(step, EditProse)
            return transitions.edited(now, step.written, outcome or step.written)  # type: ignore[arg-type]
        case "AwaitAgent":
            return transitions.delivered(now, DeliverProse(written=SessionProse(prose=PROSE)))
        case "CloseSession":
            return shut(now, outcome or a_close())  # type: ignore[arg-type]
        case "PushBook":
            return transitions.pushed(now, a_push())
        case "CompleteBook":
            return sealed(now, outcome or a_seal())  # type: ignore[arg-type]
        case "ReleaseBook":
            return transitions.released(now, Released())
        case _:
            return transitions.ended(now)


def test_a_plain_session_opens_writes_closes_and_pushes() -> None:
    assert names_of_steps(given(), {}) == [
        "OpenSession",
        "WriteProse",
        "CloseSession",
        "PushBook",
        "EndSession",
    ]


@pytest.mark.parametrize("silent", [True, False])
def test_a_remote_that_was_silent_at_the_opening_is_not_asked_at_the_push(silent: bool) -> None:
    now = fold(BookSessionState(), "OpenSession", an_opening(remote_silent=silent))
    now = fold(fold(now, "WriteProse", None), "CloseSession", None)

    step = rules.next_step(given(), now, EFFECT)

    assert isinstance(step, PushBook)
    assert step.remote_silent is silent


def test_a_nearly_full_chapter_is_advanced_once_before_writing() -> None:
    nearly_full = an_opening(chapter_close_suggested=True)

    steps = names_of_steps(given(), {"OpenSession": nearly_full})

    assert steps[:3] == ["OpenSession", "AdvanceChapter", "WriteProse"]


def test_a_rework_only_session_does_not_advance_the_chapter() -> None:
    rework = an_opening(chapter_close_suggested=True, rework_only=True)

    assert "AdvanceChapter" not in names_of_steps(given(), {"OpenSession": rework})


def test_a_finished_book_is_sealed_and_pushed_again() -> None:
    outcomes = {
        "WriteProse": some_prose(arcs_closed=True),
        "CloseSession": a_close(completion_ready=True),
    }

    steps = names_of_steps(given(), outcomes)

    assert steps[3:] == ["PushBook", "CompleteBook", "PushBook", "EndSession"]


def test_a_book_far_above_its_length_is_sealed_with_open_arcs_if_its_settings_say_so() -> None:
    close = a_close(completion_ready=True)
    overlong = close.model_copy(update={"report": close.report.model_copy(update={"at_target": "complete"})})

    steps = names_of_steps(given(), {"WriteProse": some_prose(), "CloseSession": overlong})

    assert "CompleteBook" in steps
    assert "CompleteBook" not in names_of_steps(given(), {"WriteProse": some_prose(), "CloseSession": close})


def asking_to_seal() -> BookSessionState:
    """A session whose close is done and whose sealing the gate denied."""
    now = BookSessionState()
    outcomes: Mapping[str, object] = {
        "WriteProse": some_prose(arcs_closed=True),
        "CloseSession": a_close(completion_ready=True),
        "CompleteBook": a_seal("not_ready").model_copy(update={"asks": a_need()}),
    }
    while not approvals.is_waiting(now):
        step = rules.next_step(given(), now, EFFECT)
        now = fold(now, type(step).__name__, outcomes.get(type(step).__name__))
    return now


def decided(now: BookSessionState, answer: str) -> BookSessionState:
    assert now.asked is not None
    decision = ApprovalDecision.model_validate(
        {
            "approval": now.asked.id,
            "plan_digest": now.asked.need.plan_digest,
            "decided": answer,
            "by": "ada",
        }
    )
    told = approvals.announced(approvals.decided(now, decision), decision)
    assert told.decision == decision
    return told


def test_a_sealing_out_of_scope_is_asked_about_before_it_is_tried_again() -> None:
    asking = asking_to_seal()
    tell = rules.next_step(given(), asking, EFFECT)
    again = decided(asking, "approved")

    step = rules.next_step(given(), again, EFFECT.model_copy(update={"op_id": "later"}))

    assert isinstance(tell, AnnounceApproval)
    assert status.stage(asking) == "approval"
    assert status.result(given(), asking).outcome == "closed"
    assert isinstance(step, CompleteBook)
    assert step.approval is not None
    assert step.effect == EFFECT
    assert status.result(given(), sealed(again, a_seal())).outcome == "completed"


def test_a_sealing_that_is_denied_leaves_a_closed_session() -> None:
    step = rules.next_step(given(), decided(asking_to_seal(), "denied"), EFFECT)

    assert isinstance(step, EndSession)
    assert (step.result.outcome, step.result.code) == ("closed", "scope-violation")
    assert "ada denied it" in step.result.message


def test_a_session_that_only_seals_asks_no_writer() -> None:
    reviewed = {"OpenSession": an_opening(verdict="reviewed")}

    assert names_of_steps(given(), reviewed) == ["OpenSession", "CompleteBook", "PushBook", "EndSession"]
    outside = names_of_steps(given(writer="outside"), reviewed)
    assert outside == ["OpenSession", "PushBook", "EndSession"]


def test_what_was_sealed_unreviewed_or_why_nothing_was_is_a_warning_of_the_session() -> None:
    written = transitions.written(
        transitions.opened(state(), an_opening(), NOON), some_prose(arcs_closed=True)
    )
    closed = transitions.pushed(shut(written, a_close(completion_ready=True)), a_push())
    done = CompleteReport(status="complete", unreviewed_word_count=9, unreviewed="The last 9 words …")
    waits = CompleteReport(status="needs_revision", message="The last prose waits for your review.")

    said = [status.result(given(), sealed(closed, Completed(report=report))) for report in (done, waits)]

    assert [each.outcome for each in said] == ["completed", "closed"]
    assert [each.warnings for each in said] == [(done.unreviewed,), (waits.message,)]


def test_a_closed_session_names_lines_of_the_review_as_the_close_left_it() -> None:
    def said(line: int) -> str:
        return f"{REVIEW} line {line}: add the colon"

    opened = transitions.opened(state(), an_opening(warnings=("no remote", said(13))), NOON)
    written = transitions.written(opened, some_prose())
    close = a_close()
    report = close.report.model_copy(update={"warnings": (said(3),)})
    closed = shut(written, close.model_copy(update={"report": report}))

    assert status.result(given(), written).warnings == ("no remote", said(13))
    assert status.result(given(), closed).warnings == ("no remote", said(3))


def test_a_conflict_that_the_push_met_is_a_warning_of_the_session() -> None:
    written = transitions.written(transitions.opened(state(), an_opening(), NOON), some_prose())
    met = a_push().model_copy(update={"conflicts": ("Review/current.md",)})

    ending = status.result(given(), transitions.pushed(shut(written, a_close()), met))

    assert [said for said in ending.warnings if "INK:CONFLICT" in said]
    assert ending.report is not None
    assert ending.report.warnings == ending.warnings


def test_a_book_of_the_right_length_stays_open_until_its_arcs_are_closed() -> None:
    ready = {"CloseSession": a_close(completion_ready=True)}

    assert "CompleteBook" not in names_of_steps(given(), ready)


def test_a_book_that_needs_revision_is_not_pushed_twice() -> None:
    outcomes = {
        "WriteProse": some_prose(arcs_closed=True),
        "CloseSession": a_close(completion_ready=True),
        "CompleteBook": a_seal("needs_revision"),
    }

    assert names_of_steps(given(), outcomes).count("PushBook") == 1


def test_an_outside_agent_is_awaited_and_completes_the_book_itself() -> None:
    outcomes = {"CloseSession": a_close(completion_ready=True)}

    steps = names_of_steps(given(writer="outside"), outcomes)

    assert steps == ["OpenSession", "AwaitAgent", "CloseSession", "PushBook", "EndSession"]


@pytest.mark.parametrize("verdict", ["already-running", "refused"])
def test_a_session_that_may_not_open_ends_without_touching_the_book(verdict: str) -> None:
    shut = an_opening(verdict=verdict, code="broken-config", message="mend Config.yml")

    assert names_of_steps(given(), {"OpenSession": shut}) == ["OpenSession", "EndSession"]


@pytest.mark.parametrize("verdict", ["killed", "sealed"])
def test_commits_of_an_early_end_are_pushed(verdict: str) -> None:
    shut = an_opening(verdict=verdict)

    assert names_of_steps(given(), {"OpenSession": shut}) == ["OpenSession", "PushBook", "EndSession"]


def test_a_kill_before_the_opening_changes_nothing() -> None:
    step = rules.next_step(given(), control.stopped(state(), KILL), EFFECT)

    assert isinstance(step, EndSession)
    assert (step.result.outcome, step.result.stopped_by) == ("stopped", "ada")


def test_a_kill_while_writing_gives_the_book_back() -> None:
    writing = transitions.opened(state(), an_opening(), NOON)

    step = rules.next_step(given(), control.stopped(writing, KILL), EFFECT)

    assert isinstance(step, ReleaseBook)
    assert step.reason == "killed by ada: wrong chapter"


def test_a_kill_after_the_prose_arrived_still_puts_it_into_the_book() -> None:
    has_prose = transitions.written(transitions.opened(state(), an_opening(), NOON), some_prose())

    now = control.stopped(has_prose, KILL)
    steps = []
    while step := rules.next_step(given(), now, EFFECT):
        steps.append(type(step).__name__)
        now = fold(now, steps[-1], None)

    assert steps == ["CloseSession", "PushBook", "EndSession"]
    assert status.result(given(), now).outcome == "stopped"


def test_the_first_kill_counts() -> None:
    twice = control.stopped(control.stopped(state(), KILL), KillRequest(who="bob", reason="me too"))

    assert twice.control.stop == KILL


def test_a_session_out_of_time_is_released_and_reported() -> None:
    late = control.timed_out(transitions.opened(state(), an_opening(), NOON))

    step = rules.next_step(given(), late, EFFECT)
    ending = status.result(given(), transitions.released(late, Released()))

    assert isinstance(step, ReleaseBook)
    assert (ending.outcome, ending.code) == ("stopped", "session-timeout")


def test_prose_that_cannot_be_closed_is_kept_when_the_book_is_released() -> None:
    has_prose = transitions.written(transitions.opened(state(), an_opening(), NOON), some_prose())
    close = rules.next_step(given(), has_prose, EFFECT)
    assert close is not None

    broken = transitions.failed(
        given(), has_prose, close, Cause(code="broken-config", message="mend Config.yml")
    )
    step = rules.next_step(given(), broken, EFFECT)

    assert isinstance(step, ReleaseBook)
    assert step.prose == PROSE


def test_a_failed_session_is_released_pushed_and_reported_under_its_code() -> None:
    writing = transitions.opened(state(), an_opening(), NOON)
    step = rules.next_step(given(), writing, EFFECT)
    assert isinstance(step, WriteProse)

    now = transitions.failed(given(), writing, step, Cause(code="model-auth", message="check the key"))
    steps = []
    while following := rules.next_step(given(), now, EFFECT):
        steps.append(type(following).__name__)
        now = fold(now, steps[-1], None)

    assert steps == ["ReleaseBook", "PushBook", "EndSession"]
    assert (status.result(given(), now).outcome, status.result(given(), now).code) == ("failed", "model-auth")


def test_a_refused_opening_carries_its_reason() -> None:
    step = rules.next_step(given(), state(), EFFECT)
    assert isinstance(step, OpenSession)

    shut = transitions.failed(given(), state(), step, Cause(code="wrong-branch", message="switch to main"))
    ending = status.result(given(), shut)

    assert (ending.outcome, ending.code, ending.message) == ("refused", "wrong-branch", "switch to main")


def test_an_opening_that_died_halfway_gives_the_lock_back_and_has_failed() -> None:
    step = rules.next_step(given(), state(), EFFECT)
    assert isinstance(step, OpenSession)

    lost = Cause(code="step-timeout", message="no sign of life", final=False)
    now = transitions.failed(given(), state(), step, lost)
    release = rules.next_step(given(), now, EFFECT)
    assert isinstance(release, ReleaseBook)
    now = transitions.released(now, Released(commit=CommitSha("r1")))

    assert isinstance(rules.next_step(given(), now, EFFECT), PushBook)
    assert (status.result(given(), now).outcome, status.result(given(), now).code) == (
        "failed",
        "step-timeout",
    )


def test_an_opening_that_died_before_its_commit_leaves_nothing_to_push() -> None:
    step = rules.next_step(given(), state(), EFFECT)
    assert step is not None
    now = transitions.failed(
        given(), state(), step, Cause(code="step-timeout", message="no sign of life", final=False)
    )

    assert isinstance(rules.next_step(given(), transitions.released(now, Released()), EFFECT), EndSession)


def test_a_failed_push_stays_pending_and_the_session_closes() -> None:
    is_shut = shut(
        transitions.written(transitions.opened(state(), an_opening(), NOON), some_prose()), a_close()
    )
    step = rules.next_step(given(), is_shut, EFFECT)
    assert isinstance(step, PushBook)

    ending = status.result(
        given(), transitions.failed(given(), is_shut, step, Cause(code="remote-gone", message="no such host"))
    )

    assert (ending.outcome, ending.push) == ("closed", "pending")


def test_progress_has_the_cost_of_calls_and_counts_unknown_prices() -> None:
    before = transitions.opened(BookSessionState(), an_opening(), NOON)

    after = transitions.written(before, some_prose(cost_micros=700, unknown_prices=2))

    ending = status.result(given(), after)
    assert (ending.cost_micros, ending.unknown_prices) == (700, 2)


def test_a_cap_pauses_the_session_with_a_message() -> None:
    writing = transitions.opened(state(), an_opening(), NOON)

    capped = control.capped(writing, "the day's 5.00 USD are spent")

    assert capped.control.paused
    assert status.describe(given(), capped) == "Paused: the day's 5.00 USD are spent"
    assert isinstance(rules.next_step(given(), control.resumed(capped), EFFECT), WriteProse)


def test_the_time_limit_runs_only_while_the_book_is_held_and_not_paused() -> None:
    held = transitions.opened(state(), an_opening(timeout_minutes=60), NOON)
    at = NOON + timedelta(minutes=20)

    assert control.time_left(held, at) == timedelta(minutes=40)
    assert control.time_left(held, NOON + timedelta(hours=2)) == timedelta()
    assert control.time_left(control.paused(held), at) is None
    assert control.time_left(transitions.written(held, some_prose()), at) is None
    assert control.time_left(state(), at) is None


def test_a_pause_at_a_cap_counts_towards_the_session_timeout() -> None:
    writing = transitions.opened(state(), an_opening(timeout_minutes=60), NOON)
    capped = control.capped(writing, "spent")

    assert control.time_left(capped, NOON + timedelta(minutes=59)) == timedelta(minutes=1)


def test_the_writer_gets_the_payload_of_the_chapter_it_moved_to() -> None:
    moved = BlobRef(sha256="c" * 64, size=3)
    now = transitions.opened(state(), an_opening(), NOON)
    now = transitions.advanced(now, a_move(payload=moved))

    step = rules.next_step(given(), now, EFFECT)

    assert isinstance(step, WriteProse)
    assert step.payload == moved


def test_the_writer_keeps_its_payload_when_no_outline_was_ready() -> None:
    now = transitions.advanced(transitions.opened(state(), an_opening(), NOON), a_move(payload=None))

    step = rules.next_step(given(), now, EFFECT)

    assert isinstance(step, WriteProse)
    assert step.payload == PAYLOAD


def test_every_step_takes_a_place_of_its_own_in_the_run() -> None:
    now = transitions.opened(state(), an_opening(), NOON)
    assert now.control.effects == 1
    assert control.after_step(now).control.effects == 2
    assert transitions.written(now, some_prose()).control.effects == 2


def a_draft() -> BookSessionState:
    """A session whose editor has yet to read the draft."""
    opened = transitions.opened(BookSessionState(), an_opening(index=PROSE), NOON)
    return transitions.written(opened, some_prose(cost_micros=40), awaits_editor=True)


def test_a_draft_is_read_by_the_editor_before_the_close_and_both_are_paid() -> None:
    draft = a_draft()
    step = rules.next_step(given(), draft, EFFECT)
    assert isinstance(step, EditProse)
    assert (step.written.prose, status.stage(draft)) == (PROSE, "edit")

    done = transitions.edited(draft, step.written, step.written.model_copy(update={"cost_micros": 55}))

    assert isinstance(rules.next_step(given(), done, EFFECT), CloseSession)
    assert (done.control.cost_micros, done.control.deadline) == (55, None)


@pytest.mark.parametrize(
    "end", [control.timed_out, lambda state: control.stopped(state, KILL)], ids=["time", "kill"]
)
def test_a_session_that_ends_before_its_editor_was_asked_keeps_the_draft(
    end: Callable[[BookSessionState], BookSessionState],
) -> None:
    step = rules.next_step(given(), end(a_draft()), EFFECT)

    assert isinstance(step, CloseSession)
    assert step.written == some_prose(cost_micros=40)


def test_a_draft_stands_whose_editor_fails() -> None:
    draft = a_draft()
    step = rules.next_step(given(), draft, EFFECT)
    assert step is not None

    done = transitions.failed(given(), draft, step, Cause(code="model-unavailable", message="It is away."))

    closing = rules.next_step(given(), done, EFFECT)
    assert isinstance(closing, CloseSession)
    assert (closing.written.prose, closing.written.craft.unedited) == (PROSE, "It is away.")


UNPLANNED = an_opening(chapter_to_plan=2)


def test_a_chapter_without_an_outline_is_planned_before_anything_is_written() -> None:
    steps = names_of_steps(given(), {"OpenSession": UNPLANNED})

    assert steps[:4] == ["OpenSession", "PlanChapter", "SaveOutline", "WriteProse"]


def test_a_full_chapter_is_left_as_soon_as_the_next_one_is_planned() -> None:
    saved = OutlineSaved(path="p", payload=PROSE, chapter_close_suggested=True)
    steps = names_of_steps(given(), {"OpenSession": UNPLANNED, "SaveOutline": saved})

    assert steps[2:5] == ["SaveOutline", "AdvanceChapter", "WriteProse"]


def test_a_session_whose_planner_fails_is_written_and_says_why_there_is_no_outline() -> None:
    failed = ChapterPlan(chapter=2, why_none="the model is away")
    now = fold(fold(BookSessionState(), "OpenSession", UNPLANNED), "PlanChapter", failed)

    assert isinstance(rules.next_step(given(), now, EFFECT), WriteProse)
    assert any("the model is away" in warning for warning in status.result(given(), now).warnings)


def test_an_outline_that_cannot_be_saved_ends_no_session() -> None:
    now = fold(fold(BookSessionState(), "OpenSession", UNPLANNED), "PlanChapter", None)
    step = rules.next_step(given(), now, EFFECT)
    assert step is not None

    now = transitions.failed(
        given(), now, step, Cause(code="no-writable-intent", message="no intent owns it")
    )

    assert isinstance(rules.next_step(given(), now, EFFECT), WriteProse)
    assert any("no intent owns it" in warning for warning in status.result(given(), now).warnings)


def test_the_writer_is_shown_the_outline_that_was_saved() -> None:
    saved = OutlineSaved(path="p", payload=PROSE)
    now = fold(
        fold(fold(BookSessionState(), "OpenSession", UNPLANNED), "PlanChapter", None), "SaveOutline", saved
    )
    step = rules.next_step(given(), now, EFFECT)

    assert isinstance(step, WriteProse)
    assert step.payload == PROSE
    assert now.control.cost_micros == A_PLAN.cost_micros


def test_a_session_that_is_killed_while_it_plans_gives_the_book_back() -> None:
    now = control.stopped(fold(BookSessionState(), "OpenSession", UNPLANNED), KILL)

    assert isinstance(rules.next_step(given(), transitions.planned(now, A_PLAN), EFFECT), ReleaseBook)
    assert isinstance(rules.next_step(given(), now, EFFECT), ReleaseBook)


REWRITES = given(rewrite=RewriteOrder(chapter=3, instruction="make her left-handed"))


def asked_about_a_rewrite() -> BookSessionState:
    """A person is asked about a rewritten passage."""
    rewrite = Rewrite(chapter=3, instruction="make her left-handed", passage=PROSE)
    opening = an_opening(rework_only=True, chapter_close_suggested=True, rewrite=rewrite)
    now = transitions.written(transitions.opened(state(), opening, NOON), some_prose(arcs_closed=True))
    step = rules.next_step(REWRITES, now, EFFECT)
    assert isinstance(step, CloseSession)
    assert step.rewrite == rewrite
    denied = Closed(commit=CommitSha("c1"), report=a_close().report, asks=a_need())
    return transitions.closed(REWRITES, now, step, denied, NOON)


def released_after(now: BookSessionState) -> ReleaseBook:
    told = approvals.announced(now, now.decision)
    step = rules.next_step(REWRITES, told, EFFECT)
    assert isinstance(step, ReleaseBook)
    return step


def test_of_a_rejected_rewrite_nothing_is_kept_and_nothing_has_failed() -> None:
    now = asked_about_a_rewrite()
    assert now.asked is not None
    no = ApprovalDecision(
        approval=now.asked.id, plan_digest=now.asked.need.plan_digest, decided="denied", by="ada"
    )
    denied = approvals.decided(now, no)

    release = released_after(denied)
    result = status.result(REWRITES, transitions.released(denied, Released()))

    assert (release.prose, release.code) == (None, "")
    assert (result.outcome, result.code, result.stopped_by) == ("stopped", "rewrite-rejected", "ada")
    assert result.rewritten_chapter == 3


def test_a_rewrite_that_nobody_reads_in_time_or_that_is_killed_is_kept_aside() -> None:
    now = asked_about_a_rewrite()

    late = approvals.answered(
        now.model_copy(update={"control": now.control.model_copy(update={"timed_out": True})})
    )
    killed = approvals.answered(control.stopped(now, KILL))

    assert [released_after(each).prose for each in (late, killed)] == [PROSE, PROSE]


def test_a_rewrite_neither_moves_on_nor_seals_the_book() -> None:
    outcomes = {
        "OpenSession": an_opening(rework_only=True, chapter_close_suggested=True),
        "WriteProse": some_prose(arcs_closed=True),
        "CloseSession": a_close(completion_ready=True, at_target="complete"),
        "PushBook": a_push(),
    }

    steps = names_of_steps(REWRITES, outcomes)

    assert steps == ["OpenSession", "WriteProse", "CloseSession", "PushBook", "EndSession"]
