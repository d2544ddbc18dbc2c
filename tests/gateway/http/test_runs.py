"""Runs, approvals and spending over the API."""

from pathlib import Path

import pytest

from gateway.desk.runs import work_runs
from gateway.desk.works import books
from schemas.agent_run import AgentRunResult
from schemas.records import RunRow
from tests.support.gateway.http import Api, key
from tests.support.gateway.services import NOW, StageServices


def note(services: StageServices, number: int, subject: str = "tide", **told: object) -> str:
    """Store a run; returns its name."""
    run = f"book/{subject}#s{number}"
    row = RunRow(run=run, pipeline="book_session", subject=subject, stage="write", started_at=NOW)
    services.store.records.note(row.model_copy(update=told), [])
    services.clock.later(seconds=1)
    return run


async def test_runs_are_listed_page_by_page_each_once(api: Api, services: StageServices) -> None:
    noted = [note(services, number) for number in range(7)]
    seen: list[str] = []
    async with api.client(api.token("read")) as client:
        address = "/runs?limit=3"
        while address:
            page = await client.get(address)
            seen += [each["run"] for each in page.json()["items"]]
            address = f"/runs?limit=3&cursor={page.json()['next']}" if page.json()["next"] else ""
            assert ("link" in page.headers) == bool(address)

    assert seen == noted[::-1]


async def test_a_run_of_unknown_price_has_no_cost_of_nothing(api: Api, services: StageServices) -> None:
    note(services, 1, ended_at=NOW, detail={"unknown_prices": 2})
    note(services, 2, ended_at=NOW, cost_micros=9, detail={"spent": {"unknown_prices": 1}})
    async with api.client(api.token("read")) as client:
        found = (await client.get("/runs")).json()["items"]

    assert [(each["cost_micros"], each["unknown_prices"]) for each in found] == [(9, 1), (None, 2)]


async def test_a_run_of_an_agent_says_why_no_file_was_changed(api: Api, services: StageServices) -> None:
    ending = AgentRunResult(outcome="completed", agent="a/b", run_id="r", subject="tide")
    detail = ending.model_dump(mode="json", exclude={"state", "output"})
    note(services, 1, pipeline="agent-run", outcome="completed", ended_at=NOW, detail=detail)
    async with api.client(api.token("read")) as client:
        (found,) = (await client.get("/runs")).json()["items"]

    assert found["message"] == "no file was changed: it answered and called no tool"
    assert work_runs.shown(services, "book/tide#s1", {}).found.detail == found["message"]


async def test_runs_are_filtered(api: Api, services: StageServices) -> None:
    note(services, 1, outcome="written", ended_at=NOW, cost_micros=9)
    note(services, 2)
    note(services, 3, "fog")
    async with api.client(api.token("read")) as client:
        running = (await client.get("/runs", params={"running": True, "subject": "book/tide"})).json()
        dear = (await client.get("/runs", params={"cost_above": 5})).json()
        outcome = (await client.get("/runs", params={"outcome": "written"})).json()

    assert [each["id"] for each in running["items"]] == ["book~tide!s2"]
    assert (
        [each["id"] for each in dear["items"]]
        == ["book~tide!s1"]
        == [each["id"] for each in outcome["items"]]
    )


async def test_a_run_of_another_subject_is_not_there(api: Api, services: StageServices) -> None:
    note(services, 1, "fog")
    async with api.client(api.token("read", "run", subjects=("book/tide",))) as client:
        listed = (await client.get("/runs")).json()["items"]
        shown = await client.get("/runs/book~fog!s1")
        killed = await client.post("/runs/book~fog!s1/kill", json={}, headers=key())
        asked = await client.get("/runs", params={"subject": "book/fog"})

    assert listed == []
    assert (shown.status_code, killed.status_code, asked.status_code) == (404, 404, 403)


async def test_a_session_is_a_run_that_can_be_looked_at(
    api: Api, services: StageServices, book: Path
) -> None:
    book_id = books.at(services, book).book_id
    async with api.client(api.token()) as client:
        started = await client.post(f"/books/{book_id}/sessions", json={}, headers=key())
        run = (await client.get(f"/runs/{started.json()['run_id']}")).json()
        steps = (await client.get(f"/runs/{started.json()['run_id']}/steps")).json()
        ahead = await client.get(f"/runs/{started.json()['run_id']}/steps", params={"after": 10**9})
        again = await client.post(f"/runs/{started.json()['run_id']}/pause", headers=key())

    assert run["subject"] == f"book/{book_id}"
    assert run["outcome"]
    assert run["spending"]["calls"] == 0
    assert all(each["subject"] == f"book/{book_id}" for each in steps["items"])
    assert (ahead.status_code, ahead.json()["code"]) == (400, "cursor-ahead")
    assert (again.status_code, again.json()["code"]) == (409, "run-ended")


async def test_a_batch_answers_for_each_run(api: Api, services: StageServices) -> None:
    note(services, 1, outcome="written", ended_at=NOW)
    async with api.client(api.token()) as client:
        wanted = {"runs": ["book~tide!s1", "nothing", "\0"], "action": "kill"}
        answer = await client.post("/runs/batch", json=wanted, headers=key())

    assert [each["code"] for each in answer.json()["items"]] == ["run-ended", "unknown-run", "unknown-run"]


async def test_nothing_waits_for_approval(api: Api, services: StageServices, book: Path) -> None:
    async with api.client(api.token()) as client:
        listed = await client.get("/approvals")
        unknown = await client.post("/approvals/AP-1/approve", json={}, headers=key())
        silent = await client.post("/approvals/AP-1/deny", json={}, headers=key())

    assert listed.json() == {"items": []}
    assert (unknown.status_code, unknown.json()["code"]) == (404, "no-such-approval")
    assert silent.status_code == 422


@pytest.mark.parametrize("scope", ["read", "write", "run"])
async def test_only_the_scope_approve_decides(api: Api, scope: str) -> None:
    async with api.client(api.token(scope)) as client:  # type: ignore[arg-type]
        answer = await client.post("/approvals/AP-1/approve", json={}, headers=key())

    assert answer.status_code == 403


async def test_only_runs_of_agents_have_a_bundle(api: Api, services: StageServices) -> None:
    scene = RunRow(run="scene/quay#1", pipeline="scene", subject="scene/quay", stage="act")
    services.store.records.note(scene, [])
    services.agents = None
    session = note(services, 1)
    async with api.client(api.token("admin")) as client:
        other = await client.get("/runs/scene~quay!1/bundle")
        stopped = await client.get("/runs/book~tide!s1/bundle")
        call = await client.get("/runs/book~tide!s1/calls/1")
    async with api.client(api.token("read")) as client:
        none = await client.get("/runs/book~tide!s1/calls/1")

    assert session == "book/tide#s1"
    assert (other.status_code, other.json()["code"]) == (409, "no-bundle")
    assert (stopped.status_code, stopped.json()["code"]) == (503, "no-agents")
    assert (call.status_code, none.status_code, none.json()["code"]) == (403, 404, "no-such-call")
