"""What `penwright status` says of paused runs, scans, memories without vectors, and an uncleared store."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from gateway.desk.engine.agent_runs import RunSummary
from gateway.desk.principals import local_user
from gateway.desk.runs import under_way as desk
from gateway.desk.runs import waiting
from gateway.desk.services import PipelineDefaults
from schemas.base import Progress
from schemas.citations import CitationCounts
from schemas.housekeeping import Cleared, HousekeepingResult
from schemas.memory import Memory, Vectors
from schemas.records import BookRow, RunRow
from tests.adapters.store.builders import NOON
from tests.adapters.store.scenes.builders import a_scene
from tests.support.gateway.agents import RehearsedAgents
from tests.support.gateway.services import Run, StageServices


@pytest.fixture
def memory(services: StageServices, monkeypatch: pytest.MonkeyPatch) -> Memory:
    """One that has no vector yet."""
    told = replace(services.defaults(), memory_model="near")

    def defaults(_: StageServices) -> PipelineDefaults:
        return told

    monkeypatch.setattr(StageServices, "defaults", defaults)
    scene = a_scene(services.store, "Ann")
    made = Memory(
        id="m/1", scene=scene.id, world="coast", character="ann", round=1, text="The lamp.", at=NOON
    )
    services.store.memories.remember([made], None)
    return made


def paused(pipeline: str) -> Progress:
    """Of a run that a cap holds; ``n1`` is registered as a novel."""
    return Progress(
        pipeline=pipeline, subject="n1", stage="citing", detail="Paused: the cap is reached", paused=True
    )


@pytest.fixture(autouse=True)
def novel(services: StageServices) -> None:
    services.store.records.register(BookRow(book_id="n1", path="/n/1", title="N 1", kind="novel"))


async def listed(services: StageServices) -> list[tuple[str, str, str]]:
    found = await desk.under_way(services)
    return [(each.kind, each.state, each.detail) for each in found.lines if each.kind == "memories"]


async def test_memories_without_vectors_are_listed_until_they_have_them(
    services: StageServices, memory: Memory
) -> None:
    assert await listed(services) == [("memories", "indexing", "1 of 1 lack a vector of near")]

    with services.open_store() as store:
        store.memories.embed([memory], Vectors(model="near", dimensions=1, vectors=((1.0,),)))

    assert await listed(services) == []


async def test_a_run_that_failed_needs_a_person(services: StageServices, memory: Memory) -> None:
    with services.open_store() as store:
        row = RunRow(run="memories/vectors#s1", pipeline="memory-indexing", subject="memories", stage="ended")
        store.records.note(row.model_copy(update={"outcome": "failed", "ended_at": NOON}), [])

    (line,) = [each for each in (await desk.under_way(services)).lines if each.kind == "memories"]

    assert (line.state, [each.command for each in line.attention]) == ("failed", ["penwright doctor"])


@pytest.mark.parametrize("failed", ["", "history-unreadable: book/tide"])
async def test_a_housekeeping_that_had_to_leave_something_needs_a_person(
    services: StageServices, failed: str
) -> None:
    table = Cleared(table="blobs", what="texts", days=30, failed=failed)
    detail = HousekeepingResult(outcome="done", tables=(table,)).model_dump(mode="json")
    row = RunRow(run="housekeeping-1", pipeline="housekeeping", subject="store", stage="ended", detail=detail)
    with services.open_store() as store:
        store.records.note(row.model_copy(update={"outcome": "done", "ended_at": NOON}), [])

    found = await desk.under_way(services)

    said = [why.reason for each in found.lines if each.kind == "store" for why in each.attention]
    assert said == ([failed] if failed else [])


@pytest.mark.parametrize(("scene", "named"), [("-", "n1"), ("Part One", "n1 'Part One'")])
async def test_a_paused_document_says_why_and_the_command_names_its_scene(
    services: StageServices, scene: str, named: str
) -> None:
    services.writing[f"n1/{scene}"] = paused("manuscript")

    (line,) = [each for each in (await desk.under_way(services)).lines if each.kind == "manuscript"]

    assert line.state == "paused"
    assert [(each.reason, each.command) for each in line.attention] == [
        ("its run is paused: the cap is reached", f"penwright manuscript resume {named}")
    ]


@pytest.mark.parametrize(("outcome", "states"), [("refused", []), ("failed", ["failed"])])
async def test_a_run_of_a_document_that_was_refused_neither_goes_on_nor_waits(
    services: StageServices, outcome: str, states: list[str]
) -> None:
    row = RunRow(run="manuscript/n1/-#s1", pipeline="manuscript", subject="n1/-", stage="ended")
    services.store.records.note(row.model_copy(update={"outcome": outcome, "ended_at": NOON}), [])

    assert [each.state for each in (await desk.under_way(services)).lines] == states


@pytest.mark.parametrize(("scene", "named"), [("-", "n1"), ("Part One", "n1 --scene 'Part One'")])
async def test_a_citation_scan_is_listed_and_says_why_it_is_paused(
    services: StageServices, scene: str, named: str
) -> None:
    scans = services.scans.at_work
    scans[f"n1/{scene}"] = Progress(pipeline="citation-scan", subject="n1", stage="citing", detail="1 of 2")
    (working,) = (await desk.under_way(services)).lines
    scans[f"n1/{scene}"] = paused("citation-scan")

    (stopped,) = (await desk.under_way(services)).lines

    assert (working.kind, working.state, working.detail, working.attention) == (
        "citations",
        "citing",
        "1 of 2",
        (),
    )
    assert (stopped.subject, stopped.state) == (working.subject, "paused")
    assert [(each.reason, each.command) for each in stopped.attention] == [
        ("its citation scan is paused: the cap is reached", f"penwright cite resume {named}")
    ]


def test_status_says_all_that_waits_and_the_board_and_the_api_nothing_else(
    services: StageServices, book: Path, run: Run
) -> None:
    run("book", "session", str(book))
    counts = CitationCounts(found=2, proposed=2).model_dump(mode="json")
    scan = RunRow(run="citations/n1/-#s1", pipeline="citation-scan", subject="n1/-", stage="ended")
    services.store.records.note(
        scan.model_copy(update={"outcome": "waiting", "detail": {"counts": counts}}), []
    )

    told = asyncio.run(desk.under_way(services))
    waits = asyncio.run(waiting.waiting(services, local_user("ada")))

    said = {(each.reason, each.command) for line in told.lines for each in line.attention}
    assert said == {(each.about, each.command) for each in waits.items}
    assert any("wait for your review" in reason for reason, _ in said)
    assert ("proposed citations wait for your decision", "penwright cite review n1") in said


async def test_runs_of_agents_are_listed_and_those_that_need_a_person_say_what_to_do(
    services: StageServices,
) -> None:
    """A sub-agent only while it waits: its caller stands for it."""
    run = RunSummary("r1", "mine/clerk", "shelf", "running", "work", NOON, None, 0)
    services.agents = RehearsedAgents(
        going_on=(
            run,
            replace(run, run_id="r2", stage="approval"),
            replace(run, run_id="r3", stage="paused"),
            replace(run, run_id="r2/call/1", caller="r2"),
            replace(run, run_id="r2/call/2", caller="r2", stage="approval", agent=""),
        )
    )
    lines = [each for each in (await desk.under_way(services)).lines if each.kind == "agent"]

    assert [(each.subject, each.state, [one.command for one in each.attention]) for each in lines] == [
        ("r1", "work", []),
        ("r2", "approval", ["penwright run show r2"]),
        ("r3", "paused", ["penwright run resume r3"]),
        ("r2/call/2", "approval", ["penwright run show r2/call/2"]),
    ]
    assert lines[0].detail == "mine/clerk on shelf"
