"""What `penwright status` says of memories without vectors, and of a store that is not cleared."""

import asyncio
from dataclasses import replace

import pytest

from gateway.desk.runs import under_way as desk
from gateway.desk.services import PipelineDefaults
from schemas.housekeeping import Cleared, HousekeepingResult
from schemas.memory import Memory, Vectors
from schemas.records import RunRow
from tests.adapters.store.builders import NOON
from tests.adapters.store.scenes.builders import a_scene
from tests.support.gateway.services import StageServices


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


async def test_all_parts_are_asked_at_once(services: StageServices, monkeypatch: pytest.MonkeyPatch) -> None:
    both = asyncio.Barrier(2)

    async def part(_: StageServices) -> desk.Listed:
        await both.wait()
        return desk.Listed((), "no answer")

    monkeypatch.setattr(desk, "_PARTS", (part, part))

    async with asyncio.timeout(5):
        assert (await desk.under_way(services)).trouble == "no answer"
