"""The step that remembers a round: what it writes, once, and the vectors it brings."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import cast

import pytest

from activities.scenes.memory import SceneMemoryActivities, charge_of, vectors_of
from penwright.adapters.clock import SystemClock
from penwright.adapters.embeddings.no_embeddings import NoEmbeddings
from penwright.adapters.embeddings.wordllama_embeddings import WordLlamaEmbeddings
from penwright.adapters.store import open_store
from penwright.domain.scene.remembering import Occasion, memories_of
from penwright.errors import ModelUnavailable, StoreUnavailable
from penwright.ports.scenes import Embeddings, Memories
from schemas.director_round import RememberRound
from schemas.memory import Charge, Memory, MemoryQuery, Remembered, Vectors
from schemas.worlds import Character, Scene, World
from tests.adapters.store.builders import AnyStore
from tests.adapters.store.scenes.builders import (
    a_scene,
    a_state,
    a_turn,
    an_edit,
    an_effect,
    an_end,
    an_order,
)
from tests.support.doubles.store import memory_store

BUILT_IN = WordLlamaEmbeddings()


@dataclass
class Letters:
    """Counts letters; ``down`` is how many calls fail first."""

    letters: str = "abcdefghijklmnopqrstuvwxyz"
    down: int = 0
    asked: list[int] = field(default_factory=list)

    @property
    def model(self) -> str:
        return f"letters-{len(self.letters)}"

    def embed(self, texts: Sequence[str], charge: Charge | None = None) -> Vectors:
        self.asked.append(len(texts))
        if self.down:
            self.down -= 1
            raise ModelUnavailable("model-unavailable", "the model is away")
        vectors = tuple(tuple(1.0 + text.lower().count(each) for each in self.letters) for text in texts)
        return Vectors(model=self.model, dimensions=len(self.letters), vectors=vectors)


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.server)])
def store(request: pytest.FixtureRequest) -> Iterator[AnyStore]:
    clock = SystemClock()
    if request.param == "memory":
        yield memory_store(clock=clock)
    else:
        with closing(open_store(request.getfixturevalue("database_url"), clock=clock)) as kept:
            yield kept


@pytest.fixture
def scene(store: AnyStore) -> Scene:
    """Ann and Bob are present; Cleo exists and is elsewhere."""
    made = a_scene(store, "Ann", "Bob", persona="Mira")
    store.worlds.create(Character(id="", name="Cleo"))
    return made


def play(
    store: AnyStore, scene: Scene, *replies: tuple[str, str, tuple[str, ...]], said: str = "Hello."
) -> int:
    """A round with these replies; returns its number."""
    opened = store.scenes.open_round(an_order(scene.id, said))
    assert opened.code == "", opened.message
    for who, text, witnesses in replies:
        store.scenes.keep_turn(a_turn(store, scene.id, opened.number, who, text, witnesses=witnesses))
    store.scenes.close_round(an_end(scene.id, opened.number, a_state("ann", "bob")))
    return opened.number


@dataclass
class Backlog:
    """Counts how often it is told."""

    times: int = 0

    async def wanted(self, session: str) -> None:
        self.times += 1


def activities(
    store: AnyStore, embeddings: Embeddings = BUILT_IN, backlog: Backlog | None = None
) -> SceneMemoryActivities:
    return SceneMemoryActivities(store.worlds, store.scenes, store.memories, embeddings, backlog or Backlog())


def request(scene: Scene, round: int, op_id: str = "") -> RememberRound:
    return RememberRound(effect=an_effect(op_id), scene=scene.id, round=round)


def texts(store: AnyStore, scene: Scene, who: str = "") -> list[str]:
    return [each.text for each in store.memories.of(scene.id, who)]


def asking(scene: Scene, who: str, text: str, world: str = "coast") -> MemoryQuery:
    return MemoryQuery(scene=scene.id, world=world, character=who, text=text, limit=5, now_round=9)


BOTH = ("ann", "bob", "mira")


async def test_each_who_was_there_remembers_once_and_nobody_else(store: AnyStore, scene: Scene) -> None:
    number = play(store, scene, ("ann", "The lamp is out.", BOTH), ("bob", "I know.", ("bob", "mira")))
    again = request(scene, number)

    first = await activities(store).remember(again)
    second = await activities(store).remember(again)

    assert (first.written, first.again, first.model) == (2, 0, "wordllama-256")
    assert (second.written, second.again) == (0, 2)
    assert texts(store, scene, "ann") == ["Mira: Hello.\nAnn: The lamp is out."]
    assert texts(store, scene, "bob") == ["Mira: Hello.\nAnn: The lamp is out.\nBob: I know."]
    assert texts(store, scene, "cleo") == texts(store, scene, "mira") == []


async def test_another_world_finds_nothing(store: AnyStore, scene: Scene) -> None:
    await activities(store).remember(request(scene, play(store, scene, ("ann", "The lamp is out.", BOTH))))
    elsewhere = store.worlds.create(World(id="", name="Desert"))

    found = store.memories.recall(asking(scene, "ann", "lamp"), BUILT_IN.embed(["lamp"]))
    assert [each.character for each in found] == ["ann"]
    assert store.memories.recall(asking(scene, "ann", "lamp", elsewhere.id), BUILT_IN.embed(["lamp"])) == ()


async def test_a_step_that_fails_twice_and_then_works_leaves_two_memories(
    store: AnyStore, scene: Scene
) -> None:
    number = play(store, scene, ("ann", "The lamp is out.", BOTH))
    step, failing = request(scene, number), Failing(store, times=2)
    flaky = SceneMemoryActivities(store.worlds, store.scenes, cast(Memories, failing), BUILT_IN, Backlog())

    for _ in range(2):
        with pytest.raises(StoreUnavailable):
            await flaky.remember(step)

    assert (await flaky.remember(step)).again == 2, "the second attempt wrote them before it was lost"
    assert len(texts(store, scene)) == 2


async def test_while_the_model_is_away_memories_are_found_by_words(store: AnyStore, scene: Scene) -> None:
    letters = Letters(down=1)
    number = play(store, scene, ("ann", "The lamp is out.", BOTH))

    kept = await activities(store, letters).remember(request(scene, number))

    assert (kept.written, kept.model) == (2, "")
    assert letters.asked == [2], "the model is not asked again in this step"
    assert [each.round for each in store.memories.recall(asking(scene, "ann", "a lamp"), None)] == [number]
    assert len(store.memories.without(letters.model)) == 2


async def test_the_background_is_told_of_memories_without_vectors_and_only_of_those(
    store: AnyStore, scene: Scene
) -> None:
    letters, told = Letters(down=1), Backlog()
    for said in ("One.", "Two."):
        step = request(scene, play(store, scene, ("ann", said, BOTH)))
        await activities(store, letters, told).remember(step)
    assert told.times == 2, "the second round's own have vectors, those of the first have none"

    lacking = store.memories.without(letters.model)
    store.memories.embed(lacking, letters.embed([each.text for each in lacking]))
    await activities(store, letters, told).remember(step)

    assert (len(lacking), told.times) == (2, 2)


async def test_a_round_too_long_for_the_time_leaves_the_rest_to_the_background(
    store: AnyStore, scene: Scene
) -> None:
    ticks, letters, told = iter(range(0, 10_000, 20)), Letters(), Backlog()
    hurried = SceneMemoryActivities(
        store.worlds, store.scenes, store.memories, letters, told, seconds=lambda: float(next(ticks))
    )

    kept = await hurried.remember(request(scene, play(store, scene, ("ann", "More.", BOTH))))

    assert (kept.written, kept.model, letters.asked, told.times) == (2, "", [], 1)


async def test_without_embeddings_nothing_is_asked_and_it_is_said(store: AnyStore, scene: Scene) -> None:
    step = request(scene, play(store, scene, ("ann", "The lamp is out.", BOTH)))

    assert await activities(store, NoEmbeddings()).remember(step) == Remembered(written=2)
    assert vectors_of(NoEmbeddings(), ["lamp"], charge_of(an_effect(), scene.id)) is None


async def test_a_round_in_which_nothing_was_said_leaves_no_memory(store: AnyStore, scene: Scene) -> None:
    assert await activities(store).remember(request(scene, 7)) == Remembered()


async def test_a_scene_or_a_character_that_is_gone_stops_nothing(store: AnyStore, scene: Scene) -> None:
    number = play(store, scene, ("ann", "The lamp is out.", (*BOTH, "nobody-we-know")))
    step = request(scene, number)

    assert (await activities(store).remember(step)).written == 2
    gone = step.model_copy(update={"scene": "gone"})
    assert await activities(store).remember(gone) == Remembered()


@dataclass
class Edited(Letters):
    """While vectors are made, a person changes a text."""

    edit: Callable[[], None] = lambda: None

    def embed(self, texts: Sequence[str], charge: Charge | None = None) -> Vectors:
        self.edit()
        return super().embed(texts, charge)


async def test_no_old_text_is_remembered_when_it_was_changed_meanwhile(store: AnyStore, scene: Scene) -> None:
    round = play(store, scene, ("ann", "The lamp is out.", ("ann", "bob")))
    answered = store.scenes.messages(scene.id)[-1].id

    def edit() -> None:
        store.scenes.edit(an_edit(answered, "The lamp burns."))

    await activities(store, Edited(edit=edit)).remember(request(scene, round))

    assert texts(store, scene)
    assert all("burns" in each and "is out" not in each for each in texts(store, scene))


async def test_an_attempt_that_is_repeated_tells_a_text_anew_that_was_changed_since(
    store: AnyStore, scene: Scene
) -> None:
    round = play(store, scene, ("ann", "The lamp is out.", ("ann", "bob")))
    asked = request(scene, round)
    occasion = Occasion(
        op_id=asked.effect.op_id, world="coast", scene=scene.id, round=round, at=asked.effect.issued_at
    )
    kept = memories_of(occasion, store.scenes.messages(scene.id), {"ann", "bob"})
    store.scenes.edit(an_edit(store.scenes.messages(scene.id)[-1].id, "The lamp burns."))
    store.memories.remember(kept, None)  # a first attempt, whose texts were read before the edit

    await activities(store, Letters()).remember(asked)

    assert all("burns" in each and "is out" not in each for each in texts(store, scene))


@dataclass
class Failing:
    """Memories of a store that is lost before the write, and then behind it."""

    store: AnyStore
    times: int

    def remember(self, memories: Sequence[Memory], vectors: Vectors | None) -> Remembered:
        self.times -= 1
        kept = self.store.memories.remember(memories, vectors) if self.times < 1 else Remembered()
        if self.times >= 0:
            raise StoreUnavailable("store-unavailable", "the database is away")
        return kept

    def __getattr__(self, name: str) -> object:
        return getattr(self.store.memories, name)
