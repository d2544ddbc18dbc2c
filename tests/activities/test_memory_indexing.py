"""Bringing vectors to memories without any: newest first, in parts, each stored at once."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field

import pytest

from activities.memory_indexing import AT_ONCE, MemoryIndexingActivities
from penwright.adapters.clock import SystemClock
from penwright.adapters.embeddings.no_embeddings import NoEmbeddings
from penwright.adapters.store import open_store
from penwright.errors import ModelUnavailable
from schemas.memory import Charge, Memory, MemoryCount, Vectors
from schemas.memory_indexing import EndIndexing, Indexed, IndexingResult, IndexMemories
from schemas.model import BudgetScope, Usage
from tests.adapters.store.builders import AnyStore
from tests.adapters.store.scenes.builders import a_scene, an_effect
from tests.support.doubles.store import memory_store

REQUEST = IndexMemories(effect=an_effect("memories/vectors#s1:0"), session="s1")

SCOPE = BudgetScope(run="r", subject="s")


@dataclass
class Paid:
    """One number for each text, for money."""

    down_at: int = 0
    """The call that fails, the first being 1."""
    asked: list[int] = field(default_factory=list)
    charged: set[str] = field(default_factory=set)
    model: str = "near"

    def embed(self, texts: Sequence[str], charge: Charge) -> Vectors:
        self.asked.append(len(texts))
        self.charged |= {charge.scope.run, charge.scope.subject}
        if len(self.asked) == self.down_at:
            raise ModelUnavailable("model-unavailable", "away")
        numbers = tuple((float(len(text)),) for text in texts)
        return Vectors(model=self.model, dimensions=1, vectors=numbers, usage=Usage(cost_micros=len(texts)))


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.server)])
def store(request: pytest.FixtureRequest) -> Iterator[AnyStore]:
    if request.param == "memory":
        yield memory_store(clock=SystemClock())
    else:
        with closing(open_store(request.getfixturevalue("database_url"), clock=SystemClock())) as kept:
            yield kept


def lay_out(store: AnyStore, number: int) -> list[Memory]:
    scene = a_scene(store, "Ann")
    fields = {
        "scene": scene.id,
        "world": "coast",
        "character": "ann",
        "round": 1,
        "at": an_effect().issued_at,
    }
    made = [Memory(id=f"old/{each}", text=f"Words of day {each}.", **fields) for each in range(number)]
    store.memories.remember(made, None)
    return made


def activities(store: AnyStore, embeddings: Paid) -> MemoryIndexingActivities:
    return MemoryIndexingActivities(store.memories, embeddings, store.records)


async def test_all_memories_get_vectors_of_the_present_model(store: AnyStore) -> None:
    made, near = lay_out(store, AT_ONCE + 6), Paid()
    older = Paid(model="old")
    store.memories.embed(made[:3], older.embed(["a", "b", "c"], Charge(effect=an_effect(), scope=SCOPE)))

    outcome = await activities(store, near).index_memories(REQUEST)

    assert outcome == Indexed(indexed=70, left=0, model="near", usage=Usage(cost_micros=70))
    assert near.asked == [64, 6]
    assert near.charged == {"memories/vectors#s1", "memories"}
    assert store.memories.counted("near") == MemoryCount(all=70, without=0)
    assert store.memories.counted("old") == MemoryCount(all=70, without=70)


async def test_a_step_that_fails_in_between_goes_on_where_it_was(store: AnyStore) -> None:
    lay_out(store, AT_ONCE + 6)
    near = Paid(down_at=2)

    with pytest.raises(ModelUnavailable):
        await activities(store, near).index_memories(REQUEST)
    assert store.memories.counted("near").without == 6
    outcome = await activities(store, near).index_memories(REQUEST)

    assert (outcome.indexed, outcome.left, near.asked) == (6, 0, [64, 6, 6])


async def test_time_bounds_a_step_and_it_says_what_is_left(store: AnyStore) -> None:
    lay_out(store, AT_ONCE + 6)
    ticks, near = iter((0.0, 30.0)), Paid()
    hurried = MemoryIndexingActivities(store.memories, near, store.records, seconds=lambda: next(ticks))

    outcome = await hurried.index_memories(REQUEST)

    assert (outcome.indexed, outcome.left, near.asked) == (64, 6, [64])


async def test_a_text_that_changes_meanwhile_gets_no_vector_of_the_old_one(store: AnyStore) -> None:
    (memory,) = lay_out(store, 1)
    stale = memory.model_copy(update={"text": "What was said before it was edited."})

    store.memories.embed([stale], Vectors(model="near", dimensions=1, vectors=((1.0,),)))

    assert [each.text for each in store.memories.without("near")] == [memory.text]


async def test_without_a_model_there_is_nothing_to_do(store: AnyStore) -> None:
    lay_out(store, 1)
    idle = MemoryIndexingActivities(store.memories, NoEmbeddings(), store.records)

    assert await idle.index_memories(REQUEST) == Indexed()


async def test_the_end_is_listed_once(store: AnyStore) -> None:
    ending = IndexingResult(outcome="failed", indexed=5, left=2, code="model-auth", message="Set the key.")
    end = EndIndexing(effect=an_effect("memories/vectors#s1:3"), session="s1", result=ending)
    there = activities(store, Paid())

    for _ in range(2):
        await there.end_indexing(end)

    (row,) = store.records.runs(pipeline="memory-indexing")
    assert (row.run, row.outcome, row.detail["message"]) == ("memories/vectors#s1", "failed", "Set the key.")
