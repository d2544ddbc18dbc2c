"""An errand that is ended: what its caller is told was changed."""

from penwright.domain import control
from penwright.domain.book import errand as rules
from schemas.base import Cause, CommitSha
from schemas.book_errand import BookErrandState, RestoreReport
from schemas.control import KillRequest
from schemas.workspace import Pushed

KILLED = control.stopped(BookErrandState(), KillRequest(who="ada", reason="wrong book"))


def test_an_errand_killed_before_its_step_says_that_nothing_was_changed() -> None:
    told = rules.failure(KILLED)

    assert told is not None
    assert (told.code, told.message) == (
        "killed",
        "ada ended it before anything was changed: wrong book",
    )


def test_an_errand_cancelled_during_its_step_does_not_say_that_nothing_was_changed() -> None:
    told = rules.failure(control.after_step(KILLED))

    assert told is not None
    assert told.code == "killed"
    assert "before anything was changed" not in told.message
    assert "`penwright book log BOOK`" in told.message


def test_a_step_that_failed_is_told_of_though_the_errand_was_killed_as_well() -> None:
    cause = Cause(code="disk-full", message="the disk is full", final=False)

    told = rules.failure(control.failed(KILLED, "rollback", cause))

    assert told is not None
    assert told.code == "disk-full"


def test_who_publishes_again_what_the_remote_lost_is_told_the_commit_after_the_push() -> None:
    before, merged = CommitSha("a" * 40), CommitSha("b" * 40)
    report = RestoreReport(
        status="published", target="origin/main", archive="", discarded_commits=0, commit=before
    )
    waiting = rules.restored(BookErrandState(), report)

    told = [
        rules.result(each).restore
        for each in (waiting, rules.pushed(waiting, Pushed(outcome="pushed", tip=merged)))
    ]

    assert [each and each.commit for each in told] == [before, merged]
