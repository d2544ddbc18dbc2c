"""The list of runs that pages show is that of the API, without the runs within others."""

import pytest

from gateway.desk.principals import Principal, local_user
from gateway.desk.runs import listing, work_runs
from schemas.base import Progress
from schemas.records import Event, RunRow
from tests.support.gateway.services import NOW, StageServices


@pytest.fixture
def services() -> StageServices:
    """A session, 1,200 runs of its agents after it, and a session of another book."""
    services = StageServices()
    note(services, "book/tide#s1", "book-session", "tide")
    for number in range(1_200):
        note(services, f"agent/book/tide/s1/{number}", work_runs.AGENT_RUN, "tide")
    note(services, "book/fog#s1", "book-session", "fog")
    return services


def note(services: StageServices, run: str, pipeline: str, subject: str) -> None:
    row = RunRow(run=run, pipeline=pipeline, subject=subject, stage="write", started_at=NOW)
    services.store.records.note(row, [])
    services.clock.later(seconds=1)


async def test_runs_within_others_push_none_out_of_the_list(services: StageServices) -> None:
    shown = await work_runs.listed(services, local_user("ann"))

    assert [each.run for each in shown] == ["book/fog#s1", "book/tide#s1"]


async def test_a_saved_edit_does_not_run_while_a_later_session_does(
    services: StageServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit = RunRow(
        run="book/fog#s0",
        pipeline="book-session",
        subject="fog",
        stage="pushed",
        outcome="saved",
        started_at=NOW,
    )
    services.store.records.note(edit, [])

    async def running(_: object) -> dict[str, Progress]:
        return {"book/fog": Progress(pipeline="book-session", subject="fog", stage="write")}

    monkeypatch.setattr(work_runs, "running_now", running)
    shown = await work_runs.listed(services, local_user("ann"), state="running")

    assert [each.run for each in shown] == ["book/fog#s1"]


async def test_pages_and_callers_see_the_same_runs(services: StageServices) -> None:
    bound = Principal("bob", frozenset({"read"}), frozenset({"book/tide"}))

    shown = await work_runs.listed(services, bound)
    told = listing.listed(services, bound, listing.RunFilter(pipeline="book-session"))

    assert [each.run for each in shown] == [each.run for each in told] == ["book/tide#s1"]


async def test_what_runs_is_told_of_every_pipeline(services: StageServices) -> None:
    note(services, "manuscript/ebb/-#s1", "manuscript-loop", "ebb/-")
    note(services, "citations/ebb/One#s1", "citation-scan", "ebb/One")
    services.manuscript_runs.at_work["ebb/-"] = Progress(
        pipeline="manuscript-loop", subject="ebb/-", stage="write"
    )
    note(services, "scene-memory/the-quay#s1", "scene-memory", "scene/the-quay")
    services.memory_runs.reads["the-quay"] = Progress(
        pipeline="scene-memory", subject="the-quay", stage="remember"
    )
    services.scans.at_work["ebb/One"] = Progress(pipeline="citation-scan", subject="ebb/One", stage="verify")

    shown = await work_runs.listed(services, local_user("ann"), state="running")

    assert [(each.run, each.state) for each in shown] == [
        ("scene-memory/the-quay#s1", "remember"),
        ("citations/ebb/One#s1", "verify"),
        ("manuscript/ebb/-#s1", "write"),
    ]


async def test_an_audit_is_a_run_on_its_novel(services: StageServices) -> None:
    note(services, "audit/ebb/-#s1", "citation-audit", "ebb/-")
    services.audits.at_work["ebb/-"] = Progress(pipeline="citation-audit", subject="ebb/-", stage="audit")

    (shown,) = await work_runs.listed(services, local_user("ann"), kind="novel")

    assert (shown.run, shown.state) == ("audit/ebb/-#s1", "audit")


def test_the_run_of_an_agent_has_its_own_calls(services: StageServices) -> None:
    run = "agent/book/tide/s1/7"
    row = RunRow(run=run, pipeline=work_runs.AGENT_RUN, subject="tide", stage="write", started_at=NOW)
    answered = Event(
        op_id="op-7",
        run=run,
        subject="tide",
        pipeline=work_runs.AGENT_RUN,
        kind="model-answered",
        at=NOW,
        data={"model": "demo", "input_tokens": 7, "output_tokens": 2},
    )
    services.store.records.note(row, [answered])

    calls = work_runs.shown(services, run, {}).calls

    assert [(each.input_tokens, each.output_tokens) for each in calls] == [(7, 2)]
