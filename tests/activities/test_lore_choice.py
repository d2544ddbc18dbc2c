"""What lore of a scene is chosen by: who reads, what kind of prompt it is, who is meant, what is near."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from activities.scenes.material import SceneMaterial
from penwright.adapters.clock import SystemClock
from penwright.adapters.tokens import EstimatedTokens
from schemas.base import Effect, OpId
from schemas.director_round import BriefRole
from schemas.envelope import EnvelopeFor
from schemas.lore import Attachment, Lorebook, LoreEntry
from schemas.memory import Charge, Vectors
from schemas.model import Usage
from schemas.scene import OpenRound
from schemas.worlds import Character
from tests.support.doubles.store import memory_store
from tests.support.each import for_each
from tests.support.scenes.playhouse import NoEmbeddings, build_scene

EFFECT = Effect(op_id=OpId("scene/x#s1:9"), issued_at=datetime(2026, 5, 4, 12, tzinfo=UTC))


class BySea:
    """Vectors of two numbers: how often a text speaks of the sea, and whether it does not."""

    model = "by-sea"

    def embed(self, texts: Sequence[str], charge: Charge) -> Vectors:
        found = tuple((float(each.count("sea")), float("sea" not in each)) for each in texts)
        return Vectors(model=self.model, dimensions=2, vectors=found, usage=Usage(cost_micros=3))


@pytest.fixture
def store() -> Any:
    return memory_store(clock=SystemClock())


def stage(store: Any, *entries: LoreEntry, said: str = "Mira: the sea") -> str:
    """A scene with these entries, in which something was said."""
    scene = build_scene(store.worlds)
    book = store.worlds.create(Lorebook(id="", name="Sea", entries=entries))
    store.worlds.attach(Attachment(book=book.id, level="scene", at=scene))
    store.scenes.open_round(OpenRound(effect=EFFECT, scene=scene, session="s1", text=said))
    return scene


def readers(store: Any, scene: str, embeddings: Any = None, **request: Any) -> list[str]:
    """Those in whose prompts there is lore."""
    material = SceneMaterial(
        *(store.worlds, store.scenes, store.memories, embeddings or NoEmbeddings()),
        *(EstimatedTokens(), store.blobs),
    )
    asked: list[tuple[EnvelopeFor, str]] = [("character", "ann"), ("character", "bob")]
    asked += [("director", ""), ("narrator", ""), ("summariser", "")]
    found = (
        (
            who or role,
            material.read(
                BriefRole(effect=EFFECT, scene=scene, round=1, for_=role, who=who, **request), role
            ),
        )
        for role, who in asked
    )
    return [who for who, read in found if read.case.lore]


def test_texts_of_a_character_count_in_its_own_prompts_and_in_the_directors(store: Any) -> None:
    scene = stage(store, LoreEntry(uid="1", content="c", keys=("Bob works",), also_in=("description",)))

    assert readers(store, scene) == ["bob", "director"]


def test_a_key_may_name_the_character_whose_prompt_it_is(store: Any) -> None:
    named = LoreEntry(uid="1", content="c", keys=("{{char}} and {{user}}",))

    assert readers(store, stage(store, named, said="There are Ann and Mira.")) == ["ann"]


def test_an_exclusion_closes_for_all_but_the_director_while_it_means_nobody(store: Any) -> None:
    def kept_from(name: str) -> str:
        return stage(store, LoreEntry(uid="1", content="c", constant=True, characters=(name,), excludes=True))

    assert readers(store, kept_from("BOB")) == ["ann", "director"]
    scene = kept_from("Zog")
    assert readers(store, scene) == ["director"]
    store.worlds.create(Character(id="", name="Zog"))
    assert readers(store, scene) == ["ann", "bob", "director"]


def test_tags_are_those_of_the_character(store: Any) -> None:
    scene = stage(store, LoreEntry(uid="1", content="c", constant=True, character_tags=("spy",)))
    bob = store.worlds.read(Character, "bob")
    store.worlds.change(bob.model_copy(update={"tags": ("Spy",)}))

    assert readers(store, scene) == ["bob"]


@for_each(
    "kind, request, there",
    [
        ("normal", {}, ["ann", "bob", "director", "narrator"]),
        ("continue", {"continues": True}, ["ann", "bob", "director", "narrator"]),
        ("swipe", {"regenerates": True}, ["ann", "bob", "director", "narrator"]),
        ("quiet", {}, ["summariser"]),
        ("impersonate", {}, []),
        ("continue", {}, []),
    ],
)
def test_an_entry_may_be_for_one_kind_of_prompt(kind: str, request: dict[str, Any], there: list[str]) -> None:
    store = memory_store(clock=SystemClock())
    scene = stage(store, LoreEntry(uid="1", content="c", constant=True, triggers=(kind,)))

    assert readers(store, scene, **request) == there


def test_a_vectorised_entry_fires_where_its_text_is_near_and_what_it_costs_is_told(store: Any) -> None:
    near = LoreEntry(uid="near", content="The sea takes.", vectorised=True)
    far = LoreEntry(uid="far", content="A hill.", vectorised=True)
    scene = stage(store, near, far, LoreEntry(uid="plain", content="sea"))
    material = SceneMaterial(
        *(store.worlds, store.scenes, store.memories, BySea(), EstimatedTokens(), store.blobs)
    )
    read = material.read(BriefRole(effect=EFFECT, scene=scene, round=1, for_="narrator"), "narrator")

    assert read.case.lore == ("The sea takes.",)
    assert read.usage.cost_micros == 3
    assert readers(store, scene) == []
